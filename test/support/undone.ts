/** What would be after some work, without doing it: the work runs in a transaction that is taken back. */
import type { Storage } from "../../src/ledger/sql.ts";

class Undo extends Error {}

/** @returns what `work` gives; nothing of what it writes stays */
export function undone<T>(storage: Storage, work: () => T): T {
  const given: T[] = [];
  try {
    storage.transactionSync(() => {
      given.push(work());
      throw new Undo("only looking");
    });
  } catch (error) {
    if (!(error instanceof Undo)) throw error;
  }
  return given[0] as T;
}
