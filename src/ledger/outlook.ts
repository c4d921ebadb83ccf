/**
 * What the owner of a ledger has to know after each call: how the campaign stands, and when
 * something has to happen by itself. Read once and shared by all who wait for a moment, since each of
 * them asking for itself cost more than the call.
 */
import type { CampaignState } from "../domain/campaign.ts";
import type { Instant } from "../domain/ids.ts";
import { readAgenda } from "./agenda.ts";
import type { Book } from "./book.ts";
import type { DispatchWindow } from "./dispatch-window.ts";
import { markOf, type GrantMark } from "./grant-mark.ts";
import { outboxDeadline } from "./outbox.ts";
import { retentionDeadline } from "./retention.ts";

export type Outlook = {
  readonly state: CampaignState;
  /**
   * When the campaign begins, a batch or a dispatch is due, or somebody can be erased; null: never, as
   * things stand.
   */
  readonly work: Instant | null;
  readonly alert: Instant | null;
  readonly inquiry: Instant | null;
  /** When the next step of the retention is due. */
  readonly retention: Instant | null;
  readonly mark: GrantMark;
};

/** The first of several moments; null where there is none. */
export function earliest(moments: readonly (Instant | null)[]): Instant | null {
  const set = moments.filter((at) => at !== null);
  return set.length === 0 ? null : Math.min(...set);
}

/** @param retentionDays 0: everything is kept */
export function outlookOf(
  book: Book,
  window: DispatchWindow,
  openedAt: Instant,
  retentionDays: number,
): Outlook {
  const { state, scheduled_at } = book.campaign;
  const agenda = readAgenda(book, window);
  return {
    state,
    work: earliest([
      state === "scheduled" ? scheduled_at : null,
      agenda.batch_due_at,
      agenda.erasure_due_at === null ? null : Math.max(agenda.erasure_due_at, book.now),
      state === "sending" ? outboxDeadline(book, agenda, window, openedAt) : null,
    ]),
    alert: agenda.alert_due_at,
    inquiry: agenda.inquiry_due_at,
    retention: retentionDays === 0 ? null : retentionDeadline(book, retentionDays),
    mark: markOf(book),
  };
}
