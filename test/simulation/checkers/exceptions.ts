/** R-throw: no method of an object throws anything that a fault doesn't explain. */
import type { Checker } from "./checker.ts";

export function exceptions(): Checker {
  return {
    name: "exceptions",
    see(occurrence) {
      if (occurrence.type !== "threw") return null;
      const { object, call, error } = occurrence;
      const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
      return `${object}.${call?.method ?? "alarm"}: ${stack.split("\n").slice(0, 6).join(" | ")}`;
    },
  };
}
