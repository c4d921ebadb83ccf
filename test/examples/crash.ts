/**
 * Two moments in which a worker is killed, as the kernel does when memory runs out: at once and
 * without a word. `beforeCall` is when everything is written down and nobody is mailed yet;
 * `afterAcceptance` is when the provider has everybody and nobody knows yet.
 */
export const MOMENTS = ["beforeCall", "afterAcceptance"] as const;
export type Moment = (typeof MOMENTS)[number];

let calls = 0;

/** Counts the calls of this process, and kills it at the moment that its environment names. */
export function mayCrash(moment: Moment): void {
  if (moment === "beforeCall") calls += 1;
  const [when, call] = (process.env["CRASH_AT"] ?? "").split("@");
  if (when === moment && Number(call) === calls) process.kill(process.pid, "SIGKILL");
}
