/** The page behind the link of a mail, in a browser that runs no scripts. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { csvOf, openStage, type Stage } from "./stage.ts";
import { violations } from "./watch.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
}, 120_000);
afterAll(() => stage.stop());

type Accepted = { readonly headers: Readonly<Record<string, string>>; readonly to: unknown };

/** Sends a campaign to one person and gives the link of the mail as the provider took it. */
async function linkOfAMail(): Promise<string> {
  const from = "The Shop <news@shop.example>";
  const draft = { id: "leaving", name: "Leaving", from, subject: "Hello", text: "Hello" };
  await stage.api("POST", "/api/campaigns", draft);
  await stage.api("POST", "/api/campaigns/leaving/recipients", csvOf(1, "leaver"));
  await stage.api("POST", "/api/campaigns/leaving/start", {});
  for (;;) {
    const log = await stage.standIn.get("log?kind=accepted");
    const [mail] = (log as { records: Accepted[] }).records;
    const header = mail?.headers["List-Unsubscribe"];
    if (header !== undefined) return header.slice(1, -1);
  }
}

async function suppressed(): Promise<unknown[]> {
  const { items } = await stage.api("GET", "/api/suppressions");
  return items as unknown[];
}

describe("the unsubscribe page", () => {
  it("C61, G6: changes nothing until its button is pressed, and breaks no rule of axe", async () => {
    const link = await linkOfAMail();
    const judged = await stage.page();
    await judged.goto(link);
    expect(await violations(judged)).toEqual([]);
    expect(await suppressed()).toEqual([]);

    const page = await stage.page({ javaScriptEnabled: false });
    await page.goto(link);
    await page.getByRole("button", { name: "Unsubscribe" }).click();
    await page.getByText("You will get no more mails from this sender at this address.").waitFor();
    expect(await suppressed()).toMatchObject([{ reason: "unsubscribe" }]);
    expect(await violations(judged)).toEqual([]);
  });
});
