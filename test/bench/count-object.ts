/**
 * Counts what the platform bills for an object, around the object that ships: rows by SqlStorage's
 * own figures, alarms that were set (each a row written), and requests (calls, alarms, sockets).
 *
 * The counts live as long as the isolate; a campaign that is counted is run in one.
 */

/** What an object has cost since it was opened. */
export type Counted = {
  readonly rowsRead: number;
  /** With one for each alarm that was set (Cloudflare, "Durable Objects: Pricing"). */
  readonly rowsWritten: number;
  readonly requests: number;
  /** What its database holds now. */
  readonly databaseBytes: number;
};

export class ObjectCounts {
  requests = 0;
  #rowsRead = 0;
  #rowsWritten = 0;
  readonly #storage: DurableObjectStorage;

  /** Has to be there before the object is: its constructor migrates its tables. */
  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    const exec = storage.sql.exec.bind(storage.sql);
    storage.sql.exec = ((query: string, ...bindings: unknown[]) => {
      const cursor = exec(query, ...bindings);
      // The ledger reads each cursor at once and whole (src/ledger/sql.ts), and a cursor knows its
      // figures when it has been read.
      return { toArray: () => this.#add(cursor) };
    }) as unknown as typeof storage.sql.exec;
    const setAlarm = storage.setAlarm.bind(storage);
    storage.setAlarm = (at, options) => {
      this.#rowsWritten += 1;
      return setAlarm(at, options);
    };
  }

  #add(cursor: SqlStorageCursor<Record<string, SqlStorageValue>>): unknown[] {
    const rows = cursor.toArray();
    this.#rowsRead += cursor.rowsRead;
    this.#rowsWritten += cursor.rowsWritten;
    return rows;
  }

  read(): Counted {
    return {
      rowsRead: this.#rowsRead,
      rowsWritten: this.#rowsWritten,
      requests: this.requests,
      databaseBytes: this.#storage.sql.databaseSize,
    };
  }
}

type Method = (...asked: unknown[]) => unknown;

/** Makes each method that `shipped` has a request of the object that `counts` names. */
export function countRequests<Shipped extends object, Counting extends Shipped>(
  shipped: { readonly prototype: Shipped },
  counting: { readonly prototype: Counting },
  counts: (object: Counting) => ObjectCounts,
): void {
  for (const name of Object.getOwnPropertyNames(shipped.prototype)) {
    const method = (shipped.prototype as Record<string, unknown>)[name];
    if (name === "constructor" || typeof method !== "function") continue;
    const counted = function counted(this: Counting, ...asked: unknown[]): unknown {
      counts(this).requests += 1;
      return (method as Method).apply(this, asked);
    };
    Object.defineProperty(counting.prototype, name, { value: counted });
  }
}
