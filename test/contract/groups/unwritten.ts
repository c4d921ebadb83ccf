/**
 * A fresh batch leaves its members' rows alone until their end is known (ledger/unwritten.ts). Nobody
 * may notice: whoever looks, and whatever happens, the rows are those of a ledger that has written
 * every one of them when it was reserved.
 */
import { describe, expect } from "vitest";
import type { Address, RecipientId, Seq } from "../../../src/domain/ids.ts";
import type { AttemptOutcome } from "../../../src/domain/outcome.ts";
import { undone } from "../../support/undone.ts";
import {
  deferredFor,
  failedFor,
  idsOf,
  refusalOf,
  REJECTED,
  sentTo,
  taken,
  UNKNOWN,
  type ContractTest,
  type Grant,
  type Rig,
} from "../rig.ts";

/** What the rows themselves say, written or not. */
function rawStatuses(rig: Rig): unknown[] {
  const rows = rig.storage.sql.exec("SELECT status FROM recipients ORDER BY seq").toArray();
  return rows.map((row) => row["status"]);
}

function unwrittenBatches(rig: Rig): unknown[] {
  const rows = rig.storage.sql.exec("SELECT batch FROM batches WHERE unwritten = 1").toArray();
  return rows.map((row) => row["batch"]);
}

/** What is on disk after `work`, with everybody where they stand; then all of it is undone. */
function after(rig: Rig, work: (life: Rig) => void): unknown {
  return undone(rig.storage, () => {
    const life = rig.reopened();
    work(life);
    return life.standing();
  });
}

const LOOKS: readonly (readonly [string, (rig: Rig) => unknown])[] = [
  ["a list", (rig) => itemsOf(rig, null)],
  ["a list of the reserved", (rig) => itemsOf(rig, "reserved")],
  ["a look-up by address", (rig) => byAddress(rig, "r1@example.org")],
  ["a story", (rig) => rig.story("r1")],
];

function itemsOf(rig: Rig, status: "reserved" | "pending" | null) {
  return rig.ledger.recipients({ status, limit: 9, cursor: null }, rig.now)?.items ?? [];
}

function byAddress(rig: Rig, address: string) {
  const query = { status: null, limit: 9, cursor: null, address: address as Address };
  return rig.ledger.recipients(query, rig.now)?.items;
}

const mixed = (grant: Grant): AttemptOutcome => ({
  kind: "answered",
  results: [...sentTo(grant, ["r1"]).results, ...failedFor(grant, ["r2"]).results],
});

function feedback(rig: Rig): void {
  const event = { seq: 2 as Seq, providerId: "mail-2", fate: "delivered" as const };
  const told = { ...event, at: null, acceptedAt: null, addresses: [] };
  expect(rig.ledger.recordFeedback([told], rig.now)).toMatchObject([{ changed: true }]);
}

/** What may happen to a batch of r1, r2 and r3 between its reserve and its end, and as its end. */
const FATES: readonly (readonly [string, (rig: Rig, grant: Grant) => void])[] = [
  ["accepted as a whole", (rig, grant) => rig.told(grant, sentTo(grant))],
  ["accepted in part", (rig, grant) => rig.told(grant, sentTo(grant, ["r2"]))],
  ["accepted and refused", (rig, grant) => rig.told(grant, mixed(grant))],
  ["refused as a whole", (rig, grant) => rig.told(grant, failedFor(grant))],
  ["answered with nothing", (rig, grant) => rig.told(grant, sentTo(grant, []))],
  ["rejected", (rig, grant) => rig.told(grant, REJECTED)],
  ["deferred", (rig, grant) => rig.told(grant, deferredFor(5))],
  ["unknown", (rig, grant) => rig.told(grant, UNKNOWN)],
  ["in doubt", (rig, grant) => rig.told(grant, { ...UNKNOWN, repeat: false } as AttemptOutcome)],
  ["expired", (rig) => (rig.advance(200), rig.alarm())],
  [
    "expired, granted again, and accepted by the first",
    (rig, grant) => {
      rig.advance(200);
      rig.alarm();
      expect(rig.grant(1, "another").token).toBe(2);
      rig.told(grant, sentTo(grant));
    },
  ],
  [
    "accepted after its lease",
    (rig, grant) => {
      rig.advance(200);
      rig.told(grant, sentTo(grant));
    },
  ],
  ["cancelled", (rig) => rig.cancel()],
  [
    "cancelled and accepted",
    (rig, grant) => {
      rig.cancel();
      rig.told(grant, sentTo(grant));
    },
  ],
  [
    "cancelled and rejected",
    (rig, grant) => {
      rig.cancel();
      rig.told(grant, REJECTED);
    },
  ],
  [
    "suppressed and accepted",
    (rig, grant) => {
      rig.suppress("r2");
      rig.told(grant, sentTo(grant));
    },
  ],
  [
    "suppressed and deferred",
    (rig, grant) => {
      rig.suppress("r2");
      rig.told(grant, deferredFor(5));
      rig.advance(200);
      rig.alarm();
      expect(rig.refusal(1, "another")).toBe("settled");
    },
  ],
  ["told of by a webhook", feedback],
  [
    "told of by a webhook and accepted",
    (rig, grant) => {
      feedback(rig);
      rig.told(grant, sentTo(grant));
    },
  ],
];

export function unwrittenGroup(test: ContractTest): void {
  describe("unwritten batches", () => {
    test("whose members are all accepted write each of them once", (rig) => {
      rig.sending(3);
      const grant = rig.grant(1);
      expect(rawStatuses(rig)).toEqual(["pending", "pending", "pending"]);
      expect(unwrittenBatches(rig)).toEqual([1]);
      expect(rig.stats()).toEqual({ reserved: 3 });
      rig.told(grant, sentTo(grant));
      expect(rawStatuses(rig)).toEqual(["sent", "sent", "sent"]);
      expect(unwrittenBatches(rig)).toEqual([]);
      expect(rig.story("r1")).toMatchObject({ batch: 1, providerId: "mail-1", reason: null });
    });

    for (const [name, look] of LOOKS) {
      test(`G5: ${name} shows who is in one as reserved, since its reserve`, (rig) => {
        rig.sending(4, { batchSize: 3 });
        rig.advance(1);
        const grant = rig.grant(1);
        const reservedAt = rig.now;
        rig.advance(1);
        const shown = [look(rig)].flat();
        expect(shown[0]).toMatchObject({ status: "reserved", batch: 1, updatedAt: reservedAt });
        expect(itemsOf(rig, "pending").map(({ id }) => id)).toEqual(["r4"]);
        rig.told(grant, sentTo(grant));
        expect(rig.stats()).toEqual({ sent: 3, remaining: 1 });
      });
    }

    test("G1: a replay and a resolve that name somebody in one leave them where they are", (rig) => {
      rig.sending(2);
      rig.grant(1);
      const ids = ["r1"] as RecipientId[];
      const replayed = taken(rig.ledger.replay({ ids, acceptDuplicateRisk: true }, rig.now));
      expect(replayed).toMatchObject({ replayed: 0, left: [{ id: "r1", status: "reserved" }] });
      expect(refusalOf(rig.ledger.resolve({ ids, as: "sent" }, rig.now))).toEqual({
        code: "notInDoubt",
        recipients: [{ id: "r1", status: "reserved" }],
      });
    });

    for (const [name, fate] of FATES) {
      test(`G5: one that is ${name} ends as if it had been written at its reserve`, (rig) => {
        rig.sending(6, { batchSize: 3, pauseAtFailureRate: 1 });
        const grant = rig.grant(1);
        rig.grant(2, "beside it");
        const written = after(rig, (life) => {
          itemsOf(life, null);
          expect(unwrittenBatches(life)).toEqual([]);
          fate(life, grant);
        });
        expect(unwrittenBatches(rig)).toEqual([1, 2]);
        expect(after(rig, (life) => fate(life, grant))).toEqual(written);
        expect(idsOf(grant)).toEqual(["r1", "r2", "r3"]);
      });
    }

    test("G6: a suppression during the lease writes that batch alone, and is kept", (rig) => {
      rig.sending(6, { batchSize: 3 });
      const grant = rig.grant(1);
      rig.grant(2);
      rig.suppress("r2");
      expect(unwrittenBatches(rig)).toEqual([2]);
      expect(rig.story("r2")).toMatchObject({ status: "reserved", suppression: expect.anything() });
      rig.told(grant, REJECTED);
      expect(rig.statusOf("r2")).toBe("suppressed");
      expect(rig.stats()).toEqual({ remaining: 2, reserved: 3, suppressed: 1 });
    });

    test("a webhook for somebody whose batch is settled, or not yet made, writes nothing down", (rig) => {
      rig.sending(9, { batchSize: 3 });
      const grant = rig.grant(1);
      rig.told(grant, sentTo(grant));
      rig.grant(2);
      feedback(rig);
      rig.suppress("r9");
      expect(unwrittenBatches(rig)).toEqual([2]);
      expect(rawStatuses(rig).slice(3)).toEqual([
        ...Array<string>(5).fill("pending"),
        "suppressed",
      ]);
    });

    test("a repeated grant of the same claim, a pause and a status write nothing down", (rig) => {
      rig.sending(3);
      const grant = rig.grant(1, "one");
      expect(rig.grant(1, "one")).toEqual(grant);
      expect(rig.refusal(1, "two")).toBe("inFlight");
      rig.pause();
      rig.resume();
      expect(unwrittenBatches(rig)).toEqual([1]);
    });

    test("people who were put back, and those of other queues, are written at once", (rig) => {
      rig.sending(2, { batchSize: 2 });
      rig.told(rig.grant(1), REJECTED);
      const [again] = rig.alarm();
      rig.grant(again ?? 0);
      expect(rawStatuses(rig)).toEqual(["reserved", "pending"]);
      expect(unwrittenBatches(rig)).toEqual([]);
    });

    test("G2: the schema lets none leave its first lease before its members are written", (rig) => {
      rig.sending(3);
      rig.grant(1);
      const refuses = (change: string, why: RegExp) =>
        expect(() => rig.storage.sql.exec(change).toArray(), change).toThrow(why);
      const batch = "UPDATE batches SET";
      refuses(`${batch} state = 'waiting', repeat_at = due_at, claim = NULL`, /CHECK/);
      refuses(`${batch} state = 'dissolved', due_at = NULL, claim = NULL`, /CHECK/);
      refuses(`${batch} unknown_attempts = 1`, /CHECK/);
      refuses(`${batch} unsettled = 2`, /CHECK/);
      refuses(`${batch} token = 2`, /CHECK/);
      refuses("UPDATE counters SET next_seq = next_seq - 1", /only moves forward/);
      expect(rig.story("r1").status).toBe("reserved");
      refuses(`${batch} unwritten = 1`, /written once/);
    });
  });
}
