/** A SQLite storage as the SQL that makes it anew: tables, rows, then indices and triggers. */
import type { SqlRow, SqlValue, Storage } from "../../src/ledger/sql.ts";

function rows(storage: Storage, query: string): SqlRow[] {
  return storage.sql.exec(query).toArray();
}

export function dumpSql(storage: Storage): string[] {
  const made = rows(storage, "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL");
  const tables = made.filter(({ type }) => type === "table");
  const others = made.filter(({ type }) => type !== "table");
  return [
    ...tables.map(({ sql }) => String(sql)),
    ...tables.flatMap(({ name }) => inserts(storage, String(name))),
    // Behind the rows: a trigger is about moves, and these make none.
    ...others.map(({ sql }) => String(sql)),
  ];
}

function inserts(storage: Storage, table: string): string[] {
  return rows(storage, `SELECT * FROM ${table}`).map((row) => {
    const columns = Object.keys(row).join(", ");
    return `INSERT INTO ${table} (${columns}) VALUES (${Object.values(row).map(literal).join(", ")})`;
  });
}

function literal(value: SqlValue): string {
  if (value === null) return "NULL";
  return typeof value === "number" ? String(value) : `'${value.replaceAll("'", "''")}'`;
}
