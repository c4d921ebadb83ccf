/**
 * The typed client in a page of the deployment's own origin: the module that the package holds, with
 * the session's cookie in place of a token, over a connection on which a browser streams no request.
 */
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { FOR_IMPORT } from "../../src/package/modules.ts";
import { csvOf, openStage, OPERATOR, signIn, type Stage } from "./stage.ts";
import { complaints } from "./watch.ts";

const MODULE = "/sendonce-client.js";
type Seen = { readonly version: number; readonly state: string; readonly sent: number };

let stage: Stage;
let module: string;

beforeAll(async () => {
  const entryPoints = ["src/client/client.ts"];
  const [built] = (await build({ ...FOR_IMPORT, entryPoints, write: false })).outputFiles;
  module = built?.text ?? "";
  stage = await openStage();
}, 180_000);
afterAll(() => stage.stop());

/** A page with a session, and with the client in its `window`. */
async function pageWithClient(): Promise<{ page: Page; sockets: string[] }> {
  const page = await stage.page();
  const sockets: string[] = [];
  page.on("websocket", (socket) => sockets.push(new URL(socket.url()).pathname));
  await page.route(`**${MODULE}`, (route) =>
    route.fulfill({ contentType: "text/javascript", body: module }),
  );
  await signIn(page, OPERATOR);
  await page.evaluate(`import("${MODULE}").then((client) => { window.sendonce = client; })`);
  return { page, sockets };
}

describe("the client in a browser", () => {
  it("G1: creates, uploads, starts, and watches through the death of the server", async () => {
    const { page, sockets } = await pageWithClient();
    const found = complaints(page);
    const enrolled = await page.evaluate(`(async () => {
      const { SendonceClient } = window.sendonce;
      const api = new SendonceClient({ url: location.origin });
      await api.create({ id: "page", name: "From a page", from: "Shop <news@shop.example>",
        subject: "Hello", text: "Hi.", settings: { batchSize: 10, requestsPerSecond: 5 } });
      async function* people() {
        for (let at = 1; at <= 100; at += 1) yield { email: "p" + at + "@mail.example" };
      }
      const list = new File([${JSON.stringify(csvOf(100))}], "list.csv", { type: "text/csv" });
      const reports = [
        await api.upload("page", { recipients: people() }),
        await api.upload("page", { body: list }),
      ];
      await api.start("page");
      return reports.map(({ added }) => added);
    })()`);
    expect(enrolled).toEqual([100, 100]);

    const seen = page.evaluate<Seen[]>(`(async () => {
      const api = new window.sendonce.SendonceClient({ url: location.origin });
      const seen = [];
      for await (const message of api.watch("page", { untilOver: true })) {
        if (message.type === "event") continue;
        const { version, state, stats } = message.status;
        window.sentSoFar = stats.sent;
        seen.push({ version, state, sent: stats.sent });
      }
      return seen;
    })()`);
    // The page's policy allows no eval, which waiting for a function needs.
    while (!(await page.evaluate<boolean>("window.sentSoFar >= 50"))) await page.waitForTimeout(50);
    await stage.killWorker();
    await stage.startWorker();
    const statuses = await seen;
    const versions = statuses.map(({ version }) => version);
    expect(versions).toEqual([...new Set(versions)].toSorted((left, right) => left - right));
    expect(statuses.at(-1)).toMatchObject({ state: "finished", sent: 200 });
    expect(sockets.filter((path) => path === "/api/campaigns/page/live").length).toBeGreaterThan(1);
    expect(await stage.standIn.counts()).toMatchObject({ accepted: 200, duplicates: 0 });
    expect(found).toEqual([]);
  });

  it("with a token it asks instead, since a page's socket can't carry one", async () => {
    const { page, sockets } = await pageWithClient();
    const before = sockets.length;
    const told = await page.evaluate(`(async () => {
      const { SendonceClient, resultOf } = window.sendonce;
      const api = new SendonceClient({ url: location.origin, token: "${OPERATOR}" });
      const seen = [];
      for await (const message of api.watch("page", { untilOver: true })) seen.push(message.type);
      const listed = [];
      for await (const { id } of api.recipients("page", { limit: 70 })) listed.push(id);
      const csv = await new Response(await api.exportRecipients("page")).text();
      const refused = await resultOf(api.start("page"));
      return { seen, listed: listed.length, rows: csv.trimEnd().split("\\r\\n").length,
        code: refused.ok ? null : refused.error.code };
    })()`);
    expect(told).toEqual({ seen: ["snapshot"], listed: 200, rows: 201, code: "wrongState" });
    expect(sockets.length).toBe(before);
  });
});
