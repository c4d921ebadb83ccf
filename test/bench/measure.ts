/** What a part of the benchmark gives: rows with a median, its spread, and an aim where there is one. */

export type Row = {
  readonly what: string;
  readonly unit: string;
  /** Every measurement; the table shows the middle one, and the smallest and the largest. */
  readonly samples: readonly number[];
  /** The middle one against something else of the same run, such as "2.1 × the floor". */
  readonly ratio?: string;
  readonly aim?: { readonly text: string; readonly met: boolean };
};

export type Part = {
  /** By which `--only` calls it. */
  readonly name: string;
  readonly title: string;
  run(): Promise<readonly Row[]>;
};

/** @throws RangeError where there is nothing to take the middle of */
export function median(samples: readonly number[]): number {
  const inOrder = samples.toSorted((a, b) => a - b);
  const [low, high] = [inOrder[(inOrder.length - 1) >> 1], inOrder[inOrder.length >> 1]];
  if (low === undefined || high === undefined) throw new RangeError("no samples");
  return (low + high) / 2;
}

/** Means of `size` samples at a time: a clock of whole milliseconds says little of a single one. */
export function meansOf(samples: readonly number[], size: number): number[] {
  return Array.from({ length: Math.floor(samples.length / size) }, (_, at) => {
    const some = samples.slice(at * size, (at + 1) * size);
    return some.reduce((sum, each) => sum + each, 0) / size;
  });
}

/** Milliseconds of each of `times` runs of `work`. */
export async function timed(times: number, work: (at: number) => unknown): Promise<number[]> {
  const milliseconds: number[] = [];
  for (let at = 0; at < times; at += 1) {
    const began = performance.now();
    await work(at);
    milliseconds.push(performance.now() - began);
  }
  return milliseconds;
}

/** Three figures, and whole numbers with their thousands apart. */
export function figure(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** The aim as it is shown: what was wanted, and whether it was reached. */
export function aimed(text: string, met: boolean): NonNullable<Row["aim"]> {
  return { text, met };
}
