/** R-bytes: all requests under one idempotency key have the same body. */
import type { Checker } from "./checker.ts";

export function sameBody(): Checker {
  const bodies = new Map<string, string>();
  return {
    name: "same-body",
    see(occurrence, world) {
      if (occurrence.type !== "received") return null;
      const { key, body } = occurrence;
      // An external consumer is not given again who has been settled meanwhile.
      if (world.twin(key.split(":", 1)[0] ?? "").plan.external) return null;
      const first = bodies.get(key);
      if (first === undefined) bodies.set(key, body);
      return first === undefined || first === body ? null : `${key} has two bodies`;
    },
  };
}
