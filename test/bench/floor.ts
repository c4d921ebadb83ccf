/**
 * The floor of a reserve and a report: the statements of the ledger, replayed on `node:sqlite` with
 * nothing above them. Two transactions a round, each on disk before the next begins.
 *
 * What the ledger runs for a campaign of this size is written down once, and then replayed on a
 * second database with the same recipients. Both see the same rows in the same order, so the replay
 * does the same work.
 */
import type { StatementSync } from "node:sqlite";
import { join } from "node:path";
import type { Address, CampaignId, DispatchNumber, RecipientId } from "../../src/domain/ids.ts";
import { DEFAULT_SETTINGS } from "../../src/domain/settings.ts";
import { Ledger } from "../../src/ledger/ledger.ts";
import type { SqlValue, Storage } from "../../src/ledger/sql.ts";
import { contentOf } from "../support/content.ts";
import { NodeStorage } from "../support/node-storage.ts";
import { temporaryFolder } from "../support/processes.ts";
import { providerId } from "./provider-id.ts";

const BATCH = 100;
const NOW = 1_790_000_000_000;
const DRAWN = { contentId: "content-1", linkSecret: "ab".repeat(32) };

type Step = { readonly sql: string; readonly bindings: readonly SqlValue[] };
/** What one transaction ran, and in which round; null: before or between the rounds. */
type Written = { readonly round: number | null; readonly steps: Step[] };

/** Writes down what each transaction runs, while it runs it. */
class RecordingStorage implements Storage {
  readonly transactions: Written[] = [];
  round: number | null = null;
  readonly #real: Storage;
  #open: Step[] | null = null;

  constructor(real: Storage) {
    this.#real = real;
  }

  readonly sql = {
    exec: (sql: string, ...bindings: SqlValue[]) => {
      this.#open?.push({ sql, bindings });
      return this.#real.sql.exec(sql, ...bindings);
    },
  };

  transactionSync<T>(closure: () => T): T {
    if (this.#open !== null) return this.#real.transactionSync(closure);
    this.#open = [];
    this.transactions.push({ round: this.round, steps: this.#open });
    try {
      return this.#real.transactionSync(closure);
    } finally {
      this.#open = null;
    }
  }
}

/** A file as a database that is on disk when a transaction has returned. */
function openFile(path: string): NodeStorage {
  const storage = new NodeStorage(path);
  storage.database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  return storage;
}

function taken<T>(answer: { ok: true; value: T } | { ok: false; refusal: unknown }): T {
  if (!answer.ok) throw new Error(`refused: ${JSON.stringify(answer.refusal)}`);
  return answer.value;
}

/** A campaign of `recipients` that is sending. Its rows are those of stack.ts. */
function begun(storage: Storage, recipients: number): Ledger {
  const ledger = new Ledger(storage, NOW);
  const content = contentOf({ text: "Hello {{ firstName }}" });
  const draft = {
    name: "Floor",
    delivery: "managed",
    content,
    settings: DEFAULT_SETTINGS,
  } as const;
  taken(ledger.create("floor" as CampaignId, draft, NOW));
  for (let from = 0; from < recipients; from += 1_000) {
    const page = Array.from({ length: 1_000 }, (_, at) => person(from + at));
    taken(ledger.enrol(page, [], NOW));
  }
  taken(ledger.start(null, "https://mail.example.org", DRAWN, NOW));
  ledger.tick(DRAWN, NOW);
  return ledger;
}

function person(at: number) {
  return {
    line: at + 2,
    id: `u_${at}` as RecipientId,
    address: `ada.${at}@mail.example` as Address,
    email: `Ada.${at}@mail.example`,
    data: { firstName: "Ada", lastName: `Lovelace, ${at}`, city: "Zürich", plan: "pro" },
  };
}

/** Mails all of a campaign that has begun; `around` is given each round to play it. */
function mailAll(
  ledger: Ledger,
  recipients: number,
  around: (play: () => void, round: number) => void,
): void {
  for (let round = 0; round < recipients / BATCH;) {
    const due = ledger.dueDispatches(NOW);
    ledger.dispatchesSent(due, NOW);
    for (const dispatch of due) {
      around(() => playRound(ledger, dispatch), round);
      round += 1;
    }
    ledger.tick(DRAWN, NOW);
  }
}

/** Everything that the ledger runs for a campaign that is mailed to its end. */
function written(recipients: number): readonly Written[] {
  const recording = new RecordingStorage(openFile(join(temporaryFolder("recorded"), "ledger")));
  mailAll(begun(recording, recipients), recipients, (play, round) => {
    recording.round = round;
    play();
    recording.round = null;
  });
  return recording.transactions;
}

/** @returns milliseconds of each round of 100 of the ledger that ships, with no object around it */
export function ledgerRounds(recipients: number): number[] {
  const milliseconds: number[] = [];
  const ledger = begun(openFile(join(temporaryFolder("alone"), "ledger")), recipients);
  mailAll(ledger, recipients, (play) => {
    const began = performance.now();
    play();
    milliseconds.push(performance.now() - began);
  });
  return milliseconds;
}

function playRound(ledger: Ledger, dispatch: DispatchNumber): void {
  const request = { by: "dispatch", dispatch, claim: "bench" } as const;
  const grant = taken(ledger.reserve(request, [], NOW));
  if (!grant.granted) throw new Error(grant.reason);
  const results = grant.members.map(({ seq }) => ({
    seq,
    outcome: "sent" as const,
    providerId: providerId(seq),
  }));
  const outcome = { kind: "answered", results } as const;
  taken(ledger.report({ batch: { number: grant.batch }, token: grant.token, outcome }, 0, NOW));
}

/** @returns milliseconds of each round of 100: what a reserve and a report run, and no more */
export function floorRounds(recipients: number): number[] {
  const { database } = openFile(join(temporaryFolder("floor"), "ledger"));
  const prepared = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    const known = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, known);
    return known;
  };
  const milliseconds: number[] = [];
  for (const { round, steps } of written(recipients)) {
    const began = performance.now();
    database.exec("BEGIN");
    for (const { sql, bindings } of steps) {
      // Only a script, such as the schema, has several statements, and it has no parameters.
      if (bindings.length === 0 && sql.includes(";")) database.exec(sql);
      else prepare(sql).all(...bindings);
    }
    database.exec("COMMIT");
    if (round === null) continue;
    milliseconds[round] = (milliseconds[round] ?? 0) + performance.now() - began;
  }
  return milliseconds;
}
