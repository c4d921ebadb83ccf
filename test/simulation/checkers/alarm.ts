/**
 * R-alarm: while a deadline exists an alarm stands that is not later; after the end none stands.
 *
 * How many dispatches may be out is in the object's memory, and learnt here from the same calls. A new
 * life knows nothing of it and may send at once; until it is asked, the alarm of the one before stands.
 */
import { BACKOFF_FIRST_SECONDS, DISPATCH_WINDOW } from "../../../src/domain/limits.ts";
import { type Occurrence, reserveOf } from "../occurrence.ts";
import { MOST_SKEW_MILLISECONDS } from "../plan.ts";
import type { Checker } from "./checker.ts";

function learn(occurrence: Occurrence): void {
  const { type } = occurrence;
  if ((type !== "committed" && type !== "done") || occurrence.twin === null) return;
  const { call, twin, now } = occurrence;
  // Known with its commit, and without one where the dispatch had been answered.
  if (call?.method === "postpone") {
    const [, wait, room = DISPATCH_WINDOW] = call.args as [number, number, number?];
    twin.ledger.window.wentBack(now + wait, room);
  }
  if (type !== "done") return;
  const reserve = reserveOf(occurrence.call, occurrence.answer);
  if (reserve?.answer.granted === true) twin.ledger.window.granted();
}

export function alarm(): Checker {
  return {
    name: "alarm",
    see(occurrence, world) {
      learn(occurrence);
      if (occurrence.type !== "committed") return null;
      const { twin, now } = occurrence;
      if (twin.object.alarmIsAbandoned) return `${twin.id}: the platform has given the alarm up`;
      const deadline = twin.ledger.outlook(now)?.work ?? null;
      if (deadline === null) return null;
      if (!twin.object.hasAlarm) return `${twin.id}: a deadline and no alarm`;
      const at = twin.object.alarmTime;
      if (at === null || twin.object.alarmIsRetry) return null;
      // An alarm that has failed comes again a little later, whatever is due; and one that was set
      // under another clock comes when that said so.
      const jumped = world.plan.faults.has("clockJump") ? 2 * MOST_SKEW_MILLISECONDS : 0;
      const late = BACKOFF_FIRST_SECONDS * 1000 + jumped;
      if (at <= Math.max(deadline, now) + late) return null;
      return `${twin.id}: the alarm comes ${at - deadline} ms after the deadline`;
    },
    rest(world) {
      const twin = world.twins.find((each) => each.object.hasAlarm);
      return twin === undefined ? null : `${twin.id}: an alarm stands after the end`;
    },
  };
}
