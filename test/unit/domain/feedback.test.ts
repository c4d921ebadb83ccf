import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  climb,
  FATES,
  fateOf,
  isPlausible,
  suppressionBy,
  type Fate,
  type FeedbackEvent,
  type ToldFate,
} from "../../../src/domain/feedback.ts";
import type { Address, Seq } from "../../../src/domain/ids.ts";

function ordersOf<Item>(items: readonly Item[]): Item[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((first, at) =>
    ordersOf(items.toSpliced(at, 1)).map((rest) => [first, ...rest]),
  );
}

function endOf(told: readonly ToldFate[]): ToldFate | null {
  return told.reduce<ToldFate | null>(climb, null);
}

describe("a fate", () => {
  it("C62: is the same after all 24 orders, and the complaint wins", () => {
    const told = (["complained", "delivered", "bounced", "sent"] as const).map((fate, at) => ({
      fate,
      at: 1000 - at,
    }));
    const orders = ordersOf(told);
    expect(orders).toHaveLength(24);
    for (const order of orders) expect(endOf(order)).toEqual({ fate: "complained", at: 1000 });
  });

  const toldFates = fc.array(
    fc.record({ fate: fc.constantFrom(...FATES), at: fc.integer({ min: 1, max: 5 }) }),
    { minLength: 1, maxLength: 8 },
  );

  it("G8: never falls, and no order, double or delay changes where it ends", () => {
    fc.assert(
      fc.property(toldFates, fc.array(fc.nat(7)), (told, doubles) => {
        const again = doubles.flatMap((at) => told[at] ?? []);
        const end = endOf(told);
        expect(endOf([...told.toReversed(), ...again])).toEqual(end);
        for (const [count] of told.entries()) {
          const so = endOf(told.slice(0, count + 1))?.fate ?? "sent";
          expect(FATES.indexOf(so)).toBeLessThanOrEqual(FATES.indexOf(end?.fate ?? "sent"));
        }
      }),
    );
  });

  it.each<[string, Fate | null]>([
    ["email.sent", "sent"],
    ["email.delivery_delayed", "delayed"],
    ["email.opened", "delivered"],
    ["email.clicked", "delivered"],
    ["email.received", null],
    ["email.invented_tomorrow", null],
    ["contact.created", null],
    ["constructor", null],
  ])("%s tells %s", (type, fate) => {
    expect(fateOf(type)).toBe(fate);
  });
});

describe("an event forbids further mail", () => {
  it.each<[Fate, string | null, string | null, string | null]>([
    ["complained", null, null, "complaint"],
    ["bounced", "Permanent", null, "hardBounce"],
    ["bounced", "Transient", null, null],
    ["bounced", "Undetermined", null, null],
    ["bounced", null, null, null],
    ["suppressed", null, "previous_complaint", "complaint"],
    ["suppressed", null, "previous_bounce", "hardBounce"],
    ["suppressed", null, null, "hardBounce"],
    ["failed", null, null, null],
    ["delivered", "Permanent", "previous_complaint", null],
  ])("%s, bounce %s, cause %s: %s", (fate, bounce, cause, reason) => {
    expect(suppressionBy(fate, bounce, cause)).toBe(reason);
  });
});

describe("an event is one of this campaign", () => {
  const ADA = "ada@example.org" as Address;
  const STARTED = 1_790_000_000_000;
  const event: FeedbackEvent = {
    seq: 1 as Seq,
    providerId: "re_1",
    fate: "sent",
    at: null,
    acceptedAt: STARTED + 1000,
    addresses: [ADA],
  };
  const recipient = { address: ADA, wasReserved: true, startedAt: STARTED };

  it("where all that it says fits", () => {
    expect(isPlausible(event, recipient)).toBe(true);
    expect(isPlausible({ ...event, acceptedAt: null, addresses: [] }, recipient)).toBe(true);
    expect(isPlausible({ ...event, acceptedAt: STARTED - 59_000 }, recipient)).toBe(true);
  });

  it("and not where the mail is older, somebody else's, or was never asked for", () => {
    expect(isPlausible({ ...event, acceptedAt: STARTED - 61_000 }, recipient)).toBe(false);
    expect(isPlausible({ ...event, addresses: ["b@example.org" as Address] }, recipient)).toBe(
      false,
    );
    expect(isPlausible(event, { ...recipient, wasReserved: false })).toBe(false);
    expect(isPlausible(event, { ...recipient, startedAt: null })).toBe(false);
  });
});
