/** The ledger's contract on the SqlStorage of a Durable Object, inside workerd. */
import { ledgerContract } from "./ledger-contract.ts";
import { withinObject } from "./within-object.ts";

ledgerContract("SqlStorage", withinObject("ledger"));
