/**
 * The consumers of another queue (DESIGN §6): each message names people and a reservation, is
 * delivered until its reservation is settled, and may be delivered twice or to a process that dies.
 */
import type {
  CampaignRpc,
  Enrolment,
  ReportRequest,
  ReserveAnswer,
} from "../../src/campaign/rpc.ts";
import type { AttemptOutcome } from "../../src/domain/outcome.ts";
import { providerOf } from "./consumer.ts";
import { enrolmentOf } from "./people.ts";
import { Process } from "./process.ts";
import type { Twin } from "./twin.ts";
import type { World } from "./world.ts";

type Message = { readonly reservationId: string; readonly recipients: readonly Enrolment[] | null };
type Grant = Extract<ReserveAnswer, { granted: true }>;

/** A call ends so long before its lease does. */
const MARGIN_MILLISECONDS = 2_000;

export class ExternalQueue {
  readonly #world: World;
  readonly #twin: Twin;
  #open = 0;

  constructor(world: World, twin: Twin) {
    this.#world = world;
    this.#twin = twin;
  }

  /** Puts everybody on the queue. The last message is followed by one for whoever is left. */
  begin(): void {
    const people = [...this.#twin.people.values()];
    const size = this.#twin.plan.settings.batchSize;
    for (let from = 0; from < people.length; from += size) {
      const recipients = people
        .slice(from, from + size)
        .map((person, index) => enrolmentOf(person, from + index + 1));
      this.#put({ reservationId: `chunk-${from}`, recipients });
    }
    this.#sweepUp();
  }

  #put(message: Message): void {
    this.#open += 1;
    const copies = this.#world.fault("queueDuplicates") ? 2 : 1;
    for (let copy = 1; copy <= copies; copy += 1) {
      this.#deliver(message, this.#world.skewed(5, 30_000), copy === 1);
    }
  }

  #deliver(message: Message, milliseconds: number, isKept: boolean): void {
    this.#world.scheduler.after(milliseconds, () => {
      const process = new Process(this.#world.newName("external"), this.#world, true);
      const again = (wait: number): void => {
        process.isAlive = false;
        if (isKept) this.#deliver(message, wait, true);
      };
      process.onEnd(() => again(this.#world.whole(1_000, 20_000)));
      void this.#consume(process, message, isKept, again);
    });
  }

  async #consume(
    process: Process,
    message: Message,
    isKept: boolean,
    again: (wait: number) => void,
  ): Promise<void> {
    try {
      const wait = await this.#handle(process, message);
      if (!process.isAlive) return;
      if (wait !== null) again(wait);
      else if (isKept) this.#open -= 1;
    } catch {
      again(this.#world.whole(1_000, 20_000));
    }
  }

  /** @returns milliseconds until the message has to be delivered again; null: it is done */
  async #handle(process: Process, { reservationId, recipients }: Message): Promise<number | null> {
    const campaign = process.stub<CampaignRpc>(this.#world.network, this.#twin.object);
    const claim = this.#world.whole(0, 1) === 0 ? null : this.#world.newName("claim");
    const answer = await campaign.reserve(
      recipients === null
        ? { by: "limit", reservationId, limit: this.#twin.plan.settings.batchSize, claim }
        : { by: "recipients", reservationId, recipients, claim },
    );
    if (!answer.ok) return 5_000;
    if (!answer.value.granted) {
      const { reason, retryAfterSeconds } = answer.value;
      const isLater = reason === "inFlight" || reason === "paused" || reason === "notStarted";
      return isLater ? Math.min(retryAfterSeconds, 60) * 1000 : null;
    }
    const outcome = await this.#send(process, answer.value);
    const report = { batch: { reservationId }, token: answer.value.token, outcome };
    await campaign.report(report);
    return outcome.kind === "results" ? null : 5_000;
  }

  async #send(process: Process, grant: Grant): Promise<ReportRequest["outcome"]> {
    const timeoutMilliseconds = Math.max(1_000, grant.leaseMilliseconds - MARGIN_MILLISECONDS);
    const emails = grant.members.map((member) => ({
      from: "Shop <shop@example.org>",
      to: member.email,
      subject: "Spring",
      text: "Hello",
      tags: [{ name: "recipient", value: member.id }],
    }));
    const seqs = grant.members.map((member) => member.seq);
    const { idempotencyKey } = grant;
    const provider = providerOf(this.#world, process, false);
    return inIds(
      grant,
      await provider.sendBatch({ idempotencyKey, emails, seqs, timeoutMilliseconds }),
    );
  }

  /** Once everybody has been handled: close the enrolment, and take whoever was put back. */
  #sweepUp(): void {
    this.#world.scheduler.after(10_000, () => {
      // While there are faults a replay may bring a finished campaign back.
      if (this.#twin.isOver && this.#world.isHealed) return;
      if (this.#open === 0 && !this.#twin.isOver) {
        const process = new Process("external closer", this.#world, false);
        const campaign = process.stub<CampaignRpc>(this.#world.network, this.#twin.object);
        // It is asked for again in ten seconds, so an answer that is lost is no matter.
        campaign.finish().catch(() => null);
        this.#put({ reservationId: this.#world.newName("rest"), recipients: null });
      }
      this.#sweepUp();
    });
  }
}

/** In words that an external report has: ids, and no way to say that nobody was accepted. */
function inIds(grant: Grant, outcome: AttemptOutcome): ReportRequest["outcome"] {
  if (outcome.kind === "unknown" || outcome.kind === "deferred") return outcome;
  const answered = new Map(
    outcome.kind === "answered" ? outcome.results.map((result) => [result.seq, result]) : [],
  );
  return {
    kind: "results",
    results: grant.members.map(({ id, seq }) => {
      const result = answered.get(seq);
      return result?.outcome === "sent"
        ? { id, outcome: "sent", providerId: result.providerId }
        : { id, outcome: "failed", reason: "refused" };
    }),
  };
}
