/** Prometheus' own reader of its formats: Debian's promtool, or whatever PROMTOOL names. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const PLACES = [process.env.PROMTOOL ?? "", "/usr/bin/promtool", "/usr/local/bin/promtool"];

/** Null where there is none, and the tests of it are left out. */
export const PROMTOOL = PLACES.find((path) => path !== "" && existsSync(path)) ?? null;

export const WITHOUT_PROMTOOL =
  "The tests of metrics and alert rules by promtool are not run: there is none. " +
  "Install it (apt-get install prometheus) or name one in the variable PROMTOOL, then run npm test.";

export type Verdict = { readonly code: number | null; readonly words: string };

/** @param input what it reads where a command reads from its standard input */
export function promtool(args: readonly string[], input = ""): Verdict {
  if (PROMTOOL === null) throw new Error(WITHOUT_PROMTOOL);
  const { status, stdout, stderr } = spawnSync(PROMTOOL, args, { input, encoding: "utf8" });
  return { code: status, words: `${stdout}${stderr}` };
}
