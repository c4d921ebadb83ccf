/**
 * What a million rows cost those who ask: the import, a status, the look-up of one recipient and the
 * export, beside the same of a thousand rows.
 */
import { aimed, figure, median, timed, type Part, type Row } from "./measure.ts";
import { BenchStack } from "./stack.ts";

const SIZES = [1_000, 1_000_000] as const;
const ASKS = 300;
const STATUS_ROWS_AT_MOST = 20;
/** Two medians of a request of some milliseconds are the same when they are no further apart. */
const SAME_WITHIN = 0.25;

type Measured = {
  readonly size: number;
  readonly importSeconds: number;
  readonly status: readonly number[];
  readonly statusRowsRead: number;
  readonly lookUp: readonly number[];
  readonly exportSeconds: number;
};

async function seconds(work: () => Promise<unknown>): Promise<number> {
  return ((await timed(1, work))[0] ?? 0) / 1000;
}

async function exported(stack: BenchStack, id: string, rows: number): Promise<void> {
  let lines = 0;
  for await (const chunk of await stack.api.exportRecipients(id)) {
    for (const byte of chunk) if (byte === 10) lines += 1;
  }
  if (lines !== rows + 1) throw new Error(`the export has ${lines} lines for ${rows} rows`);
}

async function statusRows(stack: BenchStack, id: string): Promise<number> {
  const before = await stack.counts(id);
  await stack.api.deliveryStatus(id);
  const after = await stack.counts(id);
  return after.campaign.rowsRead - before.campaign.rowsRead;
}

async function measure(stack: BenchStack, size: number): Promise<Measured> {
  const id = `rows-${size}`;
  const importSeconds = await seconds(() => stack.campaign(id, size));
  await timed(ASKS, () => stack.api.deliveryStatus(id));
  return {
    size,
    importSeconds,
    status: await timed(ASKS, () => stack.api.deliveryStatus(id)),
    statusRowsRead: await statusRows(stack, id),
    lookUp: await timed(ASKS, (at) => stack.api.recipient(id, `u_${(at * 7_919) % size}`)),
    exportSeconds: await seconds(() => exported(stack, id, size)),
  };
}

function rowsOf(small: Measured, large: Measured): Row[] {
  const apart = median(large.status) / median(small.status) - 1;
  const perSecond = (each: Measured, took: number): number => each.size / took;
  return [small, large].flatMap((each): Row[] => {
    const at = each.size.toLocaleString("en-US");
    const status = { what: `${at}: status`, unit: "ms a request", samples: each.status };
    const same = aimed("the same at 1,000 and 1,000,000", Math.abs(apart) <= SAME_WITHIN);
    return [
      {
        what: `${at}: import`,
        unit: "rows/s",
        samples: [perSecond(each, each.importSeconds)],
      },
      each === large ? { ...status, ratio: `${figure(apart * 100)} % apart`, aim: same } : status,
      {
        what: `${at}: rows read by a status`,
        unit: "rows",
        samples: [each.statusRowsRead],
        aim: aimed(`at most ${STATUS_ROWS_AT_MOST}`, each.statusRowsRead <= STATUS_ROWS_AT_MOST),
      },
      { what: `${at}: look-up of a recipient`, unit: "ms a request", samples: each.lookUp },
      {
        what: `${at}: export`,
        unit: "rows/s",
        samples: [perSecond(each, each.exportSeconds)],
      },
    ];
  });
}

export const largeLedger: Part = {
  name: "rows",
  title: "A ledger of 1,000 rows and one of 1,000,000, by HTTP",
  async run() {
    const stack = await BenchStack.start();
    try {
      const [small, large] = SIZES;
      return rowsOf(await measure(stack, small), await measure(stack, large));
    } finally {
      await stack.stop();
    }
  },
};
