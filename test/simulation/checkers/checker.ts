/** The form of a checker: one invariant, told of everything that happens. */
import type { Occurrence } from "../occurrence.ts";
import type { World } from "../world.ts";

export interface Checker {
  readonly name: string;
  /** Says what is wrong, or null. */
  see(occurrence: Occurrence, world: World): string | null;
  /** Says what is wrong once everything is over, or null. */
  rest?(world: World): string | null;
}
