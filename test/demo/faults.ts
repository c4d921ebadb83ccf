/**
 * The faults of the demo, the same for all three pipelines: which batches they hit is drawn from a
 * fixed seed before anything runs, and each hits once.
 *
 * A consumer that dies is a handler abandoned by a `Death`. Nothing of a pipeline catches it short
 * of the edge of its queue handler, where the message goes back to the queue, as it would after a
 * crash; whatever the consumer would have done afterwards is not done.
 *
 * The incident's 1,284 recipients are twelve messages of 100 and one of 84. Its 12,480 are cut
 * into 125 messages to allow that: one of 84, a last one of 96, and 123 of 100.
 */
import { seededChance } from "../support/chance.ts";

export const RECIPIENTS = 12_480;
const BATCHES = 125;
export const DOUBLED_IN_THE_INCIDENT = 1_284;

const FULL = 100;
const SHORT = 84;
const DEATHS_AFTER_ACCEPTANCE = 13;
const DEATHS_BEFORE_CALL = 6;
const REDELIVERIES = 5;
const SEED = 12_480;
/** No fault after this one: a late death would show nothing more and add its lease to the run. */
const LAST_FAULTY_BATCH = 100;

export type Fault =
  /** The reservation, or the ledger row, is on disk; the provider has not been asked. */
  | "diesBeforeCall"
  /** The provider has accepted the mails; nobody here has written that down. */
  | "diesAfterAcceptance"
  /** The queue hands the message out again while the first consumer waits for the answer. */
  | "redeliveredDuringCall";

/** What a dead process throws: nothing. This stands for its silence. */
export class Death extends Error {
  override readonly name = "Death";
}

/** The batch numbers 1…100 in a drawn order. */
function shuffledBatches(): number[] {
  const chance = seededChance(SEED);
  const numbers = Array.from({ length: LAST_FAULTY_BATCH }, (_, index) => index + 1);
  for (let last = numbers.length - 1; last > 0; last -= 1) {
    const other = Math.floor(chance() * (last + 1));
    [numbers[last], numbers[other]] = [numbers[other] as number, numbers[last] as number];
  }
  return numbers;
}

const drawn = shuffledBatches();

/** The fault of each batch that has one, by batch number from 1. */
export const PLAN: ReadonlyMap<number, Fault> = new Map<number, Fault>([
  ...drawn.splice(0, DEATHS_AFTER_ACCEPTANCE).map((n) => [n, "diesAfterAcceptance"] as const),
  ...drawn.splice(0, DEATHS_BEFORE_CALL).map((n) => [n, "diesBeforeCall"] as const),
  ...drawn.splice(0, REDELIVERIES).map((n) => [n, "redeliveredDuringCall"] as const),
]);

/** How many recipients each message of the naive pipelines carries, in order. */
export function messageSizes(): number[] {
  const [short] = [...PLAN].find(([, fault]) => fault === "diesAfterAcceptance") ?? [1];
  const sizes = Array.from({ length: BATCHES - 1 }, (_, index) =>
    index + 1 === short ? SHORT : FULL,
  );
  return [...sizes, RECIPIENTS - sizes.reduce((sum, size) => sum + size, 0)];
}

/** The faults that have happened, in numbers of batches and of recipients. */
export type Tally = Readonly<Record<Fault, { batches: number; recipients: number }>>;

/** One run of one pipeline. It calls the three points; most calls do nothing. */
export class Faults {
  readonly #happened = new Map<number, { fault: Fault; recipients: number }>();

  /** Everything is ready and written down, and the call comes next. */
  beforeCall(batch: number, recipients: number): void {
    if (this.#hits(batch, "diesBeforeCall", recipients)) {
      throw new Death(`the consumer of batch ${batch} died before its call`);
    }
  }

  /** The provider works on the request. `handOutAgain` gives the message to a second consumer. */
  async duringCall(
    batch: number,
    recipients: number,
    handOutAgain: () => Promise<void>,
  ): Promise<void> {
    if (this.#hits(batch, "redeliveredDuringCall", recipients)) await handOutAgain();
  }

  /** The provider has accepted, and its answer has arrived. */
  afterAcceptance(batch: number, recipients: number): void {
    if (this.#hits(batch, "diesAfterAcceptance", recipients)) {
      throw new Death(`the consumer of batch ${batch} died after its acceptance`);
    }
  }

  tally(): Tally {
    const count = (fault: Fault): { batches: number; recipients: number } => {
      const hits = [...this.#happened.values()].filter((hit) => hit.fault === fault);
      return { batches: hits.length, recipients: hits.reduce((n, hit) => n + hit.recipients, 0) };
    };
    return {
      diesBeforeCall: count("diesBeforeCall"),
      diesAfterAcceptance: count("diesAfterAcceptance"),
      redeliveredDuringCall: count("redeliveredDuringCall"),
    };
  }

  #hits(batch: number, fault: Fault, recipients: number): boolean {
    if (PLAN.get(batch) !== fault || this.#happened.has(batch)) return false;
    this.#happened.set(batch, { fault, recipients });
    return true;
  }
}

/** Whether every fault of the plan has happened; a run without them would prove nothing. */
export function isComplete(tally: Tally): boolean {
  return (
    tally.diesAfterAcceptance.batches === DEATHS_AFTER_ACCEPTANCE &&
    tally.diesBeforeCall.batches === DEATHS_BEFORE_CALL &&
    tally.redeliveredDuringCall.batches === REDELIVERIES
  );
}
