/** `node:sqlite` as the audience's database, with the errors of D1. */
import { DatabaseSync } from "node:sqlite";
import type { SegmentDatabase } from "../../src/audience/segment.ts";

export class NodeD1 implements SegmentDatabase {
  readonly database = new DatabaseSync(":memory:");
  /** Every statement that was prepared. */
  readonly asked: string[] = [];

  constructor(script = "") {
    this.database.exec(script);
  }

  prepare(sql: string) {
    this.asked.push(sql);
    return { bind: (...values: string[]) => ({ raw: async () => this.#raw(sql, values) }) };
  }

  #raw(sql: string, values: readonly string[]): unknown[][] {
    try {
      const statement = this.database.prepare(sql);
      statement.setReturnArrays(true);
      return statement.all(...values) as unknown as unknown[][];
    } catch (error) {
      throw new Error(`D1_ERROR: ${error instanceof Error ? error.message : ""}: SQLITE_ERROR`, {
        cause: error,
      });
    }
  }
}
