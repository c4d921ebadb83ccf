/**
 * What a campaign has to say to the world and to ask it: alerts and inquiries. Apart from the work
 * on recipients, since none of it decides who is mailed and all of it may come late.
 */
import { alertMessage, type AlertMessage } from "../domain/alert.ts";
import type { Instant } from "../domain/ids.ts";
import type { Inquiry, InquiryOutcome } from "../domain/inquiry.ts";
import { alertPosted, dropAlerts, takeDueAlerts } from "./alerts.ts";
import type { BookAccess } from "./book.ts";
import { closeInquiry, inquiryOf, raiseInquiry, takeDueInquiry } from "./inquiries.ts";

export type NumberedMessage = AlertMessage & { readonly number: number };

export class Notices {
  readonly #books: BookAccess;

  constructor(books: BookAccess) {
    this.#books = books;
  }

  /**
   * Messages to post now; each is given out again later unless `alertPosted` says so.
   * @param chance a number in [0, 1) for the jitter of the next try
   */
  takeAlerts(chance: number, now: Instant): readonly NumberedMessage[] {
    const taken = this.#books.write(now, (book) =>
      takeDueAlerts(book.storage, now, chance).map((alert) => ({
        ...alertMessage(book.campaign, alert),
        number: alert.number,
      })),
    );
    return taken ?? [];
  }

  alertPosted(number: number, now: Instant): void {
    this.#books.write(now, (book) => alertPosted(book.storage, number, now));
  }

  /** Nobody is to be told of what there is now. */
  dropAlerts(now: Instant): void {
    this.#books.write(now, (book) => dropAlerts(book.storage));
  }

  /** Orders the provider to be asked about everybody who is in doubt, at once. */
  raiseInquiry(now: Instant): void {
    this.#books.write(now, (book) => raiseInquiry(book, 0));
  }

  /** The number of the inquiry to put on the queue now; null: none. */
  takeInquiry(now: Instant): number | null {
    return this.#books.write(now, takeDueInquiry);
  }

  inquiry(number: number, now: Instant): Inquiry | null {
    return this.#books.read(now, (book) => inquiryOf(book.storage, number));
  }

  closeInquiry(number: number, outcome: InquiryOutcome, chance: number, now: Instant): void {
    this.#books.write(now, (book) => closeInquiry(book, number, outcome, chance));
  }
}
