/** R-outbox: a dispatch counts as out only when the queue has taken it. */
import type { Checker } from "./checker.ts";

export function outbox(): Checker {
  return {
    name: "outbox",
    see(occurrence, world) {
      // Only the alarm and its continuations send; calls from outside can't mark anything as out.
      if (occurrence.type !== "committed" || occurrence.call !== null) return null;
      const { twin } = occurrence;
      const out = twin.rows<{ dispatch: number }>(
        "SELECT dispatch FROM dispatches WHERE state = 'out'",
      );
      const never = out.find(
        ({ dispatch }) =>
          !world.queue.taken.has(JSON.stringify({ v: 1, campaignId: twin.id, dispatch })),
      );
      return never === undefined
        ? null
        : `${twin.id}: dispatch ${never.dispatch} is out, and the queue never had it`;
    },
  };
}
