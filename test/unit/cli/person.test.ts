import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { command, type Said } from "./capture.ts";
import { FakeServer } from "./fake-server.ts";

const PATH = "/api/people/ada%40example.org";
let server: FakeServer;
const ask = (...args: string[]): Promise<Said> =>
  command(["person", ...args], { env: { SENDONCE_URL: server.url, SENDONCE_TOKEN: "secret" } });

beforeAll(async () => {
  server = new FakeServer();
  await server.listen();
});
afterAll(() => server.close());

describe("person", () => {
  it("export is what the server holds, as JSON", async () => {
    const held = { address: "ada@example.org", suppression: null, erasedAt: null, campaigns: [] };
    server.answers(`GET ${PATH}`, { body: held });
    const said = await ask("export", "ada@example.org");
    expect(said).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(said.out)).toEqual(held);
  });

  it("erase wants --yes, and asks nothing before", async () => {
    server.asked.length = 0;
    const said = await ask("erase", "ada@example.org");
    expect(said).toMatchObject({ code: 2, out: "" });
    expect(said.err).toContain("--yes");
    expect(server.asked).toEqual([]);
  });

  it("erase says where it is done and where it waits, and then wants somebody to look", async () => {
    const done = { address: "ada@example.org", erased: 2, pending: [] };
    server.answers(`DELETE ${PATH}`, { body: done });
    const text = "ada@example.org is not mailed any more, and erased from 2 campaigns.\n";
    expect(await ask("erase", "ada@example.org", "--yes")).toEqual({ code: 0, out: text, err: "" });
    const pending = [{ campaignId: "spring", until: "2026-12-01T09:00:00.000Z" }];
    server.answers(`DELETE ${PATH}`, { body: { ...done, pending } });
    const waits = await ask("erase", "ada@example.org", "--yes");
    expect(waits.code).toBe(4);
    expect(waits.out).toContain(
      "spring: in a request that may be repeated; erased by itself by 2026",
    );
  });
});
