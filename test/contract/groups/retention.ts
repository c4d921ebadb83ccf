/** Everybody is forgotten in time (R-retention), and no number moves. */
import { describe, expect } from "vitest";
import type { RecipientId } from "../../../src/domain/ids.ts";
import { RETENTION_PAGE } from "../../../src/domain/limits.ts";
import { people, refusalOf, sentTo, START, taken, type ContractTest } from "../rig.ts";

import { DAY, disk, doubted, entryOf, erase, holds, mail, retain } from "./erased.ts";

export function retentionGroup(test: ContractTest): void {
  describe("retention", () => {
    test("R-retention, G5: in bounded steps, through a restart, once, with every number kept", (rig) => {
      rig.create();
      rig.enrol(people(RETENTION_PAGE));
      rig.enrol(people(2, RETENTION_PAGE + 1));
      rig.suppress("r7");
      const { stats } = rig.cancel();
      expect(rig.ledger.outlook(rig.now, 30)?.retention).toBe(START + 30 * DAY * 1000);
      expect(rig.ledger.outlook(rig.now, 0)?.retention).toBeNull();
      rig.advance(30 * DAY - 1);
      expect(retain(rig, 30)).toEqual({ more: false, erased: null });
      rig.advance(1);
      expect(retain(rig, 30)).toEqual({ more: true, erased: null });
      const life = rig.reopened();
      expect([holds(life, "r1"), holds(life, "r1002")]).toEqual([false, true]);
      // A longer time stops it where it is, and the shorter one goes on.
      expect(life.ledger.outlook(life.now, 60)?.retention).toBe(START + 60 * DAY * 1000);
      expect(life.ledger.outlook(life.now, 30)?.retention).toBe(life.now);
      expect(retain(life, 30)).toEqual({ more: false, erased: RETENTION_PAGE + 2 });
      expect(JSON.stringify(life.rows())).not.toMatch(/r\d+@example\.org/);
      expect(life.status()).toMatchObject({ state: "cancelled", stats });
      expect(life.eventTypes().at(-1)).toBe("erased");
      const rows = life.rows();
      expect(life.ledger.outlook(life.now, 30)?.retention).toBeNull();
      expect(retain(life, 30)).toEqual({ more: false, erased: null });
      // Whoever is suppressed or erased later leaves no trace here.
      life.suppress("r8");
      expect(erase(life, "r8")).toEqual({ state: "nobody" });
      expect(life.rows()).toEqual(rows);
    });

    test("R-retention: nobody is replayed, and a doubt stays one that can be resolved", (rig) => {
      doubted(rig, "the address r1@example.org");
      rig.advance(DAY);
      expect(retain(rig, 1)).toEqual({ more: false, erased: 3 });
      expect(JSON.stringify(rig.rows())).not.toContain("r1@example.org");
      const all = { recipients: "inDoubt", acceptDuplicateRisk: true } as const;
      expect(refusalOf(rig.ledger.replay(all, rig.now))).toMatchObject({ code: "wrongState" });
      expect(rig.stats()).toEqual({ inDoubt: 3 });
      const ids = ["erased:1"] as RecipientId[];
      taken(rig.ledger.resolve({ ids, as: "failed" }, rig.now));
      expect(rig.stats()).toEqual({ inDoubt: 2, failed: 1 });
    });

    test("R-retention: a reason that quotes an address keeps nobody from being forgotten", (rig) => {
      doubted(rig, 'it said "r1@example.org" \\ and\n"r2@example.org"');
      rig.advance(DAY);
      expect(retain(rig, 1)).toEqual({ more: false, erased: 3 });
      expect(disk(rig)).not.toMatch(/r\d@example/);
      const events = rig.ledger.events(Number.MAX_SAFE_INTEGER, 10, rig.now) ?? [];
      const { reason } = events.find(({ type }) => type === "inDoubt")?.detail ?? {};
      expect(reason).toBe('it said "<address>" \\ and\n"<address>"');
    });

    test("R-retention: reservations that were named after somebody lose their names", (rig) => {
      rig.external(0);
      mail(rig, "r1@example.org", "r1", "r2");
      mail(rig, "message 2", "r3");
      taken(rig.ledger.finish(rig.now));
      rig.advance(DAY);
      expect(retain(rig, 1)).toEqual({ more: false, erased: 3 });
      expect(disk(rig)).not.toContain("@example.org");
      expect(disk(rig)).toContain("message 2");
    });

    test("R-retention: what a consumer still holds after a cancel is settled first", (rig) => {
      rig.sending(2, { leaseSeconds: 900 });
      const grant = rig.grant(1);
      rig.cancel();
      expect(rig.ledger.outlook(rig.now, 1)?.retention).toBeNull();
      rig.told(grant, sentTo(grant));
      expect(rig.ledger.outlook(rig.now, 1)?.retention).toBe(START + DAY * 1000);
    });

    test("R-retention: a campaign at work, and one that nobody made, has none", (rig) => {
      expect(rig.ledger.outlook(rig.now, 1)).toBeNull();
      expect(rig.ledger.people.erase(entryOf(rig, "r1"), rig.now)).toEqual({ state: "nobody" });
      rig.sending(2);
      rig.advance(2 * DAY);
      expect(rig.ledger.outlook(rig.now, 1)?.retention).toBeNull();
      expect(retain(rig, 1)).toEqual({ more: false, erased: null });
    });
  });
}
