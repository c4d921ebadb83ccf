/** Feedback in the ledger itself, on `node:sqlite`. */
import { describe, expect, it } from "vitest";
import type { Address, RecipientId } from "../../../src/domain/ids.ts";
import { sentTo, START, taken, UNKNOWN } from "../../contract/rig.ts";
import { about, doubtRig, FeedbackRig, sentRig } from "./feedback-rig.ts";

function ordersOf<Item>(items: readonly Item[]): Item[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((first, at) =>
    ordersOf(items.toSpliced(at, 1)).map((rest) => [first, ...rest]),
  );
}

describe("feedback", () => {
  it("C62: complained, delivered, bounced, sent in all 24 orders end the same", () => {
    const events = (["complained", "delivered", "bounced", "sent"] as const).map((fate, at) =>
      about(1, fate, { at: START + 5000 - at }),
    );
    for (const order of ordersOf(events)) {
      const rig = sentRig(1);
      for (const event of order) rig.hear(event);
      expect(rig.feedback()).toEqual({ delivered: 0, delayed: 0, bounced: 0, complained: 1 });
      expect(rig.story("r1").feedback).toEqual({ state: "complained", at: START + 5000 });
    }
  });

  it("C63: the same event 46 times counts once, and changes nothing after the first", () => {
    const rig = sentRig(2);
    expect(rig.hear(about(1, "delivered"))).toEqual([{ address: "r1@example.org", changed: true }]);
    const rows = rig.rows();
    for (let time = 0; time < 45; time += 1) {
      rig.advance(60);
      expect(rig.hear(about(1, "delivered"))).toEqual([
        { address: "r1@example.org", changed: false },
      ]);
    }
    expect(rig.rows()).toEqual(rows);
    expect(rig.feedback().delivered).toBe(1);
  });

  it("G8: a mail moves from counter to counter as its fate climbs, and never back", () => {
    const rig = sentRig(3);
    rig.hear(about(1, "delayed"), about(2, "delayed"), about(3, "sent"));
    expect(rig.feedback()).toEqual({ delivered: 0, delayed: 2, bounced: 0, complained: 0 });
    rig.hear(about(1, "delivered"), about(2, "bounced"), about(3, "failed"));
    expect(rig.feedback()).toEqual({ delivered: 1, delayed: 0, bounced: 2, complained: 0 });
    rig.hear(about(1, "delayed"), about(2, "delivered"), about(3, "sent"));
    expect(rig.feedback()).toEqual({ delivered: 1, delayed: 0, bounced: 2, complained: 0 });
    expect(() => rig.storage.sql.exec("UPDATE recipients SET feedback = 'sent'")).toThrow(
      /never falls back/,
    );
  });

  it("is not taken for people nobody asked the provider for, nor from before the start", () => {
    const rig = new FeedbackRig();
    rig.sending(200, { batchSize: 100 });
    const grant = rig.grant(1);
    const rows = rig.standing();
    expect(rig.hear(about(150, "sent"), about(999, "sent"))).toEqual([null, null]);
    expect(rig.hear(about(1, "sent", { acceptedAt: START - 3_600_000 }))).toEqual([null]);
    const stranger = ["somebody@example.org" as Address];
    expect(rig.hear(about(1, "complained", { addresses: stranger }))).toEqual([null]);
    expect(rig.standing()).toEqual(rows);
    expect(grant.members).toHaveLength(100);
  });

  it("of a second mail to the same person is no fate of the first", () => {
    const rig = sentRig(1);
    const rows = rig.rows();
    const answer = rig.hear(about(1, "bounced", { providerId: "another" }));
    expect(answer).toEqual([{ address: "r1@example.org", changed: false }]);
    expect(rig.rows()).toEqual(rows);
  });

  it("finds nothing where there is no campaign, and writes nothing", () => {
    const rig = new FeedbackRig();
    expect(rig.hear(about(1, "sent"))).toEqual([null]);
    expect(rig.rows()).toEqual([]);
  });
});

describe("feedback settles", () => {
  it("C02: who is reserved, with the provider's id, before the report or without it", () => {
    const rig = new FeedbackRig();
    rig.sending(2);
    const grant = rig.grant(1);
    rig.hear(about(1, "sent"));
    expect(rig.stats()).toEqual({ sent: 1, reserved: 1 });
    expect(rig.story("r1")).toMatchObject({ status: "sent", providerId: "mail-1" });
    rig.told(grant, sentTo(grant));
    expect(rig.status()).toMatchObject({ state: "finished", stats: { sent: 2 } });
  });

  it("G3: a doubt, and says of the others what is proved and what is not", () => {
    const rig = doubtRig();
    rig.hear(about(2, "delivered"));
    expect(rig.stats()).toEqual({ sent: 1, inDoubt: 3 });
    expect(rig.story("r2")).toMatchObject({ status: "sent", providerId: "mail-2", reason: null });
    expect(rig.story("r3").reason).toMatch(/^the provider accepted the request.*before: /);
    expect(rig.eventTypes()).toContain("acceptanceProved");
    rig.hear(about(1, "sent"), about(3, "sent"), about(4, "bounced"));
    expect(rig.stats()).toEqual({ sent: 4 });
    expect(rig.feedback()).toEqual({ delivered: 1, delayed: 0, bounced: 1, complained: 0 });
    expect(rig.eventTypes().filter((type) => type === "acceptanceProved")).toHaveLength(1);
  });

  it("G1: a proved batch is never dissolved, whatever is said of it later", () => {
    const rig = new FeedbackRig();
    rig.sending(4);
    const grant = rig.grant(1);
    rig.hear(about(1, "sent"));
    rig.told(grant, { kind: "rejected", reason: "bad content", faults: [] });
    expect(rig.stats()).toEqual({ sent: 1, reserved: 3 });
    rig.advance(60);
    rig.alarm();
    const again = rig.grant(1, "consumer-2");
    expect(again.idempotencyKey).toBe(grant.idempotencyKey);
    expect(again.members).toEqual(grant.members);
  });

  it("G3: a doubt that was given up for a new key, before the second mail goes", () => {
    const rig = doubtRig();
    const all = { recipients: "inDoubt", acceptDuplicateRisk: true } as const;
    taken(rig.ledger.replay(all, rig.now));
    expect(rig.stats()).toEqual({ remaining: 4 });
    rig.hear(about(1, "sent"));
    expect(rig.statusOf("r1")).toBe("sent");
    rig.alarm();
    const grant = rig.grant(2);
    expect(grant.members.map((member) => member.id)).toEqual(["r2", "r3", "r4"]);
  });

  it("and leaves who was settled by hand as it is, but for the id", () => {
    const rig = doubtRig();
    const ids = ["r1", "r2"] as RecipientId[];
    taken(rig.ledger.resolve({ ids, as: "sent" }, rig.now));
    rig.hear(about(1, "sent"));
    expect(rig.story("r1")).toMatchObject({ status: "sent", providerId: "mail-1" });
    expect(rig.stats()).toEqual({ sent: 2, inDoubt: 2 });
  });

  it("C10: a mail that went before the unsubscribe shows both", () => {
    const rig = new FeedbackRig();
    rig.sending(2);
    rig.told(rig.grant(1), UNKNOWN);
    rig.suppress("r2");
    rig.hear(about(2, "delivered"));
    expect(rig.story("r2")).toMatchObject({
      status: "sent",
      feedback: { state: "delivered" },
      suppression: { reason: "unsubscribe", at: START },
    });
  });
});
