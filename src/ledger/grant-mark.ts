/**
 * How far this ledger has got: the grants it has given, and how many of them the directory knows.
 *
 * Restored from a backup, a ledger has forgotten grants, and would mail their people again under
 * new keys or, after the provider has forgotten them, under the old ones. The number of grants only
 * rises and is also kept with the account, outside this storage, so that the two can be compared
 * before anything is granted (SPEC R-restore).
 */
import type { Instant } from "../domain/ids.ts";
import { RESTORED_NUMBERS_SKIPPED } from "../domain/limits.ts";
import type { Book } from "./book.ts";
import type { BookAccess } from "./notices.ts";
import { dropFresh } from "./outbox.ts";

export type GrantMark = {
  /** Leases ever given. */
  readonly grants: number;
  /** How many of them the directory is known to have been told. */
  readonly witnessed: number;
  /** The number that the next dispatch or external batch gets. */
  readonly nextNumber: number;
  readonly isSending: boolean;
};

/** What the directory knows of a ledger that is ahead of this one. */
export type LaterMark = { readonly grants: number; readonly nextNumber: number };

export function markOf({ campaign, counters }: Book): GrantMark {
  return {
    grants: counters.grants,
    witnessed: counters.witnessed,
    nextNumber: counters.next_number,
    isSending: campaign.state === "sending",
  };
}

export class GrantMarks {
  readonly #books: BookAccess;

  constructor(books: BookAccess) {
    this.#books = books;
  }

  read(now: Instant): GrantMark | null {
    return this.#books.read(now, markOf);
  }

  /** The directory has so many grants on disk. */
  witnessed(grants: number, now: Instant): void {
    this.#books.write(now, ({ counters }) => {
      counters.witnessed = Math.max(counters.witnessed, grants);
    });
  }

  /**
   * Stops a ledger that is older than its directory entry. It is an operator's pause, since a backup
   * is restored by a hand and only a person can say what is to become of it; unlike others it is
   * told, since whoever restored it may know nothing of campaigns.
   */
  stop(later: LaterMark, now: Instant): void {
    this.#books.write(now, (book) => {
      const forgotten = later.grants - book.counters.grants;
      const detail = `The ledger was restored from a backup: ${forgotten} reservations that it gave are missing from it.`;
      if (!book.pause("operator", detail)) return;
      const { reserved, pending: remaining } = book.counters;
      const alert = { type: "paused", reason: "operator", detail, reserved, remaining } as const;
      book.alert(`restored:${now}`, alert);
    });
  }

  /**
   * Goes on from a backup, at the risk that an operator has accepted. What the forgotten grants were
   * numbered nobody knows, and a key stands for one batch only (SPEC R-key): so the numbers go on far
   * behind all that may have been used, and work orders of before get new ones.
   */
  accept(later: LaterMark, now: Instant): void {
    this.#books.write(now, (book) => {
      const { counters } = book;
      // Somebody else has accepted it a moment before.
      if (later.grants <= counters.grants) return;
      const forgotten = later.grants - counters.grants;
      counters.grants = later.grants;
      const next = Math.max(counters.next_number, later.nextNumber);
      counters.next_number = next + RESTORED_NUMBERS_SKIPPED;
      dropFresh(book.storage);
      book.event("restoreAccepted", { forgotten, nextNumber: counters.next_number });
    });
  }
}
