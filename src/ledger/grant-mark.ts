/**
 * How far this ledger has got: the grants it has given, the decisions that hold mails back, and how
 * many of them the directory knows.
 *
 * Restored from a backup, a ledger has forgotten grants, and would mail their people again under
 * new keys or, after the provider has forgotten them, under the old ones. Or it has forgotten that
 * it was paused, ended or told who was mailed. Both numbers only rise and are also kept with the
 * account, outside this storage, so that they can be compared before anything is granted (SPEC
 * R-restore). Reports and proofs need no number: without them a batch is repeated under its own key
 * while that is remembered, and is in doubt after that.
 */
import { counted } from "../domain/counted.ts";
import type { Instant } from "../domain/ids.ts";
import { RESTORED_NUMBERS_SKIPPED } from "../domain/limits.ts";
import type { Book, BookAccess } from "./book.ts";
import { dropFresh } from "./outbox.ts";

export type GrantMark = {
  /** Leases ever given. */
  readonly grants: number;
  /** How many of them the directory is known to have been told. */
  readonly witnessed: number;
  /** Pauses, ends of the enrolment or of the whole, and resolves. */
  readonly decisions: number;
  readonly decisionsWitnessed: number;
  /** Known to be behind its directory entry, and not accepted yet. */
  readonly isRestored: boolean;
  /** How far it has learnt the account's list of suppressions; null: not at all. */
  readonly listNumber: number | null;
  /** The number that the next dispatch or external batch gets. */
  readonly nextNumber: number;
  readonly isSending: boolean;
};

/** What the directory knows of a ledger that is ahead of this one. */
export type LaterMark = {
  readonly grants: number;
  readonly nextNumber: number;
  readonly decisions: number;
};

/** What a backup lacks of it. */
export type Forgotten = { readonly grants: number; readonly decisions: number };

export function markOf({ campaign, counters }: Book): GrantMark {
  return {
    grants: counters.grants,
    witnessed: counters.witnessed,
    decisions: counters.decisions,
    decisionsWitnessed: counters.decisions_witnessed,
    isRestored: counters.restored === 1,
    listNumber: counters.list_number,
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

  /** The directory has so many grants and decisions on disk. */
  witnessed(known: Forgotten, now: Instant): void {
    this.#books.write(now, ({ counters }) => {
      counters.restored = 0;
      counters.witnessed = Math.max(counters.witnessed, known.grants);
      counters.decisions_witnessed = Math.max(counters.decisions_witnessed, known.decisions);
    });
  }

  /** Everybody on the account's list up to this number is withheld here. */
  learnt(listNumber: number, now: Instant): void {
    this.#books.write(now, ({ counters }) => {
      counters.list_number = listNumber;
    });
  }

  /** What this ledger lacks of what the directory knows. */
  forgotten(later: LaterMark, now: Instant): Forgotten {
    const mark = this.read(now);
    return mark === null ? { grants: 0, decisions: 0 } : lacking(later, mark);
  }

  /**
   * Stops a ledger that is older than its directory entry. It is an operator's pause, since a backup
   * is restored by a hand and only a person can say what is to become of it; unlike others it is
   * told, since whoever restored it may know nothing of campaigns.
   */
  stop(later: LaterMark, now: Instant): void {
    this.#books.write(now, (book) => {
      book.counters.restored = 1;
      const { grants, decisions } = lacking(later, book.counters);
      const detail =
        `The ledger was restored from a backup: ${counted(grants, "reservation")} that it gave and ` +
        `${counted(decisions, "decision")} about it are missing from it.`;
      if (!book.stop("operator", detail)) return;
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
      const forgotten = lacking(later, counters);
      counters.restored = 0;
      // Somebody else has accepted it a moment before.
      if (forgotten.grants === 0 && forgotten.decisions === 0) return;
      counters.grants += forgotten.grants;
      counters.decisions += forgotten.decisions;
      const next = Math.max(counters.next_number, later.nextNumber);
      counters.next_number = next + RESTORED_NUMBERS_SKIPPED;
      dropFresh(book.storage);
      book.event("restoreAccepted", {
        forgotten: forgotten.grants,
        decisions: forgotten.decisions,
        nextNumber: counters.next_number,
      });
    });
  }
}

function lacking(later: LaterMark, own: Forgotten): Forgotten {
  return {
    grants: Math.max(later.grants - own.grants, 0),
    decisions: Math.max(later.decisions - own.decisions, 0),
  };
}
