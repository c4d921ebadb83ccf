/**
 * The schema's triggers restate the machines of the domain. Compared twice: by their text, and by
 * trying every move there is on rows that fit all other rules.
 */
import { describe, expect, it } from "vitest";
import { BATCH_STATES, batchMoves } from "../../../src/domain/batch.ts";
import { CAMPAIGN_STATES, campaignMoves, PAUSE_REASONS } from "../../../src/domain/campaign.ts";
import { RECIPIENT_STATUSES, recipientMoves } from "../../../src/domain/recipient.ts";
import { migrate } from "../../../src/ledger/migrations.ts";
import { INITIAL_SCHEMA } from "../../../src/ledger/schema.ts";
import { NodeStorage } from "../../support/node-storage.ts";

type Moves = readonly (readonly [string, string])[];

function arrows(moves: Moves): string[] {
  return [...new Set(moves.map(([from, to]) => `${from}>${to}`))].toSorted();
}

function arrowsOf(trigger: string): string[] {
  const start = INITIAL_SCHEMA.indexOf(`CREATE TRIGGER ${trigger}`);
  const text = INITIAL_SCHEMA.slice(start, INITIAL_SCHEMA.indexOf("BEGIN", start));
  return [...text.matchAll(/'(\w+>\w+)'/g)].map((match) => match[1] ?? "").toSorted();
}

function open(): NodeStorage {
  const storage = new NodeStorage();
  migrate(storage);
  return storage;
}

/** Tries every pair of states. @returns those that the schema let through */
function allowed(
  states: readonly string[],
  insert: (storage: NodeStorage, state: string) => void,
  update: (storage: NodeStorage, state: string) => void,
): string[] {
  const through: string[] = [];
  for (const from of states) {
    for (const to of states) {
      if (from === to) continue;
      const storage = open();
      insert(storage, from);
      try {
        update(storage, to);
        through.push(`${from}>${to}`);
      } catch (error) {
        expect(String(error), `${from} to ${to}`).toContain("makes no such move");
      }
      storage.database.close();
    }
  }
  return through.toSorted();
}

const COLUMNS: Record<string, string[]> = {
  settled: ["NULL", "NULL", "0"],
  dissolved: ["NULL", "NULL", "0"],
  inDoubt: ["NULL", "NULL", "1"],
  leased: ["9", "NULL", "1"],
  waiting: ["9", "9", "1"],
};

// What a status needs is there, and what it forbids is not.
const columns = (status: string) => ({
  batch: "1",
  reason: "'x'",
  suppression: status === "suppressed" ? "'operator'" : "NULL",
  at: status === "suppressed" ? "1" : "NULL",
});

const times = (state: string) => {
  const started = ["draft", "scheduled"].includes(state) ? "NULL" : "1";
  const finished = ["finished", "cancelled"].includes(state) ? "1" : "NULL";
  const paused = state === "paused" ? ["'operator'", "'x'", "1"] : ["NULL", "NULL", "NULL"];
  return { started, finished, paused };
};

const setAfter = (text: string) => {
  const start = INITIAL_SCHEMA.indexOf(text);
  const inside = /IN\s*\(([^)]*)\)/.exec(INITIAL_SCHEMA.slice(start))?.[1] ?? "";
  return [...inside.matchAll(/'(\w+)'/g)].map((match) => match[1]);
};

describe("triggers equal the domain", () => {
  it.each([
    ["recipient_moves", recipientMoves()],
    ["batch_moves", batchMoves()],
    ["campaign_moves", campaignMoves()],
  ] as const)("by text: %s", (trigger, moves) => {
    expect(arrowsOf(trigger)).toEqual(arrows(moves));
  });

  it("by trying: recipients", () => {
    const through = allowed(
      RECIPIENT_STATUSES,
      (storage, status) => {
        const { batch, reason, suppression, at } = columns(status);
        storage.database.exec(
          `INSERT INTO recipients (id, address, data, status, reason, batch, suppression,
            suppressed_at, updated_at)
          VALUES ('a', 'a', '{}', '${status}', ${reason}, ${batch}, ${suppression}, ${at}, 1)`,
        );
      },
      (storage, status) => {
        const { suppression, at } = columns(status);
        storage.database.exec(
          `UPDATE recipients SET status = '${status}', suppression = ${suppression},
            suppressed_at = ${at}`,
        );
      },
    );
    expect(through).toEqual(arrows(recipientMoves()));
  });

  it("by trying: batches", () => {
    const through = allowed(
      BATCH_STATES,
      (storage, state) => {
        const [due, repeat, unsettled] = COLUMNS[state] ?? [];
        storage.database.exec(
          `INSERT INTO batches (batch, state, members, size, unsettled, token, first_attempt_at,
            window_until, repeat_at, due_at)
          VALUES (1, '${state}', '[1]', 1, ${unsettled}, 1, 1, 2, ${repeat}, ${due})`,
        );
      },
      (storage, state) => {
        const [due, repeat, unsettled] = COLUMNS[state] ?? [];
        storage.database.exec(
          `UPDATE batches SET state = '${state}', unsettled = ${unsettled},
            repeat_at = ${repeat}, due_at = ${due}`,
        );
      },
    );
    expect(through).toEqual(arrows(batchMoves()));
  });

  it("by trying: campaigns", () => {
    const through = allowed(
      CAMPAIGN_STATES,
      (storage, state) => {
        const { started, finished, paused } = times(state);
        storage.database.exec(
          `INSERT INTO campaign (one, id, name, delivery, settings, state, created_at,
            scheduled_at, started_at, finished_at, pause_reason, pause_detail, paused_at)
          VALUES (1, 'x', 'x', 'managed', '{}', '${state}', 1, 1, ${started}, ${finished},
            ${paused.join(", ")})`,
        );
      },
      (storage, state) => {
        const { started, finished, paused } = times(state);
        storage.database.exec(
          `UPDATE campaign SET state = '${state}', started_at = ${started},
            finished_at = ${finished}, pause_reason = ${paused[0]},
            pause_detail = ${paused[1]}, paused_at = ${paused[2]}`,
        );
      },
    );
    expect(through).toEqual(arrows(campaignMoves()));
  });

  it("the closed sets of the schema are those of the domain", () => {
    expect(setAfter("status TEXT NOT NULL CHECK")).toEqual([...RECIPIENT_STATUSES]);
    expect(setAfter("state TEXT NOT NULL CHECK (state IN ('leased'")).toEqual([...BATCH_STATES]);
    expect(setAfter("state TEXT NOT NULL\n")).toEqual([...CAMPAIGN_STATES]);
    expect(setAfter("pause_reason TEXT CHECK")).toEqual([...PAUSE_REASONS]);
  });
});
