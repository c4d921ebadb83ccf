/** The page of the contract, in a browser with and without scripts. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStage, type Stage } from "./stage.ts";
import { complaints, violations } from "./watch.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
}, 120_000);
afterAll(() => stage.stop());

const DEVICES = [
  ["a desk in the light", { colorScheme: "light" }],
  ["a desk in the dark", { colorScheme: "dark" }],
  ["a phone", { colorScheme: "light", viewport: { width: 360, height: 740 } }],
  ["a phone in the dark", { colorScheme: "dark", viewport: { width: 360, height: 740 } }],
] as const;

describe("R-contract: /docs", () => {
  it.each(DEVICES)("breaks no rule and asks nobody else, on %s", async (_, options) => {
    const page = await stage.page(options);
    const heard = complaints(page);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    const answer = await page.goto("/docs");
    expect(answer?.headers()["content-security-policy"]).toContain("default-src 'none'");
    await page.getByRole("heading", { name: "Create a draft" }).waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(
      page.viewportSize()?.width ?? 0,
    );
    await page.evaluate(
      "for (const each of document.querySelectorAll('details')) each.open = true",
    );
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(
      page.viewportSize()?.width ?? 0,
    );
    expect(heard).toEqual([]);
    expect(asked.filter((url) => !url.startsWith(stage.url))).toEqual([]);
    expect(asked.length).toBeGreaterThan(1);
  });

  // What is seen of it closed is seen open too, in each of the colours; only its order is another.
  it("breaks no rule while everything in it is closed", async () => {
    const page = await stage.page();
    await page.goto("/docs");
    await page.getByRole("heading", { name: "Create a draft" }).waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it("is read and walked by keyboard in a browser without scripts", async () => {
    const page = await stage.page({ javaScriptEnabled: false });
    await page.goto("/docs");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${stage.url}/docs#content`);
    await page.getByRole("link", { name: "Pause", exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(`${stage.url}/docs#pauseCampaign`);
    const pause = page.getByRole("article", { name: "Pause", exact: true });
    await pause.getByText("While it sends").focus();
    await page.keyboard.press("Enter");
    await pause.getByText('curl -X POST "$ORIGIN/api/campaigns/spring/pause"').waitFor();
    await pause.getByText("ways to be refused").focus();
    await page.keyboard.press("Enter");
    await pause.getByRole("link", { name: "viewerOnly" }).click();
    await page.getByRole("article", { name: "viewerOnly 403" }).waitFor();
  });
});
