/** The frozen releases, one import each, so that the platform, which has no files, has them too. */
import first from "../releases/0.1.0/ledgers.json" with { type: "json" };
import type { Release } from "./past-schemas-contract.ts";

export const RELEASES = [{ version: "0.1.0", ledgers: first }] as unknown as readonly Release[];
