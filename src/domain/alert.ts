/**
 * What an operator is told without having asked: one alert for each fact. The message is JSON that
 * Slack shows as it is (its `text`), with the same in fields beside it for programs.
 */
import { counted } from "./counted.ts";
import type { PauseReason } from "./campaign.ts";
import { withoutQuoted } from "./fault-text.ts";
import type { CampaignId, Instant } from "./ids.ts";
import { DUPLICATES_ALERT_FROM } from "./limits.ts";
import { unreachable } from "./result.ts";

export type AlertDetail =
  /**
   * The campaign has stopped itself. A pause by an operator is no news to them, but for a ledger that
   * was restored.
   */
  | {
      readonly type: "paused";
      readonly reason: PauseReason;
      readonly detail: string;
      readonly reserved: number;
      readonly remaining: number;
    }
  | {
      readonly type: "inDoubt";
      readonly batches: number;
      readonly recipients: number;
      readonly reason: string;
    }
  | { readonly type: "deadLetters"; readonly deadLetters: number; readonly error: string }
  | { readonly type: "duplicatesPrevented"; readonly duplicatesPrevented: number }
  | {
      readonly type: "finished";
      readonly total: number;
      readonly sent: number;
      readonly failed: number;
      readonly suppressed: number;
      readonly inDoubt: number;
      readonly cancelled: number;
    };

export type Alert = {
  /** Names the fact in its campaign: a second alert with the same is never written. */
  readonly fact: string;
  readonly at: Instant;
  readonly detail: AlertDetail;
};

/** The body of the POST. `id` is the same at every try, for receivers that sort out doubles. */
export type AlertMessage = {
  readonly text: string;
  readonly id: string;
  readonly type: AlertDetail["type"];
  readonly campaignId: CampaignId;
  readonly campaignName: string;
  /** RFC 3339. */
  readonly at: string;
  /** The fields of AlertDetail without its type. */
  readonly detail: Readonly<Record<string, unknown>>;
};

export function alertMessage(
  campaign: { readonly id: CampaignId; readonly name: string },
  alert: Alert,
): AlertMessage {
  const told = withoutData(alert.detail);
  const { type, ...detail } = told;
  const { id, name } = campaign;
  return {
    text: shown(`Campaign "${name}" (${id}): ${sentence(told)}`),
    id: `${id}:${alert.fact}`,
    type,
    campaignId: id,
    campaignName: name,
    at: new Date(alert.at).toISOString(),
    detail,
  };
}

/** What others have written of a failure may quote somebody's data; an alert leaves the house. */
function withoutData(detail: AlertDetail): AlertDetail {
  switch (detail.type) {
    case "paused":
      return { ...detail, detail: withoutQuoted(detail.detail) };
    case "inDoubt":
      return { ...detail, reason: withoutQuoted(detail.reason) };
    case "deadLetters":
      return { ...detail, error: withoutQuoted(detail.error) };
    case "duplicatesPrevented":
    case "finished":
      return detail;
    default:
      return unreachable(detail);
  }
}

function sentence(detail: AlertDetail): string {
  switch (detail.type) {
    case "paused":
      return (
        `paused itself (${detail.reason}): ${detail.detail}. ` +
        `${counted(detail.remaining, "recipient")} to go, ${detail.reserved} with a consumer. ` +
        "Resume it when the cause is gone."
      );
    case "inDoubt":
      return (
        `${counted(detail.recipients, "recipient")} in ${counted(detail.batches, "batch")} may ` +
        `or may not have been mailed, the last because: ${detail.reason}. ` +
        "Webhooks settle that, or you."
      );
    case "deadLetters":
      return `${counted(detail.deadLetters, "message")} reached the dead-letter queue, the last: ${detail.error}`;
    case "duplicatesPrevented":
      return `${counted(detail.duplicatesPrevented, "duplicate")} prevented. Look at the queue consumers.`;
    case "finished":
      return (
        `finished. Of ${detail.total}: ${detail.sent} sent, ${detail.failed} failed, ` +
        `${detail.suppressed} suppressed, ${detail.inDoubt} in doubt, ${detail.cancelled} cancelled.`
      );
    default:
      return unreachable(detail);
  }
}

/** Slack reads `<!channel>` and `<https://…>` as commands ("Formatting text", escaping). */
function shown(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/**
 * How far the count of prevented duplicates has come: 0, or the highest of 1,000, 10,000, … that it
 * has reached. Each is worth one alert; a busy queue prevents a few hundred in any campaign.
 */
export function duplicatesLevel(count: number): number {
  if (count < DUPLICATES_ALERT_FROM) return 0;
  let level = DUPLICATES_ALERT_FROM;
  while (level * 10 <= count) level *= 10;
  return level;
}
