/**
 * The last health that an isolate was told, so that a crowd at `/healthz` is one question to the
 * account every few seconds. Only the value is kept: a promise belongs to the request that made it.
 */
import { within } from "../campaign/within.ts";
import { STORAGE_DOWN, type Health } from "../domain/health.ts";
import type { Instant } from "../domain/ids.ts";
import { HEALTH_CALL_SECONDS, HEALTH_KEPT_SECONDS } from "../domain/limits.ts";

export class HealthMemory {
  #health: Health | null = null;
  #toldAt: Instant = 0;

  /** Never throws: an account that fails, or does not answer, is storage that is down. */
  async get(ask: () => Promise<Health>, now: () => Instant): Promise<Health> {
    const isFresh = now() - this.#toldAt < HEALTH_KEPT_SECONDS * 1000;
    if (this.#health !== null && isFresh) return this.#health;
    this.#health = await within(HEALTH_CALL_SECONDS, ask()).catch(() => STORAGE_DOWN);
    this.#toldAt = now();
    return this.#health;
  }
}
