import { describe, expect, it } from "vitest";
import { endSession, isSessionEnded } from "../../../src/account/ended-sessions.ts";
import { ACCOUNT_MIGRATIONS } from "../../../src/account/schema.ts";
import { MAX_ENDED_SESSIONS } from "../../../src/domain/limits.ts";
import { migrate } from "../../../src/ledger/migrations.ts";
import { NodeStorage } from "../../support/node-storage.ts";

function account(): NodeStorage {
  const storage = new NodeStorage();
  migrate(storage, ACCOUNT_MIGRATIONS);
  return storage;
}

const count = (storage: NodeStorage) =>
  storage.sql.exec("SELECT COUNT(*) AS n FROM ended_sessions").toArray()[0]?.["n"];

describe("sessions that were signed out", () => {
  it("stay ended, and others are untouched", () => {
    const storage = account();
    expect(isSessionEnded(storage, "a")).toBe(false);
    expect(endSession(storage, "a", 100, 0)).toBe(true);
    expect(endSession(storage, "a", 100, 1)).toBe(true);
    expect(isSessionEnded(storage, "a")).toBe(true);
    expect(isSessionEnded(storage, "b")).toBe(false);
  });

  it("are forgotten when they would be over anyway, and not before", () => {
    const storage = account();
    endSession(storage, "a", 100, 0);
    endSession(storage, "b", 200, 99);
    expect(count(storage)).toBe(2);
    endSession(storage, "c", 300, 100);
    expect(isSessionEnded(storage, "a")).toBe(false);
    expect(isSessionEnded(storage, "b")).toBe(true);
  });

  it("are bounded: one too many is refused, and none is forgotten for it", () => {
    const storage = account();
    storage.sql.exec(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
        INSERT INTO ended_sessions SELECT 'x' || i, 100 FROM n`,
      MAX_ENDED_SESSIONS - 1,
    );
    expect(endSession(storage, "last", 100, 0)).toBe(true);
    expect(endSession(storage, "more", 100, 0)).toBe(false);
    expect(isSessionEnded(storage, "more")).toBe(false);
    expect(isSessionEnded(storage, "x1")).toBe(true);
    expect(endSession(storage, "later", 200, 100)).toBe(true);
  });
});
