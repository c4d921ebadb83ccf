/** Ledgers of every past schema on the platform. */
import { pastSchemasContract } from "./past-schemas-contract.ts";
import { RELEASES } from "./past-releases.ts";
import { withinObject } from "./within-object.ts";

pastSchemasContract("SqlStorage", withinObject("past-schemas"), RELEASES);
