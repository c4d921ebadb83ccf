/**
 * The storage of one simulated object, with the platform's implicit transaction: all that an event
 * writes, and the alarm it sets, is kept as a whole or not at all (workerd, ImplicitTxn).
 */
import { NodeStorage } from "../support/node-storage.ts";
import type { SqlRow, SqlValue, Storage } from "../../src/ledger/sql.ts";
import { Journal } from "./journal.ts";

/** What a failing storage says. It meets the alarm, and calls that go on while that runs. */
export const STORAGE_FAILS = "the storage fails";

/** Thrown by a fault, so that it is told apart from a failure of the code under test. */
export class InjectedError extends Error {
  readonly injected = true;
  readonly retryable: boolean;
  readonly overloaded: boolean;

  constructor(message: string, flags: { retryable?: boolean; overloaded?: boolean } = {}) {
    super(message);
    this.retryable = flags.retryable ?? false;
    this.overloaded = flags.overloaded ?? false;
  }
}

export function isInjected(error: unknown): boolean {
  return (error as { injected?: unknown } | null)?.injected === true;
}

export class ObjectStorage {
  readonly node = new NodeStorage();
  readonly journal = new Journal(this.node.database);
  /** When the alarm stands, in the platform's time; null: none. */
  alarmAt: number | null = null;
  /** Statements until one fails; 0: none will. */
  failAfter = 0;
  /** Calls from outside are spared: only the alarm meets a failing storage. */
  isSpared = false;
  #isOpen = false;
  #hasWritten = false;
  #alarmWanted: number | undefined;

  /** Whether the event that runs has written anything. */
  get hasWritten(): boolean {
    return this.#hasWritten || this.#alarmWanted !== undefined;
  }

  /** Storage for one life of the object; after that life it refuses everything. */
  handle(isAlive: () => boolean): Storage & {
    setAlarm(at: number): Promise<void>;
    getAlarm(): Promise<number | null>;
    deleteAll(): Promise<void>;
  } {
    const guard = (): void => {
      if (!isAlive()) throw new InjectedError("the object has ended");
    };
    return {
      sql: {
        exec: (query, ...bindings) => {
          guard();
          return this.#exec(query, bindings);
        },
      },
      transactionSync: (closure) => {
        guard();
        return this.#transaction(closure);
      },
      setAlarm: async (at) => {
        // Nobody waits for this promise, so an ended life refuses in silence.
        if (isAlive()) this.#alarmWanted = at;
      },
      getAlarm: async () => this.alarmAt,
      deleteAll: () => Promise.reject(new Error("no campaign is erased here")),
    };
  }

  #exec(query: string, bindings: SqlValue[]): { toArray(): SqlRow[] } {
    if (this.failAfter > 0 && !this.isSpared) {
      this.failAfter -= 1;
      if (this.failAfter === 0) throw new InjectedError(STORAGE_FAILS);
    }
    if (!query.startsWith("SELECT")) {
      this.#open();
      this.#hasWritten = true;
    }
    return this.node.sql.exec(query, ...bindings);
  }

  #transaction<T>(closure: () => T): T {
    // Before the savepoint of the transaction, which would otherwise release this one as well.
    this.#open();
    const before = this.journal.length;
    try {
      return this.node.transactionSync(closure);
    } catch (error) {
      this.journal.truncate(before);
      throw error;
    }
  }

  #open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.node.database.exec("SAVEPOINT event");
  }

  /** @returns whether the alarm has been set anew */
  commit(): boolean {
    if (this.#isOpen) this.node.database.exec("RELEASE event");
    if (this.#hasWritten) this.journal.install(this.node.database);
    this.#isOpen = false;
    this.#hasWritten = false;
    const alarm = this.#alarmWanted;
    this.#alarmWanted = undefined;
    if (alarm === undefined) return false;
    this.alarmAt = alarm;
    return true;
  }

  rollback(): void {
    if (this.#isOpen) this.node.database.exec("ROLLBACK TO event; RELEASE event");
    this.#isOpen = false;
    this.#hasWritten = false;
    this.#alarmWanted = undefined;
    this.journal.truncate(0);
  }
}
