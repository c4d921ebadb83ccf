/**
 * No statement of the product scans a table (STYLE 4): each is explained, and the few that read a
 * whole table are named here with what bounds it.
 */
import { describe, expect, it } from "vitest";
import { Account } from "../../src/account/account.ts";
import { ACCOUNT_MIGRATIONS } from "../../src/account/schema.ts";
import { Ledger } from "../../src/ledger/ledger.ts";
import { migrate } from "../../src/ledger/migrations.ts";
import { declaredStatements } from "../../src/ledger/sql.ts";
import type { Within } from "./rig.ts";

const OF_THE_ACCOUNT = new Set([
  "directory",
  "gate",
  "looks",
  "marks",
  "sessions",
  "suppressions",
  "watch",
]);

const SCANS: ReadonlyMap<string, string> = new Map([
  ["migrations.table", "sqlite_master has a row for each table and index"],
  ["migrations.recorded", "a row for each migration"],
  ["recount.byStatus", "only checks and tests recount; no request does"],
  ["sessions.count", "MAX_ENDED_SESSIONS rows, at a sign-out"],
  ["reopen.deadLettered", "MAX_DEAD_LETTERS rows, at an operator's word"],
  ["reopen.markReplayed", "MAX_DEAD_LETTERS rows, at an operator's word"],
]);

/** Reads from somewhere to the end of the recipients: a scan, unless something else ends it. */
const OPEN_ENDED: ReadonlyMap<string, string> = new Map([
  ["pick.fresh", "a LIMIT, and whoever is passed over is passed over once"],
  ["cancel.fresh", "writes every row that it reads, once in the life of a campaign"],
]);

/** @param within gives each test an empty storage, and runs it where that may be used */
export function statementsContract(name: string, within: Within): void {
  describe(`statements on ${name}`, () => {
    for (const { name: statement, sql, order } of declaredStatements()) {
      it(statement, () =>
        within((storage) => {
          const account = OF_THE_ACCOUNT.has(statement.split(".")[0] ?? "");
          migrate(storage, ...(account ? [ACCOUNT_MIGRATIONS] : []));
          const plan = storage.sql
            .exec(`EXPLAIN QUERY PLAN ${sql}`, ...order.map(() => null))
            .toArray()
            .map((row) => String(row["detail"]));
          const scans = plan.filter((step) => /\bSCAN\b/.test(step) && !isBounded(step));
          if (SCANS.has(statement)) expect(scans).not.toEqual([]);
          else expect(scans, plan.join("; ")).toEqual([]);
          const open = plan.filter((step) => /\(rowid>\?\)/.test(step) && /recipients/.test(step));
          expect(open.length > 0, plan.join("; ")).toBe(OPEN_ENDED.has(statement));
        }),
      );
    }

    it("none is planned anew at each run for the value behind its LIMIT", () => {
      const bare = declaredStatements().filter(({ sql }) => /LIMIT \?/.test(sql));
      expect(bare.map((statement) => statement.name)).toEqual([]);
    });

    it("the objects that declare them are loaded", () => {
      expect([Account.name, Ledger.name]).toEqual(["Account", "Ledger"]);
    });

    it("every exception is a statement", () => {
      const names = new Set(declaredStatements().map((statement) => statement.name));
      const listed = [...SCANS.keys(), ...OPEN_ENDED.keys()];
      expect(listed.filter((exception) => !names.has(exception))).toEqual([]);
    });
  });
}

/** No table: a list that is a parameter, which its callers bound, or the one row of a bare SELECT. */
function isBounded(step: string): boolean {
  return /SCAN (j|json_each|CONSTANT ROW)\b/.test(step);
}
