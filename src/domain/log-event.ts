/**
 * Everything that is ever logged: the closed set of events and what each says. A line is one JSON
 * object, `{ "event": …, … }`. Another name, or a text that nobody has looked over for addresses and
 * data, does not compile (SPEC R-no-address). What each is for stands in ARCHITECTURE.md, "Logs".
 *
 * One attempt is followed by its fields: `campaignId` and `dispatch` from `dispatchesSent`, `batch` and
 * `token` from `attemptStarted`, outcome and provider ids in `attemptEnded`. An attempt with the
 * first and without the last has died, and its lease says the rest.
 */
import type { ReserveRefusalReason } from "./reservation.ts";
import type { Fault, FaultText } from "./fault-text.ts";
import type { BatchNumber, CampaignId, DispatchNumber, Token } from "./ids.ts";
import type { AttemptOutcome } from "./outcome.ts";
import type { Ailment, Vitals } from "./vitals.ts";

type Attempt = {
  readonly campaignId: CampaignId;
  readonly dispatch: DispatchNumber;
  readonly batch: BatchNumber;
  readonly token: Token;
};

/** A message of a queue; campaign and dispatch are null where it can't be read. */
type OfMessage = {
  readonly messageId: string;
  readonly campaignId: CampaignId | null;
  readonly dispatch: DispatchNumber | null;
};

type OfCampaign = { readonly campaignId: CampaignId };

export type LogEvents = {
  // From the campaign's object.
  readonly dispatchesSent: OfCampaign & { readonly dispatches: readonly DispatchNumber[] };
  readonly queueSendFailed: OfCampaign & Fault;
  readonly alarmLate: OfCampaign & { readonly lateSeconds: number };
  readonly alarmFailed: OfCampaign & Fault;
  readonly alertRefused: OfCampaign & { readonly alertId: string };
  readonly alertFailed: OfCampaign & Fault;
  readonly atWorkUntold: OfCampaign & Fault;
  readonly liveFailed: Fault;
  readonly witnessFailed: OfCampaign & Fault;
  /** Data of recipients was erased, for one person or by RETENTION_DAYS; the numbers stay. */
  readonly dataErased: OfCampaign & {
    readonly why: "person" | "retention";
    readonly recipients: number;
  };

  // From the watchdog.
  readonly watched: Readonly<Record<"healthy" | "resting" | "woken" | "failed", number>>;
  readonly campaignAsleep: OfCampaign & Vitals & { readonly ailment: Ailment };
  readonly lookFailed: OfCampaign & Fault;

  // From the consumers.
  readonly reservationRefused: OfCampaign & {
    readonly dispatch: DispatchNumber;
    readonly why: ReserveRefusalReason | "notFound" | "wrongDelivery" | null;
  };
  readonly attemptStarted: Attempt & { readonly recipients: number };
  readonly attemptEnded: Attempt & {
    readonly outcome: AttemptOutcome["kind"];
    /** In the order of the batch; empty but for `answered`. */
    readonly providerIds: readonly string[];
    /** Members whom the provider has refused. Their reasons are in the ledger. */
    readonly failed: number;
    /** Of the provider's call; null: none was made. */
    readonly latencyMilliseconds: number | null;
    readonly why: FaultText | null;
    /** Why the ledger did not take the report; null: it did. */
    readonly refused: string | null;
  };
  readonly dispatchFailed: OfMessage & Fault;
  readonly holdFailed: Fault;
  readonly deadLetterKept: OfMessage & { readonly attempts: number };
  readonly deadLetterFailed: OfMessage & Fault;
  readonly deadLetterUnreadable: { readonly messageId: string };
  /** Left on the queue for a release that knows it. */
  readonly messageOfLaterRelease: { readonly messageId: string };
  readonly inquiryEnded: OfCampaign & {
    readonly inDoubt: number;
    readonly kind: string;
    readonly found?: number;
    readonly complete?: boolean;
    readonly retryAfterSeconds?: number | null;
  };
  readonly inquiryFailed: { readonly campaignId: CampaignId | null } & Fault;

  // From the HTTP edge. The route is a pattern, since a path may hold an address.
  readonly httpFault: {
    readonly code: string;
    readonly method: string;
    readonly route: string | null;
  } & Fault;
  readonly unsubscribeFailed: Fault;
  readonly guessLimitFailed: Fault;

  // From the consumer kit, in the process of whoever uses it.
  readonly messageHandled: {
    readonly messageId: string;
    readonly action: "ack" | "retry";
    readonly reason: string;
    readonly detail: FaultText | null;
  };
  readonly recipientInvalid: { readonly messageId: string; readonly index: number } & Fault;
  readonly campaignTrouble: { readonly reservationId: string; readonly code: string } & Fault;
  readonly reportDelayed: { readonly reservationId: string } & Fault;
  readonly lateResultsLost: { readonly reservationId: string; readonly sent: number } & Fault;
};

export type LogEventName = keyof LogEvents;

export type Log = <Name extends LogEventName>(event: Name, fields: LogEvents[Name]) => void;

/** `error`: somebody should look, if it goes on. */
export const LOG_LEVELS: Readonly<Record<LogEventName, "info" | "error">> = {
  dispatchesSent: "info",
  queueSendFailed: "error",
  alarmLate: "error",
  alarmFailed: "error",
  alertRefused: "error",
  alertFailed: "error",
  atWorkUntold: "error",
  liveFailed: "error",
  witnessFailed: "error",
  watched: "info",
  campaignAsleep: "error",
  lookFailed: "error",
  dataErased: "info",
  reservationRefused: "info",
  attemptStarted: "info",
  attemptEnded: "info",
  dispatchFailed: "error",
  holdFailed: "error",
  deadLetterKept: "error",
  deadLetterFailed: "error",
  deadLetterUnreadable: "error",
  messageOfLaterRelease: "error",
  inquiryEnded: "info",
  inquiryFailed: "error",
  httpFault: "error",
  unsubscribeFailed: "error",
  guessLimitFailed: "error",
  messageHandled: "info",
  recipientInvalid: "error",
  campaignTrouble: "error",
  reportDelayed: "error",
  lateResultsLost: "error",
};
