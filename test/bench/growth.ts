/**
 * Campaigns from 1,000 to 1,000,000 recipients with a stand-in that has no limit: mails a second, and
 * what each recipient costs in time, rows and bytes. Each runs in a stack of its own, so that memory is
 * its own, after one that warms the compiler.
 *
 * Everything shares the machine here: the object, the consumers, the local queue and the stand-in.
 */
import { aimed, figure, type Part, type Row } from "./measure.ts";
import { cpuSeconds, peakMegabytes } from "./process-usage.ts";
import { BenchStack, secondsOf, UNLIMITED } from "./stack.ts";

const SIZES = [1_000, 10_000, 100_000, 1_000_000];
const WARM = 20_000;
const MORE_AT_MOST = 0.2;

type Run = {
  readonly recipients: number;
  readonly mailsPerSecond: number;
  readonly microseconds: number;
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
    await stack.campaign("warm", WARM);
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
      microseconds: (seconds / recipients) * 1e6,
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

const MEASURES: readonly { of: Measure; what: string; unit: string; isCost: boolean }[] = [
  { of: "mailsPerSecond", what: "mails a second", unit: "mails/s", isCost: false },
  { of: "microseconds", what: "time", unit: "µs a recipient", isCost: true },
  {
    of: "cpuMicroseconds",
    what: "processor time of workerd",
    unit: "µs a recipient",
    isCost: true,
  },
  { of: "rowsWritten", what: "rows written", unit: "a recipient", isCost: true },
  { of: "rowsRead", what: "rows read", unit: "a recipient", isCost: true },
  { of: "bytes", what: "database", unit: "bytes a recipient", isCost: true },
  { of: "peakMegabytes", what: "peak memory of workerd", unit: "MB", isCost: false },
];

/** How much more the last costs than the cheapest before it. Below 0: it is the cheapest. */
function growth(runs: readonly Run[], of: Measure): number {
  const values = runs.map((each) => each[of]);
  return (values.at(-1) ?? 0) / Math.min(...values.slice(0, -1)) - 1;
}

function rowsOf(runs: readonly Run[]): Row[] {
  return MEASURES.flatMap(({ of, what, unit, isCost }) => {
    const more = growth(runs, of);
    return runs.map((each, at): Row => {
      const row = {
        what: `${each.recipients.toLocaleString("en-US")}: ${what}`,
        unit,
        samples: [each[of]],
      };
      if (at < runs.length - 1 || !isCost) return row;
      const ratio = `${figure(Math.abs(more) * 100)} % ${more < 0 ? "less" : "more"} than before`;
      return { ...row, ratio, aim: aimed("at most 20 % more", more <= MORE_AT_MOST) };
    });
  });
}

export const growthPart: Part = {
  name: "growth",
  title: `A provider without a limit (the gate gives ${UNLIMITED} slots a second)`,
  async run() {
    const runs: Run[] = [];
    for (const size of SIZES) runs.push(await run(size));
    return rowsOf(runs);
  },
};
