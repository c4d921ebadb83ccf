/** What the tests of erasure and of retention ask of a ledger. */
import { expect } from "vitest";
import type { Address, RecipientId } from "../../../src/domain/ids.ts";
import type { ErasureAnswer } from "../../../src/domain/person.ts";
import type { ReserveAnswer } from "../../../src/domain/reservation.ts";
import { grantIn, person, taken, type Rig } from "../rig.ts";

export const DAY = 86_400;
export const addressOf = (id: string) => `${id}@example.org` as Address;

export const entryOf = (rig: Rig, id: string) => ({
  address: addressOf(id),
  reason: "operator" as const,
  at: rig.now,
  erasedAt: rig.now,
});

/** Erases, and has every invariant looked at afterwards. */
export function erase(rig: Rig, id: string): ErasureAnswer {
  const answer = rig.ledger.people.erase(entryOf(rig, id), rig.now);
  rig.ledger.describe(rig.now);
  return answer;
}

/** Everything on disk but the lists of suppressions. */
export function disk(rig: Rig): string {
  const tables = rig.rows() as [string, unknown][];
  return JSON.stringify(tables.filter(([name]) => name !== "suppressions")).toLowerCase();
}

/** Of `person`: the id is a part of the address, of the id and of the data. */
export const holds = (rig: Rig, id: string) => new RegExp(`\\b${id}\\b`).test(disk(rig));

export function retain(rig: Rig, days: number) {
  const step = rig.ledger.people.retain(days, rig.now);
  rig.ledger.describe(rig.now);
  return step;
}

/** Nobody but these, by name, behind a batch whose answer nobody has. */
export function doubted(rig: Rig, reason: string): void {
  rig.sending(3, { idempotencyWindowSeconds: 600 });
  rig.told(rig.grant(1), { kind: "unknown", reason, retryAfterSeconds: null, repeat: false });
  expect(rig.stats()).toEqual({ inDoubt: 3 });
}

/** A reservation of these under such a name, and its answer. */
export function reserve(rig: Rig, reservationId: string, ...names: string[]): ReserveAnswer {
  const recipients = names.map((name) => person(name));
  const request = { by: "recipients", reservationId, recipients, claim: null } as const;
  return taken(rig.ledger.reserve(request, [], rig.now));
}

/** The same, and everybody in it was mailed. */
export function mail(rig: Rig, reservationId: string, ...names: string[]): void {
  const { token } = grantIn(reserve(rig, reservationId, ...names));
  const results = names.map(
    (name) => ({ id: name as RecipientId, outcome: "sent", providerId: `x-${name}` }) as const,
  );
  const request = {
    batch: { reservationId },
    token,
    outcome: { kind: "results", results },
  } as const;
  taken(rig.ledger.report(request, 0, rig.now));
}
