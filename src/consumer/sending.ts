/**
 * Runs the `send` of the user within the lease and finds out what became of everybody.
 *
 * Nobody is called `sent` or `failed` but by a result of their own. Whoever has none when it is over
 * is `deferred` where the error says that nothing was accepted, and `unknown` otherwise.
 */
import { counted } from "../domain/counted.ts";
import {
  MAX_PROVIDER_ID_CHARACTERS,
  MAX_REASON_CHARACTERS,
  RETRY_AFTER_MOST_SECONDS,
} from "../domain/limits.ts";
import { wholeText } from "../domain/whole-text.ts";
import type { Recipient, SendResult, Told } from "./campaign-port.ts";
import { isNotAccepted } from "./not-accepted.ts";

/** What `send` gets: one reservation, to be mailed now. */
export type Batch = {
  readonly recipients: readonly Recipient[];
  /**
   * The same for every attempt at these recipients, and never used for others. For a provider with
   * one request a recipient, put the recipient's id behind it.
   */
  readonly idempotencyKey: string;
  /** Aborted at the deadline. Pass it on to `fetch`. */
  readonly signal: AbortSignal;
  /** When the lease is nearly over and the call has to be, by this machine's clock. */
  readonly deadline: Date;
};

/**
 * Mails a batch: all at once, or one after the other with a result yielded for each, which the ledger
 * is told as it comes.
 *
 * @throws NotAccepted where nothing was accepted of what has no result yet; any other error leaves
 *   open whether it was
 */
export type Send = (batch: Batch) => Promise<readonly SendResult[]> | AsyncIterable<SendResult>;

type Results = readonly Required<SendResult>[];

/** The whole results first, then what is to be said of those without one; null: nobody is. */
export type Sent = {
  readonly results: Results;
  readonly rest: Exclude<Told, { kind: "results" }> | null;
};

export type SendingPorts = {
  readonly send: Send;
  /** Takes results as they come, from a `send` that yields. @returns false: the lease is gone */
  readonly tell: (results: Results) => Promise<boolean>;
  /** Gets what a `send` that outlived its deadline has to say at last. */
  readonly tellLate: (results: Results) => void;
};

export type Sending = {
  readonly recipients: readonly Recipient[];
  readonly idempotencyKey: string;
  /** How long `send` has, in milliseconds. */
  readonly milliseconds: number;
};

export async function sendWithin(sending: Sending, ports: SendingPorts): Promise<Sent> {
  const { recipients, idempotencyKey, milliseconds } = sending;
  const abort = new AbortController();
  const deadline = new Date(Date.now() + milliseconds);
  const batch = { recipients, idempotencyKey, signal: abort.signal, deadline };
  const collected = new Collected(sending);
  const running = run(batch, ports, collected);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), milliseconds);
  });
  try {
    if ((await Promise.race([running, late])) !== "late") return collected.ended(null);
    abort.abort(new Error("the lease is nearly over"));
    // Whether it heeds the signal or not, what it says at last is a fact.
    running.then(
      () => ports.tellLate(collected.untold()),
      () => ports.tellLate(collected.untold()),
    );
    return collected.ended(new Error("send was not over when its lease nearly was"));
  } catch (error) {
    return collected.ended(error);
  } finally {
    clearTimeout(timer);
  }
}

async function run(batch: Batch, ports: SendingPorts, collected: Collected): Promise<void> {
  const sending = ports.send(batch);
  if (!(Symbol.asyncIterator in sending)) return collected.add(await sending);
  for await (const result of sending) {
    collected.add([result]);
    const isCurrent = await ports.tell(collected.untold());
    if (!isCurrent) throw new Error("the lease went to another delivery");
    collected.told();
    if (batch.signal.aborted) return;
  }
}

/** The results of one reservation, each recipient's first one. */
class Collected {
  readonly #open: Set<string>;
  readonly #key: string;
  #untold: Required<SendResult>[] = [];

  constructor({ recipients, idempotencyKey }: Sending) {
    this.#open = new Set(recipients.map(({ id }) => id));
    this.#key = idempotencyKey;
  }

  /** @throws TypeError at a result that means nobody, or nothing; what stands before it counts */
  add(results: readonly SendResult[]): void {
    for (const result of results) {
      if (!this.#open.has(result.id)) {
        throw new TypeError(`send gave a result for ${result.id}, who has none to come`);
      }
      this.#untold.push(this.#whole(result));
      this.#open.delete(result.id);
    }
  }

  #whole(result: SendResult): Required<SendResult> {
    const { id, outcome } = result;
    switch (outcome) {
      case "sent": {
        const providerId = result.providerId ?? "";
        const shown = providerId === "" ? this.#key : providerId;
        return { id, outcome, providerId: wholeText(shown, MAX_PROVIDER_ID_CHARACTERS) };
      }
      case "failed":
        return { id, outcome, reason: reasonOf(result.reason) };
      default:
        throw new TypeError("send gave an outcome that is neither sent nor failed");
    }
  }

  untold(): Results {
    return this.#untold;
  }

  told(): void {
    this.#untold = [];
  }

  /** @param error what `send` threw; null: nothing */
  ended(error: unknown): Sent {
    const results = this.#untold;
    if (this.#open.size === 0) return { results, rest: null };
    const without = `send has ended without a word about ${counted(this.#open.size, "recipient")}`;
    const reason = reasonOf(error === null ? without : messageOf(error));
    if (!isNotAccepted(error)) {
      return { results, rest: { kind: "unknown", reason, retryAfterSeconds: null } };
    }
    const retryAfterSeconds = secondsOf(error.retryAfterSeconds);
    return { results, rest: { kind: "deferred", reason, retryAfterSeconds } };
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Node's fetch says "fetch failed" and keeps the reason in the cause.
  const { cause } = error;
  return cause instanceof Error && cause.message !== ""
    ? `${error.message}: ${cause.message}`
    : error.message;
}

/** As the ledger takes it: a report that it refuses would leave open what is known. */
function secondsOf(asked: number | null): number | null {
  return asked !== null && asked >= 0 ? Math.min(asked, RETRY_AFTER_MOST_SECONDS) : null;
}

function reasonOf(text: unknown): string {
  const reason = wholeText(String(text), MAX_REASON_CHARACTERS);
  return reason === "" ? "no reason given" : reason;
}
