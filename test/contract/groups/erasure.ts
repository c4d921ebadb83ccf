/**
 * Erasing a person (R-erase): nothing is left of them but that
 * they must not be mailed, no number moves, and no request changes that may still be made.
 */
import { describe, expect } from "vitest";
import type { DispatchNumber, RecipientId, Seq, Token } from "../../../src/domain/ids.ts";
import { ERASURES_AT_ONCE } from "../../../src/domain/limits.ts";
import type { ReportRequest } from "../../../src/domain/reservation.ts";
import {
  deferredFor,
  grantIn,
  idsOf,
  people,
  person,
  refusalOf,
  REJECTED,
  sentTo,
  START,
  taken,
  UNKNOWN,
  type ContractTest,
  type Grant,
} from "../rig.ts";

import { addressOf, disk, doubted, entryOf, erase, holds, mail, reserve } from "./erased.ts";

export function erasureGroup(test: ContractTest): void {
  describe("erasure of a person", () => {
    test("R-erase, G5: who was mailed leaves an empty row, and every number as it was", (rig) => {
      rig.sending(3);
      const grant = rig.grant(1);
      rig.told(grant, sentTo(grant));
      expect(holds(rig, "r2")).toBe(true);
      const { stats, feedback } = rig.status();
      expect(erase(rig, "r2")).toEqual({ state: "erased" });
      expect(holds(rig, "r2")).toBe(false);
      expect(disk(rig)).not.toContain("mail-2");
      expect(rig.status()).toMatchObject({ state: "finished", stats, feedback });
      expect(rig.story("erased:2")).toMatchObject({
        email: "erased:2",
        data: {},
        status: "sent",
        providerId: null,
        batch: 1,
      });
      expect(rig.story("r1")).toMatchObject({ providerId: "mail-1", data: { name: "r1" } });
      const rows = disk(rig);
      expect(erase(rig, "r2")).toEqual({ state: "nobody" });
      expect(disk(rig)).toBe(rows);
      expect(rig.eventTypes().filter((type) => type === "erased")).toHaveLength(1);
    });

    test("R-erase, G6: who is in a draft becomes suppressed, and a start mails the others", (rig) => {
      rig.create();
      rig.enrol(people(3));
      expect(erase(rig, "r2")).toEqual({ state: "erased" });
      expect(rig.stats()).toEqual({ remaining: 2, suppressed: 1 });
      rig.start();
      rig.alarm();
      expect(idsOf(rig.grant(1))).toEqual(["r1", "r3"]);
    });

    test("R-erase, C10: a batch with a consumer keeps its bytes until it is over", (rig) => {
      rig.sending(3, { idempotencyWindowSeconds: 600 });
      const first = rig.grant(1);
      expect(erase(rig, "r2")).toEqual({ state: "pending", until: START + 600_000 });
      rig.told(first, UNKNOWN);
      expect(erase(rig, "r2")).toMatchObject({ state: "pending" });
      rig.advance(10);
      rig.alarm();
      const second = rig.grant(1, "b");
      expect(second.members).toEqual(first.members);
      rig.told(second, sentTo(second));
      expect(rig.ledger.outlook(rig.now)?.work).toBe(rig.now);
      rig.alarm();
      expect(rig.stats()).toEqual({ sent: 3 });
      expect(holds(rig, "r2")).toBe(false);
      expect(rig.ledger.outlook(rig.now)?.work).toBeNull();
    });

    test("R-erase: a member that was answered waits with the others of its batch", (rig) => {
      rig.sending(3);
      const grant = rig.grant(1);
      rig.told(grant, sentTo(grant, ["r1"]));
      rig.alarm();
      expect(rig.statusOf("r1")).toBe("sent");
      expect(erase(rig, "r1")).toMatchObject({ state: "pending" });
    });

    test("R-erase, G3: a doubt whose key is remembered is erased at its end, by the alarm", (rig) => {
      doubted(rig, "no answer");
      expect(erase(rig, "r2")).toEqual({ state: "pending", until: START + 600_000 });
      expect(rig.ledger.outlook(rig.now)?.work).toBe(START + 600_000);
      const life = rig.reopened();
      life.advance(599);
      life.alarm();
      expect(holds(life, "r2")).toBe(true);
      life.advance(1);
      life.alarm();
      expect(holds(life, "r2")).toBe(false);
      expect(life.stats()).toEqual({ inDoubt: 3 });
      expect(life.ledger.outlook(life.now)?.work).toBeNull();
    });

    test("R-erase, G6: no replay puts an erased doubt or failure back", (rig) => {
      doubted(rig, "no answer");
      rig.advance(600);
      expect(erase(rig, "r2")).toEqual({ state: "erased" });
      const all = { recipients: "inDoubt", acceptDuplicateRisk: true } as const;
      expect(taken(rig.ledger.replay(all, rig.now))).toMatchObject({ replayed: 2 });
      // It may have been mailed, and an erasure changes nothing about that.
      expect(rig.stats()).toEqual({ remaining: 2, inDoubt: 1 });
    });

    test("R-erase: a reservation that was named after somebody loses its name with them", (rig) => {
      rig.external(0);
      reserve(rig, "for R1@Example.org", "r1");
      mail(rig, "R2@example.org", "r2", "r3");
      mail(rig, "message 9", "r4");
      const batches = () => rig.storage.sql.exec("SELECT * FROM batches ORDER BY 1").toArray();
      const before = batches();
      // The one with a consumer is found by its name until it is over.
      expect(erase(rig, "r1")).toMatchObject({ state: "pending" });
      expect(erase(rig, "r2")).toEqual({ state: "erased" });
      const names = [{}, { reservation: null }, {}];
      expect(batches()).toEqual(before.map((row, at) => ({ ...row, ...names[at] })));
      expect(holds(rig, "r2")).toBe(false);
      const batch = { reservationId: "for R1@Example.org" };
      taken(
        rig.ledger.report({ batch, token: 1 as Token, outcome: deferredFor(null) }, 0, rig.now),
      );
      rig.advance(600);
      expect(reserve(rig, batch.reservationId, "r1")).toMatchObject({ granted: false });
      rig.alarm();
      expect(holds(rig, "r1")).toBe(false);
      // The messages come again: those who are left stand where they stood, and nobody is mailed.
      const again = reserve(rig, "R2@example.org", "r3");
      expect(again).toMatchObject({ granted: false, skipped: [{ id: "r3", reason: "sent" }] });
      expect(rig.stats()).toEqual({ sent: 3, suppressed: 1 });
    });

    test("R-erase: whose batch is over is erased, however many wait for others before", (rig) => {
      const size = 100;
      const waiting = ERASURES_AT_ONCE + 2 * size;
      rig.create({ batchSize: size, idempotencyWindowSeconds: 3_600 });
      for (let from = 1; from <= waiting; from += 1_000) {
        rig.enrol(people(Math.min(1_000, waiting - from + 1), from));
      }
      rig.start();
      rig.alarm();
      const grants: Grant[] = [];
      for (let dispatch = 1; dispatch <= waiting / size; dispatch += 1) {
        grants.push(rig.grant(dispatch));
        rig.alarm();
      }
      const { ledger } = rig;
      for (let at = 1; at <= waiting; at += 1) {
        expect(ledger.people.erase(entryOf(rig, `r${at}`), rig.now).state).toBe("pending");
      }
      const last = grants.pop();
      if (last === undefined) throw new Error("there are grants");
      const lease = ledger.outlook(rig.now)?.work;
      rig.told(last, sentTo(last));
      expect([lease, ledger.outlook(rig.now)?.work]).toEqual([expect.any(Number), rig.now]);
      expect(lease).toBeGreaterThan(rig.now);
      rig.alarm();
      expect([holds(rig, `r${waiting}`), holds(rig, "r1")]).toEqual([false, true]);
      expect(ledger.outlook(rig.now)?.work).toBeGreaterThan(rig.now);
      // More than one sweep takes, all at once.
      for (const grant of grants) rig.told(grant, sentTo(grant));
      rig.alarm();
      expect(disk(rig)).not.toMatch(/\br\d+\b/);
      expect(rig.stats()).toEqual({ sent: waiting });
    });

    test("R-erase, C10: a doubt that is repeated is waited for until its answer is there", (rig) => {
      doubted(rig, "no answer");
      const until = START + 600_000;
      expect(erase(rig, "r2")).toEqual({ state: "pending", until });
      expect(rig.ledger.outlook(rig.now)?.work).toBe(until);
      taken(rig.ledger.replay({ recipients: "inDoubt", acceptDuplicateRisk: true }, rig.now));
      rig.alarm();
      const again = rig.grant(1, "b");
      expect(idsOf(again)).toEqual(["r1", "r2", "r3"]);
      rig.told(again, sentTo(again));
      expect(rig.ledger.outlook(rig.now)?.work).toBe(rig.now);
      rig.alarm();
      expect(holds(rig, "r2")).toBe(false);
      expect(rig.storage.sql.exec("SELECT seq FROM erasures").toArray()).toEqual([]);
    });

    test("an erased doubt is resolved under the id of its empty row", (rig) => {
      doubted(rig, "no answer");
      rig.advance(600);
      erase(rig, "r2");
      const ids = ["erased:2"] as RecipientId[];
      taken(rig.ledger.resolve({ ids, as: "sent" }, rig.now));
      expect(rig.stats()).toEqual({ sent: 1, inDoubt: 2 });
    });

    test("R-erase, G6: uploaded again nobody is enrolled, here and in a campaign made later", (rig) => {
      rig.create();
      rig.enrol([person("r1"), person("r2")]);
      erase(rig, "r2");
      const again = [person("r2", undefined, 1), person("other", addressOf("r2"), 2), person("r3")];
      expect(taken(rig.ledger.enrol(again, [], rig.now))).toMatchObject({
        added: 1,
        duplicates: 0,
        suppressed: 2,
        total: 3,
        problems: [
          { line: 1, code: "suppressed" },
          { line: 2, code: "suppressed" },
        ],
      });
      // What the account tells of somebody this campaign has never heard of counts the same.
      rig.enrol([person("r9")], [entryOf(rig, "r9")]);
      expect(holds(rig, "r2") || holds(rig, "r9")).toBe(false);
      expect(rig.stats()).toEqual({ remaining: 2, suppressed: 1 });
    });

    test("R-erase: the message of another queue that brings an erased person is told so", (rig) => {
      rig.external(1);
      erase(rig, "r1");
      const ask = (id: string, known: ReturnType<typeof entryOf>[] = []) => {
        const recipients = [person(id)];
        const request = { by: "recipients", reservationId: id, recipients, claim: "c" } as const;
        return taken(rig.ledger.reserve(request, known, rig.now));
      };
      expect(ask("r1").skipped).toEqual([{ id: "r1", reason: "suppressed" }]);
      expect(ask("r2", [entryOf(rig, "r2")]).skipped).toEqual([{ id: "r2", reason: "suppressed" }]);
      expect(holds(rig, "r1") || holds(rig, "r2")).toBe(false);
    });

    test("R-erase, R-fact: a late report of another queue is taken but for whom was erased", (rig) => {
      rig.external(2, { idempotencyWindowSeconds: 0 });
      const request = { by: "limit", reservationId: "m", limit: 2, claim: "c" } as const;
      const { token } = grantIn(taken(rig.ledger.reserve(request, [], rig.now)));
      rig.advance(200);
      rig.alarm();
      expect(rig.stats()).toEqual({ inDoubt: 2 });
      expect(erase(rig, "r2")).toEqual({ state: "erased" });
      const report = (...names: string[]) => {
        const ids = names as RecipientId[];
        const results = ids.map(
          (id) => ({ id, outcome: "sent", providerId: `mail-${id}` }) as const,
        );
        const outcome = { kind: "results", results } as const;
        const batch = { reservationId: "m" };
        const told: ReportRequest = { batch, token, outcome };
        return rig.ledger.report(told, 0, rig.now);
      };
      const unknown = { code: "notInBatch", ids: ["r2", "r9"] };
      expect(refusalOf(report("r1", "r2", "r9"))).toEqual(unknown);
      taken(report("r1", "r2"));
      expect(rig.stats()).toEqual({ sent: 1, inDoubt: 1 });
      expect(disk(rig)).not.toContain("mail-r2");
    });

    test("R-erase: a late acceptance counts, and brings nothing back", (rig) => {
      rig.sending(2, { batchSize: 1, pauseAtFailureRate: 1 });
      const grant = rig.grant(1);
      rig.told(grant, REJECTED);
      expect(rig.statusOf("r1")).toBe("failed");
      expect(erase(rig, "r1")).toEqual({ state: "erased" });
      rig.report(grant.batch, grant.token, sentTo(grant));
      expect(rig.story("erased:1")).toMatchObject({ status: "sent", providerId: null });
      expect(disk(rig)).not.toContain("mail-1");
      expect(rig.stats()).toEqual({ sent: 1, remaining: 1 });
    });

    test("R-erase: webhooks, links and inquiries find nobody any more", (rig) => {
      doubted(rig, "no answer");
      rig.advance(600);
      erase(rig, "r2");
      const seq = 2 as Seq;
      const event = {
        seq,
        providerId: "mail-2",
        fate: "bounced",
        at: null,
        acceptedAt: null,
      } as const;
      expect(rig.ledger.recordFeedback([{ ...event, addresses: [] }], rig.now)).toEqual([null]);
      expect(rig.ledger.linkTarget(seq, rig.now)).toBeNull();
      expect(rig.ledger.linkTarget(1 as Seq, rig.now)).not.toBeNull();
      rig.ledger.notices.raiseInquiry(rig.now);
      const number = rig.ledger.notices.takeInquiry(rig.now) ?? 0;
      const asked = rig.ledger.notices.inquiry(number, rig.now)?.members.map((each) => each.seq);
      expect(asked).toEqual([1, 3]);
      expect(disk(rig)).not.toContain("mail-2");
    });

    test("R-erase: what a provider said of the address goes wherever it was told on", (rig) => {
      doubted(rig, "422: R2@Example.org is odd, r22@example.org is not");
      rig.ledger.recordDeadLetter(
        {
          messageId: "m",
          dispatch: 1 as DispatchNumber,
          error: "r2@example.org?",
          stack: null,
          attempts: 6,
        },
        rig.now,
      );
      rig.advance(600);
      erase(rig, "r2");
      expect(disk(rig)).not.toContain("r2@example.org");
      expect(rig.story("r1").reason).toBe("422: <erased> is odd, r22@example.org is not");
      expect(rig.eventTypes()).toEqual([
        "created",
        "started",
        "inDoubt",
        "finished",
        "deadLetter",
        "erased",
      ]);
    });

    test("an operator's own id that looks like an empty row's stays theirs", (rig) => {
      rig.create();
      rig.enrol([person("erased:2", addressOf("r1")), person("r2")]);
      expect(erase(rig, "r2")).toEqual({ state: "erased" });
      expect(rig.story("erased:2").email).toBe("r1@example.org");
      expect(rig.story(`erased:2:${START}`).email).toBe("erased:2");
    });

    test("G2: the schema lets nobody who was erased wait for a mail, or come back", (rig) => {
      rig.sending(2, { batchSize: 1, pauseAtFailureRate: 1 });
      rig.told(rig.grant(1), REJECTED);
      erase(rig, "r1");
      const refuses = (change: string, why: RegExp) => {
        const update = `UPDATE recipients SET ${change} WHERE seq = 1`;
        expect(() => rig.storage.sql.exec(update).toArray(), change).toThrow(why);
      };
      refuses("status = 'pending', suppression = NULL, suppressed_at = NULL", /erased is mailed/);
      refuses("erased_at = NULL", /erased once/);
      refuses("address = 'r1@example.org'", /erased once/);
    });

    test("R-erase: the schema lets no reservation have another name, nor lose it while it is open", (rig) => {
      rig.external(0);
      reserve(rig, "open", "r1");
      mail(rig, "over", "r2");
      const refuses = (name: string, value: string) => {
        const update = `UPDATE batches SET reservation = ${value} WHERE reservation = '${name}'`;
        expect(() => rig.storage.sql.exec(update).toArray(), update).toThrow(/by its name/);
      };
      refuses("open", "NULL");
      refuses("open", "'another'");
      refuses("over", "'another'");
    });

    test("everything about one address is its story, and nobody's is none", (rig) => {
      rig.sending(2);
      rig.grant(1);
      expect(rig.ledger.people.story(addressOf("r1"), rig.now)).toEqual(rig.story("r1"));
      expect(rig.ledger.people.story(addressOf("r9"), rig.now)).toBeNull();
    });
  });
}
