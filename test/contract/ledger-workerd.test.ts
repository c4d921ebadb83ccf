/** The ledger's contract on the SqlStorage of a Durable Object, inside workerd. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { ledgerContract } from "./ledger-contract.ts";

let objects = 0;

ledgerContract("SqlStorage", async (body) => {
  objects += 1;
  const stub = env.CAMPAIGNS.getByName(`contract-${objects}`);
  // A storage may only be used inside its own object, so the whole test runs in there.
  await runInDurableObject(stub, (_object, state) => body(state.storage));
});
