/**
 * R-alarm: while a deadline exists an alarm stands that is not later; after the end none stands.
 *
 * How many dispatches may be out is in the object's memory, and learnt here from the same calls. A new
 * life knows only what the rows say; until it is asked, the alarm of the one before stands.
 */
import { BACKOFF_FIRST_SECONDS } from "../../../src/domain/limits.ts";
import { type Occurrence, reserveOf } from "../occurrence.ts";
import { MOST_SKEW_MILLISECONDS } from "../plan.ts";
import type { Life, Twin } from "../twin.ts";
import type { Checker } from "./checker.ts";

function learn(occurrence: Occurrence): void {
  const { type } = occurrence;
  if ((type !== "committed" && type !== "done") || occurrence.twin === null) return;
  const { call, twin, now } = occurrence;
  const window = () => twin.lives[0]?.ledger.window;
  // Known with its commit, and without one where the dispatch had been answered.
  const [, wait, room] = (call?.method === "postpone" ? call.args : []) as [
    number?,
    number?,
    number?,
  ];
  if (wait !== undefined && room !== undefined) window()?.wentBack(now + wait, room);
  if (type !== "done") return;
  const reserve = reserveOf(occurrence.call, occurrence.answer);
  if (reserve?.answer.granted === true) window()?.granted();
}

/** The latest that one of the lives may go by; null: one of them goes by none. */
function deadlineOf(lives: readonly Life[], now: number): number | null {
  const deadlines = lives.map(({ ledger }) => ledger.outlook(now)?.work ?? null);
  return deadlines.reduce((latest, at) =>
    latest === null || at === null ? null : Math.max(latest, at),
  );
}

export function alarm(): Checker {
  const alarms = new Map<Twin, number | null>();

  /** @returns the lives by whose knowledge the alarm may stand */
  function livesOf(twin: Twin): readonly Life[] {
    const { lives } = twin;
    const at = twin.object.alarmTime;
    if (alarms.get(twin) !== at && lives[0] !== undefined) lives[0].hasSetAlarm = true;
    alarms.set(twin, at);
    return lives;
  }

  return {
    name: "alarm",
    see(occurrence, world) {
      learn(occurrence);
      if (occurrence.type !== "committed") return null;
      const { twin, now } = occurrence;
      if (twin.object.alarmIsAbandoned) return `${twin.id}: the platform has given the alarm up`;
      const deadline = deadlineOf(livesOf(twin), now);
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
