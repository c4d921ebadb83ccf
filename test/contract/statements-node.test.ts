/** No statement scans a table on node:sqlite, and every one that a file declares is explained. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { declaredStatements } from "../../src/ledger/sql.ts";
import { NodeStorage } from "../support/node-storage.ts";
import { statementsContract } from "./statements-contract.ts";

statementsContract("node:sqlite", async (body) => {
  const storage = new NodeStorage();
  body(storage);
  storage.database.close();
});

/**
 * The port itself, the schema, whose text is no statement, and the one row that is left where there
 * is no ledger, and so no table to explain anything by.
 */
const RUN_SQL = ["ledger/sql.ts", "ledger/migrations.ts", "ledger/erased.ts"];

const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => ({ file, text: readFileSync(`src/${file}`, "utf8") }));

it("every statement of the source is explained here", () => {
  const declared = sources.flatMap(({ text }) =>
    [...text.matchAll(/= statement(?:<[\s\S]*?>)?\(\s*"([\w.]+)"/g)].map((match) =>
      String(match[1]),
    ),
  );
  const explained = declaredStatements().map((statement) => statement.name);
  expect(declared.toSorted()).toEqual(explained.toSorted());
});

it("nobody runs SQL but through a statement", () => {
  const direct = sources.filter(({ text }) => /\bsql\s*\.exec\(/.test(text));
  expect(direct.map(({ file }) => file).toSorted()).toEqual(RUN_SQL.toSorted());
});
