/** `node:sqlite` as the ledger's storage: the contract suite and the simulator run the SQL that ships. */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { SqlRow, SqlValue, Storage } from "../../src/ledger/sql.ts";

export class NodeStorage implements Storage {
  readonly database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  #depth = 0;

  constructor(path = ":memory:") {
    this.database = new DatabaseSync(path);
  }

  readonly sql = {
    exec: (query: string, ...bindings: SqlValue[]) => {
      const rows = this.#run(query, bindings);
      return { toArray: () => rows };
    },
  };

  #run(query: string, bindings: SqlValue[]): SqlRow[] {
    // Only a script (the schema) has several statements, and it takes no parameters.
    if (bindings.length === 0 && query.includes(";")) {
      this.database.exec(query);
      return [];
    }
    let prepared = this.#prepared.get(query);
    if (prepared === undefined) {
      prepared = this.database.prepare(query);
      this.#prepared.set(query, prepared);
    }
    return prepared.all(...bindings) as SqlRow[];
  }

  /** Like the platform's: nested ones are savepoints, and a throw rolls back its own writes. */
  transactionSync<T>(closure: () => T): T {
    const name = `depth_${this.#depth}`;
    this.database.exec(`SAVEPOINT ${name}`);
    this.#depth += 1;
    try {
      const value = closure();
      this.database.exec(`RELEASE ${name}`);
      return value;
    } catch (error) {
      this.database.exec(`ROLLBACK TO ${name}; RELEASE ${name}`);
      throw error;
    } finally {
      this.#depth -= 1;
    }
  }
}
