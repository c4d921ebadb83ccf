/** No statement scans a table on the platform's SQLite, which is another version than Node's. */
import { statementsContract } from "./statements-contract.ts";
import { withinObject } from "./within-object.ts";

statementsContract("SqlStorage", withinObject("statements"));
