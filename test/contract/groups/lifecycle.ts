/** What an operator may do with a campaign, and in which state. */
import { describe, expect } from "vitest";
import type { CampaignId } from "../../../src/domain/ids.ts";
import { Ledger } from "../../../src/ledger/ledger.ts";
import { DRAWN } from "../checked-ledger.ts";
import {
  CAMPAIGN,
  draftOf,
  people,
  refusalOf,
  sentTo,
  START,
  taken,
  type ContractTest,
  type Rig,
} from "../rig.ts";

const wrongState = (state: string, command: string) => ({ code: "wrongState", state, command });

export function lifecycleGroup(test: ContractTest): void {
  describe("nobody made it", () => {
    test("asking for a campaign that does not exist writes nothing", (rig) => {
      const { ledger, storage, now } = rig;
      expect(ledger.status(now)).toBeNull();
      expect(ledger.describe(now)).toBeNull();
      expect(ledger.content(CAMPAIGN)).toBeNull();
      expect(ledger.outlook(now)).toBeNull();
      expect(ledger.tick(DRAWN, now)).toBe(false);
      expect(ledger.dueDispatches(now)).toEqual([]);
      expect(ledger.recipients({ status: null, limit: 10, cursor: null }, now)).toBeNull();
      expect(ledger.events(1, 1, now)).toBeNull();
      expect(ledger.deadLetters(1, 1, now)).toBeNull();
      ledger.suppress([], now);
      for (const answer of [
        ledger.edit(draftOf("managed"), null, now),
        ledger.enrol(people(1), [], now),
        ledger.start(null, "", DRAWN, now),
        ledger.pause("operator", "", now),
        ledger.resume(DRAWN, now),
        ledger.cancel(now),
        ledger.finish(now),
        ledger.mayErase(now),
        ledger.replay({ recipients: "failed" }, now),
        ledger.resolve({ ids: [], as: "sent" }, now),
      ]) {
        expect(refusalOf(answer)).toEqual({ code: "notFound" });
      }
      expect(storage.sql.exec("SELECT name FROM sqlite_master").toArray()).toEqual([]);
    });
  });

  describe("create and edit", () => {
    test("the same draft again is the one that is there, another is refused", (rig) => {
      rig.create();
      const again = rig.ledger.create(CAMPAIGN, draftOf("managed"), rig.now);
      expect(again).toEqual({ ok: true, value: { created: false } });
      const other = { ...draftOf("managed"), name: "Autumn" };
      expect(refusalOf(rig.ledger.create(CAMPAIGN, other, rig.now))).toEqual({ code: "exists" });
      expect(rig.eventTypes()).toEqual(["created"]);
    });

    test("G7: a campaign is there after its object has been evicted", (rig) => {
      rig.sending(3);
      const before = rig.status();
      expect(rig.reopened().status()).toEqual(before);
    });

    test("settings out of range are never written", (rig) => {
      const draft = draftOf("managed", { leaseSeconds: 4 });
      expect(() => rig.ledger.create(CAMPAIGN, draft, rig.now)).toThrow("settings.leaseSeconds");
      expect(new Ledger(rig.storage).status(rig.now)).toBeNull();
    });

    test("a draft and a scheduled campaign may be edited, a started one not", (rig) => {
      rig.create();
      const draft = { ...draftOf("managed", { batchSize: 7 }), name: "Later" };
      taken(rig.ledger.edit(draft, null, rig.now));
      expect(rig.ledger.describe(rig.now)?.draft).toEqual(draft);
      rig.start(START + 60_000);
      // Made from another draft than the one that stands, or asked again after a lost answer.
      const other = rig.ledger.edit({ ...draft, name: "Lost" }, draftOf("managed"), rig.now);
      expect(refusalOf(other)).toEqual({ code: "changed" });
      const edits = rig.eventTypes().length;
      taken(rig.ledger.edit(draft, draftOf("managed"), rig.now));
      expect(rig.eventTypes()).toHaveLength(edits);
      taken(rig.ledger.edit({ ...draft, name: "Later still" }, null, rig.now));
      rig.advance(60);
      rig.enrol(people(1));
      rig.alarm();
      const late = rig.ledger.edit(draft, null, rig.now);
      expect(refusalOf(late)).toEqual(wrongState("sending", "edit"));
      expect(rig.ledger.describe(rig.now)?.draft.name).toBe("Later still");
    });
  });

  startGroup(test);
  pauseGroup(test);
  endGroup(test);
}

function startGroup(test: ContractTest): void {
  describe("start", () => {
    test("C07: a second start is refused and changes nothing", (rig) => {
      rig.sending(2);
      const before = rig.rows();
      const again = rig.ledger.start(null, "https://x", { ...DRAWN, contentId: "2" }, rig.now);
      expect(refusalOf(again)).toEqual(wrongState("sending", "begin"));
      expect(rig.rows()).toEqual(before);
      expect(rig.ledger.content(CAMPAIGN)?.contentId).toBe(DRAWN.contentId);
    });

    test("freezes the content with the public URL and the drawn secret", (rig) => {
      rig.create();
      expect(rig.ledger.content(CAMPAIGN)).toBeNull();
      rig.enrol(people(1));
      rig.start();
      expect(rig.ledger.content(CAMPAIGN)).toEqual({
        ...draftOf("managed").content,
        ...DRAWN,
        campaign: CAMPAIGN,
        publicUrl: "https://mail.example.org",
      });
      expect(() => rig.storage.sql.exec("UPDATE content SET content = '{}'").toArray()).toThrow(
        "frozen",
      );
    });

    test("C41: with no recipients it is finished at once, with 0 sent", (rig) => {
      rig.create();
      expect(rig.start()).toMatchObject({ state: "finished", stats: { total: 0, sent: 0 } });
      expect(rig.status().finishedAt).toBe(START);
    });

    test("C41: with everybody suppressed it is finished at once, and says so", (rig) => {
      rig.create();
      rig.enrol(people(2));
      rig.suppress("r1");
      rig.suppress("r2");
      expect(rig.start()).toMatchObject({ state: "finished", stats: { total: 2, suppressed: 2 } });
    });

    test("a scheduled campaign begins when its time has come, not before", (rig) => {
      rig.create();
      rig.enrol(people(1));
      expect(rig.start(START + 60_000).state).toBe("scheduled");
      expect(rig.ledger.outlook(rig.now)?.work).toBe(START + 60_000);
      rig.advance(59);
      expect(rig.alarm()).toEqual([]);
      expect(rig.status().state).toBe("scheduled");
      expect(refusalOf(rig.ledger.start(null, "", DRAWN, rig.now))).toEqual(
        wrongState("scheduled", "begin"),
      );
      rig.advance(1);
      expect(rig.alarm()).toEqual([1]);
      expect(rig.status()).toMatchObject({ state: "sending", startedAt: START + 60_000 });
    });

    test("a time that has passed is now", (rig) => {
      rig.create();
      rig.enrol(people(1));
      expect(rig.start(START - 1).state).toBe("sending");
    });
  });
}

function pauseGroup(test: ContractTest): void {
  describe("pause and resume", () => {
    test("G4: once pause has answered nothing is granted, new or repeated", (rig) => {
      rig.sending(4, { batchSize: 2 });
      const grant = rig.grant(1, "a");
      expect(rig.pause()).toMatchObject({ state: "paused", stats: { reserved: 2, remaining: 2 } });
      expect(rig.refusal(1, "a")).toBe("paused");
      expect(rig.refusal(1, "b")).toBe("paused");
      expect(rig.refusal(2)).toBe("paused");
      rig.advance(121);
      rig.alarm();
      expect(rig.refusal(1, "c")).toBe("paused");
      expect(rig.stats()).toEqual({ reserved: 2, remaining: 2 });
      expect(grant.members).toHaveLength(2);
    });

    test("what was reserved before the pause may still be reported", (rig) => {
      rig.sending(2);
      const grant = rig.grant(1);
      rig.pause();
      expect(rig.told(grant, sentTo(grant)).state).toBe("finished");
    });

    test("both are idempotent, and a second reason does not replace the first", (rig) => {
      rig.sending(1);
      rig.pause();
      const again = taken(rig.ledger.pause("providerAuth", "401", rig.now));
      expect(again.pause).toEqual({ reason: "operator", detail: "asked for", since: START });
      expect(rig.resume().state).toBe("sending");
      const { version } = rig.status();
      expect(rig.resume().version).toBe(version);
      expect(rig.eventTypes()).toEqual(["created", "started", "paused", "resumed"]);
    });

    test("C81: paused before its time and resumed after it, it starts once", (rig) => {
      rig.create();
      rig.enrol(people(1));
      rig.start(START + 60_000);
      rig.pause();
      expect(rig.resume().state).toBe("scheduled");
      rig.pause();
      rig.advance(90);
      rig.alarm();
      expect(rig.status()).toMatchObject({ state: "paused", startedAt: null });
      expect(rig.resume()).toMatchObject({ state: "sending", startedAt: START + 90_000 });
      rig.alarm();
      expect(rig.eventTypes().filter((type) => type === "started")).toHaveLength(1);
    });

    test("a draft cannot be paused, and a finished campaign cannot be resumed", (rig) => {
      rig.create();
      const early = rig.ledger.pause("operator", "", rig.now);
      expect(refusalOf(early)).toEqual(wrongState("draft", "pause"));
      rig.start();
      const late = rig.ledger.resume(DRAWN, rig.now);
      expect(refusalOf(late)).toEqual(wrongState("finished", "resume"));
    });
  });
}

function endGroup(test: ContractTest): void {
  describe("finish and erase", () => {
    test("G2: finished only when nothing remains and nothing is reserved", (rig) => {
      rig.sending(3, { batchSize: 2 });
      const first = rig.grant(1);
      rig.told(first, sentTo(first));
      expect(rig.status().state).toBe("sending");
      const second = rig.grant(2);
      expect(rig.status().state).toBe("sending");
      expect(rig.told(second, sentTo(second))).toMatchObject({
        state: "finished",
        stats: { total: 3, sent: 3 },
      });
      expect(rig.eventTypes().at(-1)).toBe("finished");
      expect(rig.ledger.outlook(rig.now)?.work).toBeNull();
    });

    test("a managed campaign finishes by itself and not by command", (rig) => {
      rig.sending(1);
      const answer = rig.ledger.finish(rig.now);
      expect(refusalOf(answer)).toEqual({ code: "wrongDelivery", delivery: "managed" });
    });

    test("erase is refused while it sends and while somebody holds a lease", (rig) => {
      rig.sending(1);
      expect(refusalOf(rig.ledger.mayErase(rig.now))).toEqual(wrongState("sending", "erase"));
      const grant = rig.grant(1);
      rig.pause();
      expect(refusalOf(rig.ledger.mayErase(rig.now))).toEqual({ code: "inFlight", reserved: 1 });
      rig.told(grant, sentTo(grant));
      expect(rig.ledger.mayErase(rig.now)).toEqual({ ok: true, value: null });
    });

    test("a draft may be erased, and an erased ledger is nobody's", (rig) => {
      rig.create();
      expect(rig.ledger.mayErase(rig.now).ok).toBe(true);
      rig.ledger.erase(rig.now, () => undefined);
      expect(rig.ledger.status(rig.now)).toBeNull();
    });
  });

  describe("finished, cancelled and the clock", () => {
    test("commands of the end are refused by the state, which is named", (rig) => {
      finishedRig(rig);
      for (const [command, answer] of [
        ["edit", rig.ledger.edit(draftOf("managed"), null, rig.now)],
        ["edit", rig.ledger.enrol(people(1), [], rig.now)],
        ["pause", rig.ledger.pause("operator", "", rig.now)],
        ["cancel", rig.ledger.cancel(rig.now)],
      ] as const) {
        expect(refusalOf(answer)).toEqual(wrongState("finished", command));
      }
    });

    test("another campaign's id is never answered for", (rig) => {
      rig.create();
      const other = "autumn" as CampaignId;
      const answer = rig.ledger.create(other, draftOf("managed"), rig.now);
      // The object's name decides the id, so this cannot happen by RPC; the row keeps the first.
      expect(answer).toEqual({ ok: true, value: { created: false } });
      expect(rig.status().campaignId).toBe(CAMPAIGN);
    });
  });
}

function finishedRig(rig: Rig): void {
  rig.sending(1);
  const grant = rig.grant(1);
  rig.told(grant, sentTo(grant));
}
