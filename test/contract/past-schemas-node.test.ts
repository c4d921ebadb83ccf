/** Ledgers of every past schema on node:sqlite, and that every release that changed it is kept. */
import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { NodeStorage } from "../support/node-storage.ts";
import { pastSchemasContract } from "./past-schemas-contract.ts";
import { RELEASES } from "./past-releases.ts";

pastSchemasContract(
  "node:sqlite",
  async (body) => {
    const storage = new NodeStorage();
    body(storage);
    storage.database.close();
  },
  RELEASES,
);

it("R-schema: every frozen release is among them", () => {
  const frozen = readdirSync("test/releases", { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  expect(RELEASES.map(({ version }) => version)).toEqual(frozen.map(({ name }) => name).toSorted());
});
