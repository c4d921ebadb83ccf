/** R-ack: a consumer acknowledges a message only when it has nothing in hand that isn't reported. */
import { isYes, reportOf, reserveOf } from "../occurrence.ts";
import type { Checker } from "./checker.ts";

export function acknowledged(): Checker {
  /** Grants each consumer holds by dispatch, and what it has acknowledged, by message. */
  const inHand = new Map<string, Set<string>>();
  return {
    name: "acknowledged",
    see(occurrence, world) {
      if (occurrence.type === "heard") {
        const { call, answer } = occurrence;
        const mine = inHand.get(call.caller) ?? new Set();
        inHand.set(call.caller, mine);
        const reserve = reserveOf(call, answer);
        if (reserve?.answer.granted === true) mine.add(`${call.object}:${reserve.answer.batch}`);
        const report = reportOf(call);
        const isOver = isYes(answer) || (answer as { ok: boolean } | null)?.ok === false;
        if (report !== null && "number" in report.batch && isOver) {
          mine.delete(`${call.object}:${report.batch.number}`);
        }
        return null;
      }
      if (occurrence.type !== "acknowledged") return null;
      const body = world.bodyOf(occurrence.messageId);
      const name = body === null ? "" : `${body.campaignId}:${body.dispatch}`;
      if (inHand.get(occurrence.caller)?.has(name) !== true) return null;
      return `${occurrence.caller} acknowledged ${occurrence.messageId} with ${name} in hand`;
    },
  };
}
