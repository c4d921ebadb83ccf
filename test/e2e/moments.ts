/** When to crash: moments drawn from a seed, counted in time or in requests at the provider. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Stack } from "./stack.ts";

/** A third comes while it is still starting to work, the others in the middle of the work. */
const BY_TIME = 1 / 3;
const MOST_MILLISECONDS = 2_500;
const MOST_REQUESTS = 12;
/** Between two requests of the provider, and so anywhere between reserve and report. */
const MOST_AFTERWARDS_MILLISECONDS = 120;

/** Waits for a drawn moment. @returns what it was, for the reader of a failure */
export async function drawnMoment(stack: Stack, chance: () => number): Promise<string> {
  const kind = chance();
  const amount = chance();
  const afterwards = Math.floor(chance() * MOST_AFTERWARDS_MILLISECONDS);
  if (kind < BY_TIME) {
    const milliseconds = Math.floor(amount * MOST_MILLISECONDS);
    await sleep(milliseconds);
    return `${milliseconds} ms after the start`;
  }
  const more = 1 + Math.floor(amount * MOST_REQUESTS);
  const before = (await stack.provider.counts()).requests;
  await stack.until(`${more} more requests`, async () => {
    const { requests } = await stack.provider.counts();
    return requests >= before + more;
  });
  await sleep(afterwards);
  return `${afterwards} ms after ${more} more requests`;
}
