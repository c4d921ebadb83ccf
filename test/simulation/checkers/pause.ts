/** G4: once a pause has answered, no reservation is granted before somebody has it go on. */
import { isYes, reserveOf } from "../occurrence.ts";
import type { Checker } from "./checker.ts";

/** Commands that let a paused campaign, or one that finished while it was paused, go on. */
const GOES_ON = new Set(["resume", "replay"]);

export function pause(): Checker {
  /** How often each campaign was told to go on. */
  const goes = new Map<string, number>();
  /** How often it had been told so when a pause was done, by the number of that call. */
  const whenPaused = new Map<number, number>();
  const paused = new Set<string>();
  return {
    name: "pause",
    see(occurrence) {
      if (occurrence.type === "asked" && GOES_ON.has(occurrence.call.method)) {
        const { object } = occurrence.call;
        goes.set(object, (goes.get(object) ?? 0) + 1);
        paused.delete(object);
      }
      if (occurrence.type === "done" && occurrence.call.method === "pause") {
        whenPaused.set(occurrence.call.number, goes.get(occurrence.call.object) ?? 0);
      }
      if (occurrence.type === "heard" && occurrence.call.method === "pause") {
        const { object, number } = occurrence.call;
        const isStill = whenPaused.get(number) === (goes.get(object) ?? 0);
        if (isStill && isYes(occurrence.answer)) paused.add(object);
      }
      if (occurrence.type !== "done" || !paused.has(occurrence.call.object)) return null;
      const reserve = reserveOf(occurrence.call, occurrence.answer);
      if (reserve === null || !reserve.answer.granted) return null;
      return `${occurrence.call.object} granted batch ${reserve.answer.batch} while paused`;
    },
  };
}
