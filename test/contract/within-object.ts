/** A storage of the platform for each test. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";

/** @param prefix tells the objects of one test file from those of another */
export function withinObject(prefix: string) {
  let objects = 0;
  return async (body: (storage: DurableObjectStorage) => void): Promise<void> => {
    objects += 1;
    const stub = env.CAMPAIGNS.getByName(`${prefix}-${objects}`);
    // A storage may only be used inside its own object, so the whole test runs in there.
    await runInDurableObject(stub, (_object, state) => body(state.storage));
  };
}
