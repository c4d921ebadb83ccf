/** Every page: nothing that axe finds fault with, nothing that its policy refuses, and a picture. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { csvOf, openStage, OPERATOR, picture, signIn, VIEWER, type Stage } from "./stage.ts";
import { complaints, violations, watchStats } from "./watch.ts";

const HTML = `<div style="max-width: 560px; margin: 0 auto; font-family: Georgia, serif">
<h1 style="color: #0f5c4d">Spring has come</h1>
<p>Hello {{ firstName | default: "there" }},</p>
<p>everything for the garden is 20 % off this week.</p></div>`;
const MESSAGE = {
  from: "The Shop <news@shop.example>",
  subject: '{{ firstName | default: "Hello" }}, spring has come',
  html: HTML,
};

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  await fill(stage);
}, 180_000);
afterAll(() => stage.stop());

/** One campaign in each of the states that look different. */
async function fill(on: Stage): Promise<void> {
  const { standIn } = on;
  const api: Stage["api"] = (method, path, body) => on.api(method, path, body);
  const create = async (id: string, name: string, recipients: number, settings: object) => {
    await api("POST", "/api/campaigns", { id, name, ...MESSAGE, settings });
    if (recipients > 0) await api("POST", `/api/campaigns/${id}/recipients`, csvOf(recipients, id));
  };
  await standIn.configure({ refuseAddresses: ["invoices33@mail.example"] });
  // Nothing was accepted, so that asking the provider settles nobody; but that is known here alone.
  await standIn.fault({ do: "dropBefore", match: { address: "invoices7@mail.example" } });
  const unkeyed = { batchSize: 10, idempotencyWindowSeconds: 0, pauseAtFailureRate: 1 };
  await create("invoices", "Invoice reminder", 240, unkeyed);
  await api("POST", "/api/campaigns/invoices/start", {});
  await create("welcome", "Welcome, November", 0, {});
  await create("spring", "Spring sale", 12_480, { pauseAtFailureRate: 1 });
  await finished("invoices");
  const log = await standIn.log("accepted");
  const ids = log.map((record) => String(record.id));
  for (const id of ids.slice(0, 40)) await on.webhook("email.delivered", id);
  for (const id of ids.slice(40, 43)) await on.webhook("email.bounced", id);
}

async function finished(id: string): Promise<void> {
  for (;;) {
    const status = await stage.api("GET", `/api/campaigns/${id}/delivery-status`);
    if (status.state === "finished") return;
    await new Promise((done) => setTimeout(done, 100));
  }
}

/** Waits for a sign of the page's own content, so that nothing is judged half-way. */
async function visit(page: Page, path: string, sign: string): Promise<void> {
  await page.goto(path);
  await page.getByText(sign).first().waitFor();
  await page.waitForLoadState("networkidle");
}

const STORY = "/?campaign=invoices&tab=recipients&recipient=invoices_7";
const PAGES: readonly (readonly [path: string, sign: string])[] = [
  ["/", "Invoice reminder"],
  ["/?new", "Create draft"],
  ["/?people", "Not mailed by any campaign"],
  ["/?campaign=invoices", "Sent over time"],
  ["/?campaign=invoices&tab=recipients", "invoices1@mail.example"],
  [STORY, "What has happened"],
  ["/?campaign=invoices&tab=problems", "10 recipients in doubt"],
  ["/?campaign=invoices&tab=message", "spring has come"],
  ["/?campaign=invoices&tab=history", "Finished: 229 sent, 1 failed, 10 in doubt"],
  ["/?campaign=welcome", "Nobody to mail yet."],
  ["/?campaign=welcome&tab=recipients", "No recipients yet"],
  ["/?campaign=welcome&tab=message", "as it was written"],
  ["/?campaign=nobody", "There is no campaign with this id."],
];

describe.each(["light", "dark"] as const)("in %s", (colorScheme) => {
  it("no page breaks a rule of axe or its own policy", async () => {
    const page = await stage.page({ colorScheme });
    const heard = complaints(page);
    await page.goto("/");
    await page.getByLabel("Token").waitFor();
    expect(await violations(page)).toEqual([]);
    await signIn(page, OPERATOR);
    for (const [path, sign] of PAGES) {
      await visit(page, path, sign);
      expect({ path, broken: await violations(page) }).toEqual({ path, broken: [] });
    }
    expect(heard).toEqual([]);
  });

  it("a dialog keeps the rules as well, on a phone too", async () => {
    const page = await stage.page({ colorScheme, viewport: { width: 390, height: 844 } });
    await signIn(page, OPERATOR, "/?campaign=welcome");
    for (const name of ["Start …", "Cancel …", "Erase …"]) {
      await page.getByRole("button", { name }).click();
      await page.getByRole("dialog").waitFor();
      expect({ name, broken: await violations(page) }).toEqual({ name, broken: [] });
      await page.keyboard.press("Escape");
    }
  });
});

describe("a narrow screen", () => {
  // 320 px are also a wide screen at 400 % (WCAG 2.2, 1.4.10 Reflow).
  it("has no page that is wider than it", async () => {
    const page = await stage.page({ viewport: { width: 320, height: 640 } });
    await signIn(page, OPERATOR, "/");
    for (const [path, sign] of PAGES) {
      await visit(page, path, sign);
      const width = await page.evaluate<number>("document.documentElement.scrollWidth");
      expect({ path, isWider: width > 320 }).toEqual({ path, isWider: false });
    }
  });
});

describe("a viewer", () => {
  it("sees every page and has no button that changes anything", async () => {
    const page = await stage.page();
    await signIn(page, VIEWER, "/");
    expect(await page.getByRole("link", { name: "New campaign" }).count()).toBe(0);
    const harmless = /^(Sign out|Look up|Show|More|Close|×|Try again)$/;
    for (const [path, sign] of PAGES.filter(([each]) => each !== "/?new")) {
      await visit(page, path, sign);
      const names = await page.getByRole("button").allInnerTexts();
      const found = { path, names: names.filter((name) => !harmless.test(name)) };
      expect(found).toEqual({ path, names: [] });
    }
  });
});

describe("sessions", () => {
  it("refuse a wrong token, keep the right one from scripts, and end with the way out", async () => {
    const page = await stage.page();
    await page.goto("/?campaign=invoices");
    await page.getByLabel("Token").fill("a guess");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("This token is not one of the service's.").waitFor();
    await page.getByLabel("Token").fill(OPERATOR);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Invoice reminder" }).waitFor();
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });
    expect(await page.evaluate("document.cookie")).toBe("");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Token").waitFor();
    expect(await page.context().cookies()).toEqual([]);
  });

  it("that are over lead back to where one was", async () => {
    const page = await stage.page();
    await signIn(page, OPERATOR, "/?campaign=invoices");
    // What is still being asked for would be refused before the click, and take the link away.
    await page.waitForLoadState("networkidle");
    await page.context().clearCookies();
    await page.getByRole("link", { name: "History" }).click();
    await page.getByText("Your session is over.").waitFor();
    await page.getByLabel("Token").fill(VIEWER);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "History" }).waitFor();
  });
});

describe("a mail in its frame", () => {
  it("runs no script and can't reach the page around it", async () => {
    const html =
      "<p id='p'>Hello</p><script>document.getElementById('p').textContent='owned'</script>" +
      "<img src='x' onerror=\"document.getElementById('p').textContent='owned'\">";
    const draft = { ...MESSAGE, id: "hostile", name: "Hostile", html };
    await stage.api("POST", "/api/campaigns", draft);
    const page = await stage.page();
    await signIn(page, OPERATOR, "/?campaign=hostile&tab=message");
    const mail = page.frameLocator("iframe[title='Preview of the html']");
    await mail.getByText("Hello").waitFor();
    await page.waitForLoadState("networkidle");
    expect(await mail.locator("#p").innerText()).toBe("Hello");
  });
});

describe("finding somebody", () => {
  it.each(["invoices_33", "Invoices33@MAIL.example"])("works by %s", async (wanted) => {
    const page = await stage.page();
    await signIn(page, VIEWER, "/?campaign=invoices&tab=recipients");
    await page.getByLabel("Id or address").fill(wanted);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByText("Refused by the provider").waitFor();
  });

  it("says who is not there", async () => {
    const page = await stage.page();
    await signIn(page, VIEWER, "/?campaign=invoices&tab=recipients");
    await page.getByLabel("Id or address").fill("nobody@mail.example");
    await page.keyboard.press("Enter");
    await page.getByText("Nobody here has the id or address nobody@mail.example.").waitFor();
  });
});

describe("pictures", () => {
  it("of the pages that matter, for the README", async () => {
    const page = await stage.page();
    await signIn(page, OPERATOR, "/?campaign=spring");
    await page.getByRole("button", { name: "Start …" }).click();
    await page.getByRole("button", { name: "Start now" }).click();
    await watchStats(page, ({ sent }) => sent > 5_000);
    await picture(page, "sending");
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("Paused by the operator").waitFor();
    await visit(page, "/", "Spring sale");
    await picture(page, "campaigns");
    await visit(page, "/?campaign=invoices&tab=problems", "10 recipients in doubt");
    await picture(page, "problems");
    await visit(page, STORY, "What has happened");
    await picture(page, "recipient");

    const viewport = { width: 390, height: 844 };
    const phone = await stage.page({ viewport, colorScheme: "dark" });
    await signIn(phone, VIEWER, "/?campaign=invoices");
    await phone.getByText("live", { exact: true }).waitFor();
    await picture(phone, "phone-dark");
  });
});
