import { describe, expect, it } from "vitest";
import type { Address, CampaignId } from "../../../src/domain/ids.ts";
import { PERSON_CAMPAIGNS_AT_ONCE } from "../../../src/domain/limits.ts";
import { api, faultyPaths, NOW, problemOf, STORY, VIEWER } from "./api.ts";

const PATH = `/api/people/${encodeURIComponent(" Ada@Example.org")}`;
const ADDRESS = "ada@example.org" as Address;
const ENTRY = { address: ADDRESS, reason: "operator", at: NOW, erasedAt: NOW } as const;
const TIME = "2026-11-29T12:00:00.000Z";

/** A directory of so many campaigns, in pages as they are asked for. */
const directory = (count: number) => async (cursor: string | null, limit: number) => {
  const from = Number(cursor ?? 0);
  const size = Math.min(limit, count - from);
  const items = Array.from({ length: size }, (_, at) => ({
    id: `c${from + at}` as CampaignId,
    name: "one",
    createdAt: NOW,
  }));
  return { items, cursor: from + size < count ? String(from + size) : null };
};

describe("a person", () => {
  it("is exported from every campaign there is, over every page of the directory", async () => {
    const count = 2 * PERSON_CAMPAIGNS_AT_ONCE + 1;
    const { ask, calls, stubs } = api({
      account: { suppressedAmong: async () => [ENTRY], campaigns: directory(count) },
      campaign: { person: async () => STORY },
    });
    const response = await ask("GET", PATH);
    expect(response.status).toBe(200);
    const body: { campaigns: { campaignId: string }[] } = await response.json();
    expect(body).toMatchObject({
      address: ADDRESS,
      suppression: { reason: "operator", at: TIME },
      erasedAt: TIME,
    });
    expect(body.campaigns.map(({ campaignId }) => campaignId)).toEqual(stubs);
    expect(new Set(stubs).size).toBe(count);
    expect(calls.filter(({ method }) => method === "campaigns")).toHaveLength(3);
    expect(calls.find(({ method }) => method === "person")?.args).toEqual([ADDRESS]);
  });

  it("of whom nothing is held is an empty answer, and no 404", async () => {
    const { ask } = api({
      account: { suppressedAmong: async () => [], campaigns: directory(1) },
      campaign: { person: async () => null },
    });
    const body = await (await ask("GET", PATH)).json();
    expect(body).toEqual({ address: ADDRESS, suppression: null, erasedAt: null, campaigns: [] });
  });

  it("R-erase, G6: is suppressed before any campaign is asked, each with the account's entry", async () => {
    const { ask, calls } = api({
      account: { suppressErased: async () => ENTRY, campaigns: directory(2) },
      campaign: { erasePerson: async () => ({ state: "erased" }) },
    });
    const response = await ask("DELETE", PATH);
    expect(await response.json()).toEqual({ address: ADDRESS, erased: 2, pending: [] });
    expect(calls.map(({ method }) => method)).toEqual([
      "suppressErased",
      "campaigns",
      "erasePerson",
      "erasePerson",
    ]);
    expect(calls.at(-1)?.args).toEqual([ENTRY]);
  });

  it("R-erase: campaigns in which it has to wait are named, with the time", async () => {
    const { ask } = api({
      account: { suppressErased: async () => ENTRY, campaigns: directory(1) },
      campaign: { erasePerson: async () => ({ state: "pending", until: NOW }) },
    });
    expect(await (await ask("DELETE", PATH)).json()).toEqual({
      address: ADDRESS,
      erased: 0,
      pending: [{ campaignId: "c0", until: TIME }],
    });
  });

  it.each(["GET", "DELETE"])(
    "R-erase: %s names a campaign that is silent, and is no success",
    async (method) => {
      let asked = 0;
      const answer = <Answer>(value: Answer) => {
        asked += 1;
        if (asked === 1) throw new Error("gone");
        return value;
      };
      const { ask, logged } = api({
        account: {
          suppressErased: async () => ENTRY,
          suppressedAmong: async () => [],
          campaigns: directory(2),
        },
        campaign: {
          person: async () => answer(STORY),
          erasePerson: async () => answer({ state: "erased" } as const),
        },
      });
      const response = await ask(method, PATH);
      expect(response.status).toBe(503);
      expect(response.headers.get("retry-after")).toBe("5");
      const refusal = await problemOf(response);
      expect(refusal).toMatchObject({
        code: "campaignsSilent",
        unanswered: ["c0"],
        address: ADDRESS,
      });
      expect(refusal).toMatchObject(
        method === "GET" ? { campaigns: [{ campaignId: "c1" }] } : { erased: 1 },
      );
      expect(JSON.stringify(logged)).not.toContain("example.org");
    },
  );

  it("is for the operator alone, by an address", async () => {
    const { ask, calls } = api();
    expect((await ask("GET", PATH, { token: VIEWER })).status).toBe(403);
    expect((await ask("DELETE", PATH, { token: VIEWER })).status).toBe(403);
    expect(await faultyPaths(await ask("GET", "/api/people/nobody"))).toEqual(["address"]);
    expect(await faultyPaths(await ask("DELETE", "/api/people/nobody"))).toEqual(["address"]);
    expect(calls).toEqual([]);
  });
});
