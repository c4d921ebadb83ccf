import { describe, expect, it } from "vitest";
import { Account } from "../../../src/account/account.ts";
import { systemClock } from "../../../src/domain/clock.ts";
import type { Address, CampaignId } from "../../../src/domain/ids.ts";
import type { SuppressionEntry } from "../../../src/domain/suppression.ts";
import { NodeStorage } from "../../support/node-storage.ts";

const ADA = "ada@example.org" as Address;
const NOW = 1_790_000_000_000;

/** An account of 50 campaigns; `answers` is asked at each call. */
async function account(answers: (id: string, calls: number) => void) {
  let now = NOW;
  const told = new Map<string, SuppressionEntry[][]>();
  const tries = new Map<string, number>();
  const made = new Account({
    storage: new NodeStorage(),
    requestsPerSecond: 10,
    clock: () => ({ ...systemClock, now: () => now }),
    campaign: (id) => ({
      reading: async () => null,
      suppress: async (entries) => {
        tries.set(id, (tries.get(id) ?? 0) + 1);
        answers(id, tries.get(id) ?? 0);
        told.set(id, [...(told.get(id) ?? []), [...entries]]);
      },
    }),
  });
  for (let number = 0; number < 50; number += 1) {
    await made.register(`c${String(number).padStart(2, "0")}` as CampaignId, "one", null);
  }
  return { made, told, tries, later: () => (now += 1000) };
}

describe("a suppression", () => {
  it("G6: is answered when every campaign has it, with its reason and time", async () => {
    const { made, told } = await account(() => undefined);
    await made.suppress([ADA], "complaint");
    expect(told.size).toBe(50);
    for (const entries of told.values()) {
      expect(entries).toEqual([[{ address: ADA, reason: "complaint", at: NOW }]]);
    }
  });

  it("G6: fails where one campaign can't be told, and tells all others all the same", async () => {
    const { made, told, later } = await account((id, calls) => {
      if (id === "c03" && calls <= 2) throw new Error("no answer");
    });
    await expect(made.suppress([ADA], "unsubscribe")).rejects.toThrow("no answer");
    expect(told.size).toBe(49);
    expect(await made.suppressedAmong([ADA])).toHaveLength(1);
    // Asked again it goes through, and the first reason and time stand.
    later();
    await made.suppress([ADA], "hardBounce");
    expect(told.get("c03")).toEqual([[{ address: ADA, reason: "unsubscribe", at: NOW }]]);
  });

  it("lists on from a cursor that a page has given, and from no other", async () => {
    const { made } = await account(() => undefined);
    const bob = "bob@example.org" as Address;
    await made.suppress([ADA, bob], "operator");
    const { cursor } = await made.suppressions(null, 1);
    expect((await made.suppressions(cursor, 1)).items).toMatchObject([{ address: bob }]);
    for (const spoilt of ["b", "eyJhIjoxfQ", "ADA@example.org"]) {
      await expect(made.suppressions(spoilt, 1)).rejects.toThrow(/^cursor: /);
    }
  });

  it("asks a campaign once more at once, but not one that is overloaded", async () => {
    const { made, tries } = await account((id, calls) => {
      if (id === "c01" && calls === 1) throw new Error("moved");
      if (id === "c02") throw Object.assign(new Error("busy"), { overloaded: true });
    });
    await expect(made.suppress([ADA], "operator")).rejects.toThrow("busy");
    expect([tries.get("c01"), tries.get("c02")]).toEqual([2, 1]);
  });
});
