/** The ledger's contract on node:sqlite. */
import { NodeStorage } from "../support/node-storage.ts";
import { ledgerContract } from "./ledger-contract.ts";

ledgerContract("node:sqlite", async (body) => {
  const storage = new NodeStorage();
  body(storage);
  storage.database.close();
});
