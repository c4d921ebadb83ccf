/** What a campaign's ledger does about people's data: show it, erase it, and let go of it in time. */
import type { Address, Instant, Seq } from "../domain/ids.ts";
import type { RecipientStory } from "../domain/history.ts";
import type { ErasureAnswer } from "../domain/person.ts";
import type { SuppressionEntry } from "../domain/suppression.ts";
import type { BookAccess } from "./book.ts";
import { erasePerson } from "./erasure.ts";
import { personStory } from "./listing.ts";
import { retain, type RetentionStep } from "./retention.ts";
import { knownAddresses, type AddressPage } from "./suppress.ts";

const NO_STEP: RetentionStep = { more: false, erased: null };

export class People {
  readonly #books: BookAccess;

  constructor(books: BookAccess) {
    this.#books = books;
  }

  /** Everything about one address; null where it is nobody's here. */
  story(address: Address, now: Instant): RecipientStory | null {
    return this.#books.write(now, (book) => personStory(book, address));
  }

  /** A page of whom the campaign knows; null behind the last of them. */
  addresses(from: Seq, now: Instant): AddressPage | null {
    return this.#books.read(now, (book) => knownAddresses(book, from));
  }

  erase(entry: SuppressionEntry, now: Instant): ErasureAnswer {
    return this.#books.write(now, (book) => erasePerson(book, entry)) ?? { state: "nobody" };
  }

  /** One bounded step of the retention, where it is due. */
  retain(retentionDays: number, now: Instant): RetentionStep {
    if (retentionDays === 0) return NO_STEP;
    return this.#books.write(now, (book) => retain(book, retentionDays)) ?? NO_STEP;
  }
}
