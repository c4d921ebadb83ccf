/** Asks an object again when its answer was lost: every method of the ledger may be asked twice. */
import { CALL_AGAIN_MILLISECONDS, CALL_TRIES } from "../domain/limits.ts";
import { mayAskAtOnce } from "../domain/object-error.ts";
import type { ConsumerDeps } from "./deps.ts";

/**
 * @param ask has to take a new stub each time, since after a reset an old one keeps failing
 * @throws what the last try threw; an overloaded object is not asked again at once
 */
export async function again<T>(
  deps: Pick<ConsumerDeps, "sleep">,
  ask: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!mayAskAtOnce(error) || tries >= CALL_TRIES) throw error;
      await deps.sleep(CALL_AGAIN_MILLISECONDS * 2 ** (tries - 1));
    }
  }
}
