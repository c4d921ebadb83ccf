/** A campaign from the form to its end, by the page alone; the provider's own count is the truth. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { counted } from "../../src/dashboard/text/format.ts";
import { csvOf, openStage, OPERATOR, signIn, type Stage } from "./stage.ts";
import { addsUp, complaints, shownStats, watchStats } from "./watch.ts";

/** In flight are those whose lease has an end, which is five seconds off at the most. */
const NOTHING_MOVES = /^Nothing is (in flight|on its way)\./;

const FROM = "The Shop <news@shop.example>";
const TEXT = "Hello {{ firstName }}, spring has come.";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
}, 120_000);
afterAll(() => stage.stop());

/** A campaign that takes about `recipients / 50` seconds. */
async function campaign(id: string, recipients: number, more: object = {}): Promise<void> {
  const settings = { batchSize: 10, requestsPerSecond: 5, leaseSeconds: 5, pauseAtFailureRate: 1 };
  const draft = { id, name: `Campaign ${id}`, from: FROM, subject: "Spring", text: TEXT };
  await stage.api("POST", "/api/campaigns", { ...draft, settings: { ...settings, ...more } });
  await stage.api("POST", `/api/campaigns/${id}/recipients`, csvOf(recipients, id));
}

async function operator(path: string): Promise<{ page: Page; heard: string[] }> {
  const page = await stage.page();
  const heard = complaints(page);
  await signIn(page, OPERATOR, path);
  return { page, heard };
}

function button(page: Page, name: string | RegExp) {
  return page.getByRole("button", { name });
}

async function acceptedOf(id: string): Promise<unknown> {
  return stage.standIn.get(`counts?campaign=${id}`);
}

describe("an operator in the browser", () => {
  it("creates, uploads, starts and watches a campaign to its end", async () => {
    const { page, heard } = await operator("/");
    await page.getByRole("link", { name: "New campaign" }).click();
    await page.getByLabel("Name").fill("Spring sale");
    await page.getByLabel("Id", { exact: true }).fill("form");
    await page.getByLabel("From").fill(FROM);
    await page.getByLabel("Subject").fill("{{ firstName }}, spring has come");
    await page.getByLabel("Html").fill("<p>Hello {{ firstName }}</p>");
    await button(page, "Create draft").click();

    const buffer = Buffer.from(`${csvOf(40, "form")}not an address,x_1,Nobody\n`);
    const file = { name: "list.csv", mimeType: "text/csv", buffer };
    await page.getByLabel("File").setInputFiles(file);
    await button(page, "Upload list.csv").click();
    await page.getByText("40 recipients added.").waitFor();
    const problem = page.getByRole("region", { name: "Problems by line" });
    expect(await problem.innerText()).toMatch(/42\s+notOneAtSign/);

    await page.getByRole("link", { name: "Message" }).click();
    await page.getByText("Reader 1, spring has come").waitFor();
    const mail = page.frameLocator("iframe[title='Preview of the html']");
    await mail.getByText("Hello Reader 1").waitFor();

    await page.getByRole("link", { name: "Overview" }).click();
    await button(page, "Start …").click();
    await page.getByText(/^Mails 40 recipients/).waitFor();
    await button(page, "Start now").click();
    const seen = await watchStats(page, ({ sent }) => sent === 40);
    expect(seen.every(addsUp)).toBe(true);
    await page.getByText("Everybody has a final state.").waitFor();
    expect(await acceptedOf("form")).toEqual({ accepted: 40, addresses: 40, duplicates: 0 });
    expect(heard).toEqual([]);
  });

  it("G4: pauses at once, is told what is in flight, and goes on later", async () => {
    await campaign("pausing", 300);
    const { page, heard } = await operator("/?campaign=pausing");
    await button(page, "Start …").click();
    await button(page, "Start now").click();
    const moving = await watchStats(page, ({ sent }) => sent >= 50);
    expect(new Set(moving.map(({ sent }) => sent)).size).toBeGreaterThan(2);
    expect(moving.every(addsUp)).toBe(true);

    await button(page, "Pause").click();
    await page.getByText("Paused by the operator").waitFor();
    await page.getByText(NOTHING_MOVES).waitFor();
    const paused = await shownStats(page);
    await page.waitForTimeout(1500);
    expect(await shownStats(page)).toEqual(paused);
    expect(await acceptedOf("pausing")).toMatchObject({ accepted: paused.sent });

    await button(page, `Resume ${paused.remaining}`).click();
    await watchStats(page, ({ sent }) => sent === 300);
    expect(await acceptedOf("pausing")).toEqual({ accepted: 300, addresses: 300, duplicates: 0 });
    expect(heard).toEqual([]);
  });

  it("cancels, and is told first in numbers what that does", async () => {
    await campaign("ending", 300);
    await stage.api("POST", "/api/campaigns/ending/start", {});
    const { page } = await operator("/?campaign=ending");
    await watchStats(page, ({ sent }) => sent >= 20);
    await button(page, "Pause").click();
    await page.getByText(NOTHING_MOVES).waitFor();
    const { remaining, reserved, sent } = await shownStats(page);
    await button(page, "Cancel …").click();
    await page.getByText(`Cancels ${counted(remaining, "recipient")} not mailed yet.`).waitFor();
    await page.keyboard.press("Escape");
    // The focus goes back to where it came from, with the frame in which the dialog goes.
    await page.locator("button:focus", { hasText: "Cancel …" }).waitFor();
    await button(page, "Cancel …").click();
    await button(page, "Cancel the campaign").click();
    await page.getByText("will not be mailed.").waitFor();
    const end = await shownStats(page);
    // Whoever waited for another try was never accepted, or is left in doubt.
    expect(end.cancelled + end.inDoubt).toBe(remaining + reserved);
    expect(end).toMatchObject({ sent, remaining: 0, reserved: 0 });
  });

  it("replays a failure once its cause is gone", async () => {
    await stage.standIn.configure({ refuseAddresses: ["failing3@mail.example"] });
    await campaign("failing", 10);
    await stage.api("POST", "/api/campaigns/failing/start", {});
    const { page, heard } = await operator("/?campaign=failing");
    await watchStats(page, ({ failed, sent }) => failed === 1 && sent === 9);
    await page.getByRole("link", { name: /Problems/ }).click();
    await page.getByRole("link", { name: "failing3@mail.example" }).waitFor();
    await stage.standIn.configure({ refuseAddresses: [] });
    await button(page, "Replay all …").click();
    await page.getByText("Puts 1 failed recipient back to be mailed").waitFor();
    await button(page, "Replay 1").click();
    await page.getByRole("link", { name: "Overview" }).click();
    await watchStats(page, ({ sent }) => sent === 10);
    expect(await acceptedOf("failing")).toEqual({ accepted: 10, addresses: 10, duplicates: 0 });
    expect(heard).toEqual([]);
  });

  it("settles doubts by hand", async () => {
    await stage.standIn.fault({
      do: "acceptThenDrop",
      match: { address: "doubtful3@mail.example" },
    });
    await campaign("doubtful", 20, { idempotencyWindowSeconds: 0 });
    await stage.api("POST", "/api/campaigns/doubtful/start", {});
    const { page } = await operator("/?campaign=doubtful");
    await watchStats(page, ({ inDoubt, sent }) => inDoubt === 10 && sent === 10);
    await page.getByRole("link", { name: /Problems/ }).click();
    await page.getByLabel("Choose everybody shown").check();
    await button(page, "Settle 10 as sent …").click();
    await button(page, "Settle as sent").click();
    await page.getByText("No problems").waitFor();
    await page.getByRole("link", { name: "History" }).click();
    await page.getByText("10 doubts settled as sent").waitFor();
  });

  it("G7: is shown the right numbers again after the server was killed", async () => {
    await campaign("killed", 300);
    await stage.api("POST", "/api/campaigns/killed/start", {});
    const { page, heard } = await operator("/?campaign=killed");
    await page.getByText("Sent over time").waitFor();
    const before = await watchStats(page, ({ sent }) => sent >= 50);
    await stage.killWorker();
    await page.getByText("connection lost").waitFor();
    await stage.startWorker();
    await page.getByText("live", { exact: true }).waitFor({ timeout: 30_000 });
    const after = await watchStats(page, ({ sent }) => sent === 300, 60_000);
    const sent = [...before, ...after].map((shown) => shown.sent);
    expect(sent).toEqual(sent.toSorted((left, right) => left - right));
    expect(after.every(addsUp)).toBe(true);
    expect(await acceptedOf("killed")).toEqual({ accepted: 300, addresses: 300, duplicates: 0 });
    expect(heard).toEqual([]);
  });
});

describe("two who change a draft at once", () => {
  it("are told of each other, and nothing that one of them has typed is lost", async () => {
    await campaign("shared", 1);
    const { page, heard } = await operator("/?campaign=shared&tab=message");
    await button(page, "Edit …").click();
    await page.getByLabel("Subject").fill("Mine");
    // Numbers that move meanwhile are no change of the draft, and nobody is asked about them.
    await stage.api("POST", "/api/campaigns/shared/recipients", csvOf(2, "late"));
    await stage.api("PATCH", "/api/campaigns/shared", { subject: "Theirs", name: "Renamed" });
    await button(page, "Save").click();
    await page.getByText("Somebody else has changed this draft meanwhile").waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("Renamed");
    // A look at another view and a session that is over keep what was typed.
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByText("Sent over time").waitFor();
    await page.getByRole("link", { name: "Message" }).click();
    await page.context().clearCookies();
    await button(page, "Save").click();
    await page.getByLabel("Token").fill(OPERATOR);
    await button(page, "Sign in").click();
    expect(await page.getByLabel("Subject").inputValue()).toBe("Mine");
    const before = await stage.api("GET", "/api/campaigns/shared");
    expect(before).toMatchObject({ subject: "Theirs", name: "Renamed" });
    await button(page, "Take theirs for Subject").click();
    await page.getByLabel("Plain text").fill("Mine too");
    await button(page, "Save").click();
    await button(page, "Edit …").waitFor();
    const after = await stage.api("GET", "/api/campaigns/shared");
    expect(after).toMatchObject({ subject: "Theirs", name: "Renamed", text: "Mine too" });
    expect(heard).toEqual([]);
  });

  it("keep the form where one of them starts it", async () => {
    await campaign("begun", 1);
    const { page } = await operator("/?campaign=begun&tab=message");
    await button(page, "Edit …").click();
    await page.getByLabel("Subject").fill("Too late");
    await stage.api("POST", "/api/campaigns/begun/start", {});
    await page.getByText("What you typed is still here.").waitFor();
    expect(await page.getByLabel("Subject").inputValue()).toBe("Too late");
    expect(await button(page, "Save").isDisabled()).toBe(true);
  });
});

describe("a network that was gone", () => {
  it("leaves no notice behind, and an action that may have been lost is not repeated", async () => {
    await campaign("offline", 1);
    const { page } = await operator("/?campaign=offline");
    await page.getByText("live", { exact: true }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole("link", { name: "Recipients" }).click();
    await page.getByText("can't be reached").waitFor();
    await button(page, "Look up").click();
    await page.context().setOffline(false);
    await page.getByRole("link", { name: "offline1@mail.example" }).waitFor();
    expect(await page.getByText("can't be reached").count()).toBe(0);
    await stage.api("POST", "/api/campaigns/offline/start", {});
    await page.getByText("Finished").first().waitFor();
  });

  it("says of an action that it has to be looked at", async () => {
    await campaign("unheard", 100);
    await stage.api("POST", "/api/campaigns/unheard/start", {});
    const { page } = await operator("/?campaign=unheard");
    await page.getByText("live", { exact: true }).waitFor();
    await page.context().setOffline(true);
    await button(page, "Pause").click();
    await page.getByText("can't be reached").waitFor();
    await page.context().setOffline(false);
    await page.getByText("The server is back.").waitFor();
    expect(await page.getByText("can't be reached").count()).toBe(0);
    await button(page, "Close").click();
    await page.getByText("The server is back.").waitFor({ state: "detached" });
  });
});

describe("a person", () => {
  it("G6: is suppressed, let in again and erased by the page", async () => {
    await campaign("people", 3);
    const { page, heard } = await operator("/?people");
    await page.getByLabel("Address", { exact: true }).fill("People2@MAIL.example");
    await page.keyboard.press("Enter");
    const held = page.getByRole("region", { name: "people2@mail.example" });
    await held.getByText("May be mailed.").waitFor();
    await button(page, "Never mail …").click();
    await button(page, "Never mail it").click();
    await held.getByText("Is not mailed: by an operator").waitFor();
    await page.getByRole("rowheader", { name: "people2@mail.example" }).waitFor();
    const { stats } = await stage.api("GET", "/api/campaigns/people/delivery-status");
    expect(stats).toMatchObject({ suppressed: 1, remaining: 2 });
    await button(page, "Let be mailed again …").click();
    await button(page, "Let it be mailed").click();
    await held.getByText("May be mailed.").waitFor();
    await button(page, "Erase …").click();
    await page.getByLabel("I have what I need of it").check();
    await page.getByRole("button", { name: "Erase", exact: true }).click();
    await held.getByText("Erased from 1 campaign").waitFor();
    await held.getByText("No campaign holds anything about this address").waitFor();
    expect(heard).toEqual([]);
  });
});
