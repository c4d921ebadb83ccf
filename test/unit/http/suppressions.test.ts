import { describe, expect, it } from "vitest";
import type { SuppressionEntry } from "../../../src/campaign/rpc.ts";
import type { Address } from "../../../src/domain/ids.ts";
import { api, faultyPaths, NOW, problemOf } from "./api.ts";

const LIST = "/api/suppressions";
const ENTRY: SuppressionEntry = {
  address: "ada@example.org" as Address,
  reason: "complaint",
  at: NOW,
};

describe("suppressions", () => {
  it("lists pages", async () => {
    const { ask, calls } = api({
      account: { suppressions: async () => ({ items: [ENTRY], cursor: "c" }) },
    });
    const response = await ask("GET", `${LIST}?limit=1`);
    expect(calls).toEqual([{ method: "suppressions", args: [null, 1] }]);
    expect(await response.json()).toEqual({
      items: [{ address: "ada@example.org", reason: "complaint", at: "2026-11-29T12:00:00.000Z" }],
      cursor: "c",
    });
  });

  it("puts each mailbox once and counts who was there already", async () => {
    const { ask, calls } = api({
      account: { suppressedAmong: async () => [ENTRY], suppress: async () => undefined },
    });
    const addresses = ["ada@example.org", " Ada@Example.ORG", "bob@example.org"];
    const response = await ask("PUT", LIST, { body: { addresses } });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ addresses: 2, added: 1, already: 1 });
    expect(calls.at(-1)).toEqual({
      method: "suppress",
      args: [["ada@example.org", "bob@example.org"], "operator"],
    });
  });

  it("takes a reason that is brought along", async () => {
    const { ask, calls } = api({
      account: { suppressedAmong: async () => [], suppress: async () => undefined },
    });
    await ask("PUT", LIST, { body: { addresses: ["a@x.test"], reason: "hardBounce" } });
    expect(calls.at(-1)?.args[1]).toBe("hardBounce");
  });

  it.each([
    ["addresses", {}],
    ["addresses", { addresses: [] }],
    ["addresses", { addresses: "a@x.test" }],
    ["addresses", { addresses: Array.from({ length: 1001 }, (_, n) => `u${n}@x.test`) }],
    ["addresses.1", { addresses: ["a@x.test", "bob@@x.test"] }],
    ["addresses.0", { addresses: [null] }],
    ["reason", { addresses: ["a@x.test"], reason: "because" }],
    ["until", { addresses: ["a@x.test"], until: "tomorrow" }],
  ])("names %s in %.60j and changes nothing", async (path, body) => {
    const { ask, calls } = api();
    const response = await ask("PUT", LIST, { body });
    expect(response.status).toBe(400);
    expect(await faultyPaths(response)).toEqual([path]);
    expect(calls).toEqual([]);
  });

  it("lifts one by its address in any spelling", async () => {
    const { ask, calls } = api({ account: { allow: async () => true } });
    const response = await ask("DELETE", `${LIST}/${encodeURIComponent("Ada@Example.org")}`);
    expect(response.status).toBe(204);
    expect(await response.text()).toBe("");
    expect(calls).toEqual([{ method: "allow", args: ["ada@example.org"] }]);
  });

  it("is 404 where there was none, and 400 for what is no address", async () => {
    const { ask } = api({ account: { allow: async () => false } });
    const none = await ask("DELETE", `${LIST}/a%40x.test`);
    expect(none.status).toBe(404);
    expect((await problemOf(none)).code).toBe("suppressionNotFound");
    const nonsense = await ask("DELETE", `${LIST}/nobody`);
    expect(await faultyPaths(nonsense)).toEqual(["address"]);
  });
});
