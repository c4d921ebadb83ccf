/** Migrations on node:sqlite. */
import { NodeStorage } from "../support/node-storage.ts";
import { migrationsContract } from "./migrations-contract.ts";

migrationsContract("node:sqlite", async (body) => {
  const storage = new NodeStorage();
  body(storage);
  storage.database.close();
});
