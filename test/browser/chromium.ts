/** The browser of the browser tests: Debian's Chromium, or whatever CHROMIUM names. */
import { existsSync } from "node:fs";

const PLACES = [process.env.CHROMIUM ?? "", "/usr/bin/chromium", "/usr/bin/google-chrome"];

/** Null where there is none, and the browser tests are left out. */
export const CHROMIUM = PLACES.find((path) => path !== "" && existsSync(path)) ?? null;

export const WITHOUT_CHROMIUM =
  "The browser tests are not run: there is no Chromium. " +
  "Install it (apt-get install chromium) or name one in the variable CHROMIUM, then run npm test.";
