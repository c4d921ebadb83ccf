/**
 * A model of the provider with its rules on idempotency keys (Resend, "Idempotency Keys"): the same
 * key and body within 24 hours of the first receipt gives the first answer again and sends nothing,
 * another body is refused, and so is a request while the first one is being worked on. What it has
 * accepted is the ground truth of the whole simulation.
 */
import type { Seq } from "../../src/domain/ids.ts";
import type { Email } from "../../src/provider/port.ts";
import type { FaultKind } from "./faults.ts";

export const KEY_MEMORY_MILLISECONDS = 86_400_000;

/** What comes back over HTTP; null: nothing does. */
export type HttpAnswer = {
  readonly status: number;
  readonly name: string | null;
  readonly retryAfterSeconds: number | null;
  /** The body broke off, or is not what was announced. */
  readonly isBroken: boolean;
  /** Ids of the accepted ones, in the order of the request. */
  readonly ids: readonly string[];
  readonly errors: readonly { readonly index: number; readonly message: string }[];
};

export type ProviderRequest = {
  readonly key: string;
  readonly emails: readonly Email[];
  readonly seqs: readonly Seq[];
};

export type ProviderWorld = {
  readonly scheduler: { readonly now: number; after(milliseconds: number, run: () => void): void };
  readonly plan: {
    readonly keyless: boolean;
    readonly cachesErrors: boolean;
    readonly permissive: boolean;
  };
  fault(kind: FaultKind): boolean;
  whole(least: number, most: number): number;
  skewed(least: number, most: number): number;
  note(text: string): void;
  isRefused(key: string, email: Email): boolean;
  received(key: string, body: string): void;
  accepted(key: string, email: Email, providerId: string): void;
};

type Remembered = { readonly at: number; readonly body: string; answer: HttpAnswer | null };

const refusal = (
  status: number,
  name: string,
  retryAfterSeconds: number | null = null,
): HttpAnswer => ({
  status,
  name,
  retryAfterSeconds,
  isBroken: false,
  ids: [],
  errors: [],
});

export class ProviderModel {
  readonly #world: ProviderWorld;
  readonly #memory = new Map<string, Remembered>();
  #ids = 0;
  #downUntil = 0;

  constructor(world: ProviderWorld) {
    this.#world = world;
  }

  /** A request arrives; `answer` is called once, or never. */
  receive(request: ProviderRequest, answer: (answer: HttpAnswer) => void): void {
    const body = JSON.stringify(request.emails);
    this.#world.received(request.key, body);
    if (this.#isDown()) return;
    const early = this.#refusesEarly();
    if (early !== null) return answer(early);
    const known = this.#recall(request.key);
    if (known !== undefined) {
      if (known.body !== body) return answer(refusal(409, "invalid_idempotent_request"));
      return answer(known.answer ?? refusal(409, "concurrent_idempotent_requests"));
    }
    const entry: Remembered = { at: this.#world.scheduler.now, body, answer: null };
    if (!this.#world.plan.keyless) this.#memory.set(request.key, entry);
    const takes = this.#world.fault("providerSlow")
      ? this.#world.skewed(500, 50_000)
      : this.#world.whole(5, 60);
    this.#world.scheduler.after(takes, () => this.#work(request, entry, answer));
  }

  /** Once the faults are over, errors that were kept under a key are gone as well. */
  heal(): void {
    this.#downUntil = 0;
    for (const [key, entry] of this.#memory) {
      if (entry.answer !== null && entry.answer.status >= 500) this.#memory.delete(key);
    }
  }

  #isDown(): boolean {
    const { now } = this.#world.scheduler;
    if (now < this.#downUntil) return true;
    // Rare to begin, long to last.
    if (this.#world.whole(1, 20) > 1 || !this.#world.fault("providerDown")) return false;
    this.#downUntil = now + this.#world.skewed(10_000, 3_600_000);
    this.#world.note("the provider is down");
    return true;
  }

  #refusesEarly(): HttpAnswer | null {
    if (this.#world.fault("providerLimitsRate")) {
      const seconds = this.#world.whole(0, 2) === 0 ? null : this.#world.skewed(1, 90);
      return refusal(429, "rate_limit_exceeded", seconds);
    }
    if (this.#world.fault("providerFails")) return refusal(503, "service_unavailable");
    if (this.#world.fault("providerQuota")) return refusal(429, "daily_quota_exceeded");
    if (this.#world.fault("providerRefusesKey")) return refusal(401, "restricted_api_key");
    if (this.#world.fault("providerRefusesSender")) return refusal(403, "validation_error");
    if (this.#world.fault("providerSaysDrifted")) return refusal(409, "invalid_idempotent_request");
    return null;
  }

  #recall(key: string): Remembered | undefined {
    const entry = this.#memory.get(key);
    if (entry === undefined) return undefined;
    if (this.#world.scheduler.now - entry.at < KEY_MEMORY_MILLISECONDS) return entry;
    this.#memory.delete(key);
    return undefined;
  }

  #work(request: ProviderRequest, entry: Remembered, answer: (answer: HttpAnswer) => void): void {
    const { cachesErrors, permissive } = this.#world.plan;
    if (this.#world.fault("providerFails")) {
      entry.answer = refusal(500, "application_error");
      if (!cachesErrors) this.#memory.delete(request.key);
      return answer(entry.answer);
    }
    const errors = request.emails.flatMap((email, index) =>
      this.#world.isRefused(request.key, email) ? [{ index, message: "Invalid `to` field." }] : [],
    );
    if (errors.length > 0 && !permissive) {
      entry.answer = { ...refusal(422, "validation_error"), errors };
      if (!cachesErrors) this.#memory.delete(request.key);
      return answer(entry.answer);
    }
    entry.answer = this.#accept(request, errors);
    this.#answerAccepted(entry.answer, answer);
  }

  #accept(request: ProviderRequest, errors: HttpAnswer["errors"]): HttpAnswer {
    const refused = new Set(errors.map((error) => error.index));
    const ids: string[] = [];
    for (const [index, email] of request.emails.entries()) {
      if (refused.has(index)) continue;
      this.#ids += 1;
      const id = `p${this.#ids}`;
      ids.push(id);
      this.#world.accepted(request.key, email, id);
    }
    return { status: 200, name: null, retryAfterSeconds: null, isBroken: false, ids, errors };
  }

  #answerAccepted(good: HttpAnswer, answer: (answer: HttpAnswer) => void): void {
    if (this.#world.fault("providerLosesAnswer")) return;
    if (this.#world.fault("providerFailsAfter")) return answer(refusal(502, "bad_gateway"));
    if (this.#world.fault("providerHalfAnswers"))
      return answer({ ...good, isBroken: true, ids: [] });
    answer(good);
  }
}
