/**
 * Reserve and report of 100 recipients through the object's RPC, against the same statements with
 * nothing above them, and against a ledger in D1.
 *
 * workerd's clock moves in whole milliseconds, so a sample is the mean of ten rounds. The pieces are
 * measured in turn, twice, so that none has the quiet half of the machine to itself.
 */
import { floorRounds, ledgerRounds } from "./floor.ts";
import { aimed, figure, meansOf, median, type Part, type Row } from "./measure.ts";
import { BenchStack } from "./stack.ts";

const RECIPIENTS = 20_000;
const TURNS = 2;
const MEAN_OF = 10;
const ROWS_ROUNDS = 20;
const BATCH_ROUNDS = 100;

const AIMS = { floorAtMost: 2.5, rowsAtLeast: 50, batchesAtLeast: 3, millisecondsBelow: 2 };
/** What the incident's author measured that the audit adds to a batch of 100. */
const AUTHOR_MILLISECONDS = 7;

type Samples = {
  floor: number[];
  ledger: number[];
  object: number[];
  rows: number[];
  batches: number[];
};

async function objectRounds(stack: BenchStack, id: string): Promise<number[]> {
  await stack.campaign(id, RECIPIENTS);
  await stack.api.start(id);
  await stack.finished(id);
  return meansOf(await stack.bench<number[]>("rounds"), MEAN_OF);
}

async function measure(stack: BenchStack): Promise<Samples> {
  const d1 = (way: string, rounds: number) =>
    stack.bench<number[]>(`d1?way=${way}&rounds=${rounds}`);
  // Compilers and caches of both sides are warm when it counts.
  await objectRounds(stack, "rounds-warm");
  floorRounds(2_000);
  ledgerRounds(2_000);
  await d1("inBatches", 10);
  const samples: Samples = { floor: [], ledger: [], object: [], rows: [], batches: [] };
  for (let turn = 0; turn < TURNS; turn += 1) {
    samples.object.push(...(await objectRounds(stack, `rounds-${turn}`)));
    samples.floor.push(...meansOf(floorRounds(RECIPIENTS), MEAN_OF));
    samples.ledger.push(...meansOf(ledgerRounds(RECIPIENTS), MEAN_OF));
    samples.batches.push(...meansOf(await d1("inBatches", BATCH_ROUNDS), MEAN_OF));
    samples.rows.push(...(await d1("rowByRow", ROWS_ROUNDS)));
  }
  return samples;
}

function rowsOf({ floor, ledger, object, rows, batches }: Samples): Row[] {
  const ours = median(object);
  const [ofFloor, ofRows, ofBatches] = [
    ours / median(floor),
    median(rows) / ours,
    median(batches) / ours,
  ];
  const unit = "ms a batch of 100";
  return [
    {
      what: "Sendonce: reserve and report by RPC",
      unit,
      samples: object,
      ratio: `author's audit: ${AUTHOR_MILLISECONDS} ms`,
      aim: aimed(`under ${AIMS.millisecondsBelow} ms`, ours < AIMS.millisecondsBelow),
    },
    {
      what: "floor: the same SQL on node:sqlite, FULL",
      unit,
      samples: floor,
      ratio: `Sendonce is ${figure(ofFloor)} × this`,
      aim: aimed(`at most ${AIMS.floorAtMost} ×`, ofFloor <= AIMS.floorAtMost),
    },
    {
      what: "the ledger alone on it, without object and RPC",
      unit,
      samples: ledger,
      ratio: `${figure(median(ledger) / median(floor))} × the floor`,
    },
    {
      what: "D1, a row inserted and updated each",
      unit,
      samples: rows,
      ratio: `Sendonce is ${figure(ofRows)} × faster`,
      aim: aimed(`at least ${AIMS.rowsAtLeast} ×`, ofRows >= AIMS.rowsAtLeast),
    },
    {
      what: "D1, the same in its own batches",
      unit,
      samples: batches,
      ratio: `Sendonce is ${figure(ofBatches)} × faster`,
      aim: aimed(`at least ${AIMS.batchesAtLeast} ×`, ofBatches >= AIMS.batchesAtLeast),
    },
  ];
}

export const reserveReport: Part = {
  name: "reserve-report",
  title: "Reserve and report of 100 recipients",
  async run() {
    const stack = await BenchStack.start();
    try {
      return rowsOf(await measure(stack));
    } finally {
      await stack.stop();
    }
  },
};
