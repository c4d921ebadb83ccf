/**
 * The health as the account sees it. Anybody may ask, as often as they like; the account looks at
 * most every HEALTH_LOOK_SECONDS, and only at campaigns that have said in its own lifetime that they
 * are at work. So asking wakes nobody who sleeps, and costs no more than a few reads of objects that
 * are awake.
 */
import type { CampaignRpc } from "../campaign/rpc.ts";
import { healthOf, type Health } from "../domain/health.ts";
import type { CampaignId, Instant } from "../domain/ids.ts";
import {
  CAMPAIGNS_HEARD_OF,
  HEALTH_CALL_SECONDS,
  HEALTH_CAMPAIGNS,
  HEALTH_LOOK_SECONDS,
} from "../domain/limits.ts";
import type { CampaignReading } from "../domain/reading.ts";
import { within } from "../campaign/within.ts";

type Ports = {
  campaign(id: CampaignId): Pick<CampaignRpc, "reading">;
  now(): Instant;
  heldMilliseconds(): number;
};

type Look = { readonly readings: readonly CampaignReading[]; readonly silent: number };

export class HealthWatch {
  readonly #ports: Ports;
  /** Those at work, the one that was heard of last at the end. */
  readonly #atWork = new Set<CampaignId>();
  #lookedAt: Instant = Number.NEGATIVE_INFINITY;
  #look: Promise<Look> = Promise.resolve({ readings: [], silent: 0 });

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  heardOf(id: CampaignId): void {
    this.#atWork.delete(id);
    this.#atWork.add(id);
    const [oldest] = this.#atWork;
    if (this.#atWork.size > CAMPAIGNS_HEARD_OF && oldest !== undefined) this.#atWork.delete(oldest);
  }

  async health(): Promise<Health> {
    const now = this.#ports.now();
    if (now - this.#lookedAt >= HEALTH_LOOK_SECONDS * 1000) {
      this.#lookedAt = now;
      this.#look = this.#lookAtCampaigns();
    }
    const { readings, silent } = await this.#look;
    return healthOf({ readings, silent, heldMilliseconds: this.#ports.heldMilliseconds() });
  }

  async #lookAtCampaigns(): Promise<Look> {
    const asked = [...this.#atWork].slice(-HEALTH_CAMPAIGNS);
    const answers = await Promise.allSettled(
      // In half of the time, since the account's own answer is waited for no longer than the whole.
      asked.map((id) => within(HEALTH_CALL_SECONDS / 2, this.#ports.campaign(id).reading())),
    );
    const readings: CampaignReading[] = [];
    for (const [at, answer] of answers.entries()) {
      if (answer.status === "rejected") continue;
      const id = asked[at];
      if (isWorthAnotherLook(answer.value)) readings.push(answer.value);
      else if (id !== undefined) this.#atWork.delete(id);
    }
    return { readings, silent: answers.filter(({ status }) => status === "rejected").length };
  }
}

/** One that is paused by the provider tells of the provider; any other that has stopped, of nothing. */
function isWorthAnotherLook(reading: CampaignReading | null): reading is CampaignReading {
  if (reading === null) return false;
  const { state, pause } = reading.status;
  return state === "sending" || (pause !== null && pause.reason.startsWith("provider"));
}
