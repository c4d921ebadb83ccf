/**
 * Campaigns from 1,000 to 100,000 recipients (1,000,000 with `--million`) with a stand-in that has no
 * limit: mails a second, and what each recipient costs in processor time, rows and bytes. Each runs in
 * a stack of its own, so that memory is its own.
 *
 * Everything shares the machine here: the object, the consumers, the local queue and the stand-in.
 */
import { aimed, figure, type BenchOptions, type Part, type Row } from "./measure.ts";
import { cpuSeconds, peakMegabytes } from "./process-usage.ts";
import { BenchStack, secondsOf, UNLIMITED } from "./stack.ts";

const SIZES = [1_000, 10_000, 100_000];
const MILLION = 1_000_000;
const FLAT_WITHIN = 0.2;

type Run = {
  readonly recipients: number;
  readonly mailsPerSecond: number;
  readonly cpuMicroseconds: number;
  readonly rowsWritten: number;
  readonly rowsRead: number;
  readonly bytes: number;
  readonly peakMegabytes: number;
};

/** All but the speed and the peak are for each recipient, from the upload to the end. */
async function run(recipients: number): Promise<Run> {
  const stack = await BenchStack.start();
  try {
    const { pid } = stack.worker;
    // What starting takes is not the campaign's.
    await stack.campaign("warm", 1_000);
    await stack.api.start("warm");
    await stack.finished("warm");
    const cpuBefore = cpuSeconds(pid) ?? 0;
    await stack.campaign("growth", recipients);
    await stack.api.start("growth");
    const seconds = secondsOf(await stack.finished("growth"));
    const cpu = (cpuSeconds(pid) ?? 0) - cpuBefore;
    const { campaign } = await stack.counts("growth");
    return {
      recipients,
      mailsPerSecond: recipients / seconds,
      cpuMicroseconds: (cpu / recipients) * 1e6,
      rowsWritten: campaign.rowsWritten / recipients,
      rowsRead: campaign.rowsRead / recipients,
      bytes: campaign.databaseBytes / recipients,
      peakMegabytes: peakMegabytes(pid) ?? 0,
    };
  } finally {
    await stack.stop();
  }
}

type Measure = Exclude<keyof Run, "recipients">;

const MEASURES: readonly { of: Measure; what: string; unit: string; isFlat: boolean }[] = [
  { of: "mailsPerSecond", what: "mails a second", unit: "mails/s", isFlat: true },
  {
    of: "cpuMicroseconds",
    what: "processor time of workerd",
    unit: "µs a recipient",
    isFlat: true,
  },
  { of: "rowsWritten", what: "rows written", unit: "a recipient", isFlat: true },
  { of: "rowsRead", what: "rows read", unit: "a recipient", isFlat: true },
  { of: "bytes", what: "database", unit: "bytes a recipient", isFlat: true },
  { of: "peakMegabytes", what: "peak memory of workerd", unit: "MB", isFlat: false },
];

/** How far the ends of a row are apart, from the second size on: at 1,000 fixed costs weigh. */
function growth(runs: readonly Run[], of: Measure): number {
  const values = runs.slice(1).map((each) => each[of]);
  return Math.max(...values) / Math.min(...values) - 1;
}

function rowsOf(runs: readonly Run[]): Row[] {
  return MEASURES.flatMap(({ of, what, unit, isFlat }) => {
    const apart = growth(runs, of);
    return runs.map((each, at): Row => {
      const row = {
        what: `${each.recipients.toLocaleString("en-US")}: ${what}`,
        unit,
        samples: [each[of]],
      };
      if (at < runs.length - 1) return row;
      const ratio = `${figure(apart * 100)} % apart from 10,000 on`;
      if (!isFlat) return { ...row, ratio };
      return { ...row, ratio, aim: aimed("flat within 20 %", apart <= FLAT_WITHIN) };
    });
  });
}

export const growthPart: Part = {
  name: "growth",
  title: `A provider without a limit (the gate gives ${UNLIMITED} slots a second)`,
  async run({ million }: BenchOptions) {
    const runs: Run[] = [];
    for (const size of million ? [...SIZES, MILLION] : SIZES) runs.push(await run(size));
    return rowsOf(runs);
  },
};
