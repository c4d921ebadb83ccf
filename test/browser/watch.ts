/** What a test reads off a page: the numbers of a campaign, and what axe finds wrong with it. */
import axe from "axe-core";
import type { Page } from "playwright-core";

const STATS = [
  "sent",
  "failed",
  "inDoubt",
  "suppressed",
  "cancelled",
  "reserved",
  "remaining",
] as const;

export type Shown = Readonly<Record<(typeof STATS)[number] | "total", number>>;

/** All numbers of the legend at one moment. */
export async function shownStats(page: Page): Promise<Shown> {
  const read = `[...document.querySelectorAll("[data-stat]")].map(
    (each) => [each.dataset.stat, Number(each.textContent.replaceAll(",", ""))])`;
  const entries = await page.evaluate(read);
  return Object.fromEntries(entries as [string, number][]) as Shown;
}

/** SPEC G5, as a reader of the page would check it. */
export function addsUp(shown: Shown): boolean {
  return STATS.reduce((sum, name) => sum + shown[name], 0) === shown.total;
}

/** Reads until `holds`, and gives everything that was read on the way. */
export async function watchStats(
  page: Page,
  holds: (shown: Shown) => boolean,
  withinMilliseconds = 30_000,
): Promise<readonly Shown[]> {
  const seen: Shown[] = [];
  const until = Date.now() + withinMilliseconds;
  while (Date.now() < until) {
    const shown = await shownStats(page);
    // Nothing is shown before the page has its first answer.
    if (!("total" in shown)) continue;
    seen.push(shown);
    if (holds(shown)) return seen;
    await page.waitForTimeout(100);
  }
  throw new Error(`not within ${withinMilliseconds} ms: ${JSON.stringify(seen.at(-1))}`);
}

/** The rules that a page breaks, each with the elements that do. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  // A sandboxed mail runs no script, so axe can't look into it; it is not ours to judge either.
  const run = `axe.run({ exclude: [".mail-frame"] }).then(({ violations }) => violations.map(
    ({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" ")))`;
  return page.evaluate<string[]>(run);
}

/** Collects what a page's own scripts or policy complain about. */
export function complaints(page: Page): string[] {
  const found: string[] = [];
  page.on("pageerror", (error) => found.push(error.message));
  page.on("console", (message) => {
    const text = message.text();
    // Refusals that a test provokes, and a server that it kills, are told by the browser too.
    const isExpected = /Failed to load resource|WebSocket connection to|net::ERR_/.test(text);
    if (message.type() === "error" && !isExpected) found.push(text);
  });
  return found;
}
