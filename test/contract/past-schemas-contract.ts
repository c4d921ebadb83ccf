/**
 * Ledgers of every past schema, with something in every table and in every state, brought to the
 * present one: whatever their release said of them is still so, and what goes on from there goes on
 * as if nothing had happened (SPEC R-schema).
 */
import { describe, expect, it } from "vitest";
import { Ledger } from "../../src/ledger/ledger.ts";
import { migrate, MIGRATIONS } from "../../src/ledger/migrations.ts";
import type { Storage } from "../../src/ledger/sql.ts";
import {
  LATER_MILLISECONDS,
  tell,
  thaw,
  type FrozenLedger,
  type Told,
} from "../releases/frozen-ledger.ts";
import { DRAWN } from "../releases/lives.ts";
import { checkLedger } from "./checked-ledger.ts";
import type { Within } from "./rig.ts";

export type Release = { readonly version: string; readonly ledgers: readonly FrozenLedger[] };

function tablesOf({ sql }: FrozenLedger): Set<string> {
  const filled = sql.map((each) => /^INSERT INTO (\w+)/.exec(each)?.[1]);
  return new Set(filled.filter((table) => table !== undefined));
}

function schemaOf({ sql }: FrozenLedger): number {
  return sql.filter((each) => each.startsWith("INSERT INTO _migrations ")).length;
}

/** What is on disk, whatever its schema: each table by its columns of then. */
function rowsOf(storage: Storage, frozen: FrozenLedger): unknown {
  return [...tablesOf(frozen)]
    .filter((table) => table !== "_migrations")
    .map((table) => storage.sql.exec(`SELECT * FROM ${table} ORDER BY 1, 2`).toArray());
}

/** Each field that was told is told again; a later release may tell more. */
function expectTold(now: Told, then: Told): void {
  expect(now.status).toMatchObject(then.status);
  expect(now.stories).toHaveLength(then.stories.length);
  for (const [at, story] of then.stories.entries()) expect(now.stories[at]).toMatchObject(story);
  expect(now.held).toMatchObject(then.held);
  expect(now.later).toMatchObject(then.later);
}

/** @param within gives each test an empty storage, and runs it where that may be used */
export function pastSchemasContract(
  name: string,
  within: Within,
  releases: readonly Release[],
): void {
  const test = (what: string, body: (storage: Storage) => void) => it(what, () => within(body));

  for (const { version, ledgers } of releases) {
    describe(`R-schema: ledgers of ${version} on ${name}`, () => {
      it("R-schema: between them they have rows in every table of their schema", () => {
        const tables = ledgers.flatMap(({ sql }) =>
          sql
            .map((each) => /^CREATE TABLE (\w+)/.exec(each)?.[1])
            .filter((each) => each !== undefined),
        );
        const filled = new Set(ledgers.flatMap((each) => [...tablesOf(each)]));
        expect([...filled].toSorted()).toEqual([...new Set(tables)].toSorted());
      });

      for (const frozen of ledgers) {
        const past = schemaOf(frozen);
        // To the present by way of each schema in between, as an object is that slept meanwhile or didn't.
        for (let stop = past; stop <= MIGRATIONS.length; stop += 1) {
          test(`G3, G7, R-schema: ${frozen.name}, from schema ${past} by ${stop}`, (storage) => {
            thaw(storage, frozen);
            migrate(storage, MIGRATIONS.slice(0, stop));
            const before = rowsOf(storage, frozen);
            const ledger = new Ledger(storage, frozen.now);
            expect(rowsOf(storage, frozen)).toMatchObject(before as object);
            checkLedger(ledger, storage, frozen.now);
            const mark = ledger.marks.read(frozen.now);
            expect(mark).toMatchObject({
              grants: attempts(storage),
              decisions: decisions(storage),
              listNumber: null,
            });
            expectTold(tell(ledger, storage, frozen.now), frozen.told);
            checkLedger(ledger, storage, frozen.now + LATER_MILLISECONDS);
          });
        }

        test(`G1, G2, R-schema: ${frozen.name} of schema ${past} goes on to its end`, (storage) => {
          thaw(storage, frozen);
          const ledger = new Ledger(storage, frozen.now);
          const end = finish(ledger, storage, frozen);
          const { total, sent, failed, suppressed, inDoubt, cancelled } = end;
          expect(sent + failed + suppressed + inDoubt + cancelled).toBe(total);
        });

        test(`R-schema: a release of before refuses ${frozen.name}, and loses nothing`, (storage) => {
          thaw(storage, frozen);
          migrate(storage);
          const before = rowsOf(storage, frozen);
          if (past === MIGRATIONS.length) return migrate(storage, MIGRATIONS.slice(0, past));
          expect(() => migrate(storage, MIGRATIONS.slice(0, past))).toThrow(
            `migration ${past + 1} `,
          );
          expect(rowsOf(storage, frozen)).toEqual(before);
        });
      }
    });
  }
}

/** Whatever has held mails back stands in the audit trail. */
function decisions(storage: Storage): number {
  const types = storage.sql.exec("SELECT type FROM events").toArray();
  const held = new Set<unknown>(["paused", "cancelled", "enrolmentClosed", "resolved"]);
  return types.filter(({ type }) => held.has(type)).length;
}

function attempts(storage: Storage): number {
  return Number(storage.sql.exec("SELECT count(*) AS n FROM attempts").toArray()[0]?.["n"]);
}

/** Sends whatever may be sent, with a provider that takes everything, until nothing is left open. */
function finish(ledger: Ledger, storage: Storage, { now: then, told }: FrozenLedger) {
  let now = then;
  if (told.status.state === "draft") ledger.start(null, "https://mail.example", DRAWN, now);
  if (told.status.state === "paused") ledger.resume(DRAWN, now);
  const keys = new Map<string, string>();
  for (let round = 0; round < 200; round += 1) {
    ledger.tick(DRAWN, now);
    const due = ledger.dueDispatches(now);
    if (due.length > 0) ledger.dispatchesSent(due, now);
    for (const dispatch of due) {
      const answer = ledger.reserve({ by: "dispatch", dispatch, claim: "at the end" }, [], now);
      if (!answer.ok || !answer.value.granted) continue;
      const { batch: number, token, members, idempotencyKey } = answer.value;
      const people = JSON.stringify(members);
      expect(keys.get(idempotencyKey) ?? people, "one key, one list").toBe(people);
      keys.set(idempotencyKey, people);
      const results = members.map(({ seq }) => ({
        seq,
        outcome: "sent" as const,
        providerId: `mail-${seq}`,
      }));
      ledger.report({ batch: { number }, token, outcome: { kind: "answered", results } }, 0, now);
    }
    checkLedger(ledger, storage, now);
    const deadline = ledger.outlook(now)?.work ?? null;
    if (deadline === null) break;
    now = Math.max(deadline, now);
  }
  const status = ledger.status(now);
  if (status === null) throw new Error("there is a campaign");
  expect(status.stats).toEqual(ledger.recount(now));
  return { ...status.stats, total: status.stats.total - status.stats.reserved };
}
