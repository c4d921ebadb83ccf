/**
 * The port to SQLite, and the one way statements are run.
 *
 * `ctx.storage` of a Durable Object satisfies `Storage` as it is, and `node:sqlite` through the ten
 * lines of test/support/node-storage.ts, so that the simulator runs the SQL that ships. Every query
 * of the product is a named `Statement`: its text is constant (the platform caches by text), its
 * parameters have names and types, and a test explains each one and allows no scan.
 */
import { assert } from "../domain/result.ts";

export type SqlValue = string | number | null;
export type SqlRow = Record<string, SqlValue>;

export interface Storage {
  readonly sql: { exec(query: string, ...bindings: SqlValue[]): { toArray(): SqlRow[] } };
  /** Runs synchronously; a throw rolls everything back. */
  transactionSync<T>(closure: () => T): T;
}

export type Statement<Row, Params> = {
  readonly name: string;
  readonly sql: string;
  /** Parameter names in the order of their first use: ?1, ?2, … */
  readonly order: readonly (keyof Params & string)[];
  /** Never set: it ties the row type to the statement. */
  readonly row?: Row;
};

const registry: Statement<unknown, unknown>[] = [];

/**
 * Declares a statement. `:name` in the text becomes a numbered parameter.
 *
 * SQLite looks at the value of a bare parameter behind LIMIT when it plans, and so plans the statement
 * anew at each run (sqlite3ExprIsInteger in its expr.c); behind a plus it does not.
 * @throws at load time when a name is declared twice
 */
export function statement<Row, Params = Record<string, never>>(
  name: string,
  text: string,
): Statement<Row, Params> {
  const order: string[] = [];
  const planned = text.replaceAll("LIMIT :", "LIMIT +:");
  const sql = planned.replace(/:([a-z][A-Za-z_]*)/g, (_, parameter: string) => {
    if (!order.includes(parameter)) order.push(parameter);
    return `?${order.indexOf(parameter) + 1}`;
  });
  assert(!registry.some((known) => known.name === name), `statement ${name} is declared once`);
  const declared = { name, sql, order: order as (keyof Params & string)[] };
  registry.push(declared as unknown as Statement<unknown, unknown>);
  return declared;
}

/** All statements that have been declared, for the test that explains them. */
export function declaredStatements(): readonly Statement<unknown, unknown>[] {
  return registry;
}

type Bindable = Readonly<Record<string, SqlValue>>;

export function all<Row, Params extends Bindable>(
  storage: Storage,
  query: Statement<Row, Params>,
  params: Params,
): Row[] {
  // SqlStorage writes `undefined` as NULL, so a forgotten parameter would pass in silence.
  const bindings = query.order.map((name) => {
    const value = params[name];
    assert(value !== undefined, `${query.name} got :${name}`);
    return value;
  });
  return storage.sql.exec(query.sql, ...bindings).toArray() as Row[];
}

/** The one row of a statement by a unique key, or null. */
export function maybeOne<Row, Params extends Bindable>(
  storage: Storage,
  query: Statement<Row, Params>,
  params: Params,
): Row | null {
  const rows = all(storage, query, params);
  assert(rows.length <= 1, `${query.name} gives one row at most`);
  return rows[0] ?? null;
}

export function one<Row, Params extends Bindable>(
  storage: Storage,
  query: Statement<Row, Params>,
  params: Params,
): Row {
  const row = maybeOne(storage, query, params);
  assert(row !== null, `${query.name} gives a row`);
  return row;
}

/** Runs a write whose rows nobody reads. */
export function run<Params extends Bindable>(
  storage: Storage,
  query: Statement<unknown, Params>,
  params: Params,
): void {
  all(storage, query, params);
}

const changes = statement<{ count: number }>("sql.changes", "SELECT changes() AS count");

/**
 * Runs a write and counts the rows that it has changed, without those that triggers have: a row that is
 * given back only to be counted costs as much as its change.
 */
export function changed<Params extends Bindable>(
  storage: Storage,
  query: Statement<never, Params>,
  params: Params,
): number {
  run(storage, query, params);
  return one(storage, changes, {}).count;
}

/** A transaction. An async closure would commit before it has run, so it is refused. */
export function transaction<T>(storage: Storage, closure: () => T): T {
  return storage.transactionSync(() => {
    const value = closure();
    assert(!(value instanceof Promise), "a transaction is synchronous");
    return value;
  });
}
