/**
 * What the demo writes: one progress bar at a time, which redraws itself in a terminal and is a
 * line every tenth of the way anywhere else, and a table at the end.
 */
const BAR_CELLS = 30;
const LABEL_CHARACTERS = 13;
const STEPS = 10;

export function count(number: number): string {
  return number.toLocaleString("en");
}

export class ProgressBar {
  readonly #label: string;
  #step = -1;
  #drawn = "";

  constructor(label: string) {
    this.#label = label;
  }

  /** @param fraction 0…1 */
  update(fraction: number, text: string): void {
    const line = this.#line(fraction, text);
    if (process.stdout.isTTY) {
      if (line !== this.#drawn) process.stdout.write(`\r\u001B[K${fitted(line)}`);
    } else {
      const step = Math.floor(fraction * STEPS);
      if (step > this.#step && step < STEPS) console.log(line);
      this.#step = Math.max(step, this.#step);
    }
    this.#drawn = line;
  }

  /** Draws the end and leaves the line to whoever writes next. */
  end(text: string): void {
    this.update(1, text);
    process.stdout.write(process.stdout.isTTY ? "\n" : `${this.#drawn}\n`);
  }

  #line(fraction: number, text: string): string {
    const full = Math.round(Math.min(Math.max(fraction, 0), 1) * BAR_CELLS);
    const bar = "█".repeat(full) + "░".repeat(BAR_CELLS - full);
    const percent = String(Math.floor(fraction * 100)).padStart(3);
    return `${this.#label.padEnd(LABEL_CHARACTERS)} ${bar} ${percent} %  ${text}`;
  }
}

/** A line that wraps could not be redrawn. */
function fitted(line: string): string {
  return line.slice(0, (process.stdout.columns || 80) - 1);
}

/** Columns as wide as their widest cell; the first is set flush left, the others right. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const cell = (text: string, column: number): string =>
    column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0);
  const lines = rows.map((row) => row.map(cell).join("   ").trimEnd());
  const rule = "─".repeat(Math.max(...lines.map((line) => line.length)));
  return [lines[0], rule, ...lines.slice(1)].join("\n");
}
