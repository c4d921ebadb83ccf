/**
 * Whether the server can be reached, as the last request found it. Who was told that it can't hears
 * when it is back: a notice of an outage never outlives it.
 */

const PROBE_MILLISECONDS = 3_000;
/** Answers everybody, keeps nothing awake, and is asked for its answer alone. */
const PROBE = "/healthz";

let probing: ReturnType<typeof setInterval> | null = null;
const listeners = new Set<() => void>();

/** A request got no answer. The server is asked again now and then, until it gives one. */
export function unreached(): void {
  probing ??= setInterval(probe, PROBE_MILLISECONDS);
}

/** The server has answered, whatever it said. */
export function reached(): void {
  if (probing === null) return;
  clearInterval(probing);
  probing = null;
  for (const listener of listeners) listener();
}

/** @returns what calls it off */
export function whenReached(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function probe(): void {
  fetch(PROBE).then(reached, () => undefined);
}
