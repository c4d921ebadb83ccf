/**
 * A typed client of the HTTP API on `fetch` alone: for Workers, Node, and pages of the deployment's
 * own origin. Nothing here comes from another package.
 *
 * Each method resolves to what the API answered, or throws one of two errors: `SendonceProblem`, a
 * refusal with its `code`, or `SendonceUnreachable`, where nobody knows what the answer was; `resultOf`
 * gives them as values. Any call may be refused with `noToken`, `unknownToken`, `viewerOnly`,
 * `notConfigured`, `overloaded`, `unavailable` and `internal`; a call about one campaign also with
 * `campaignNotFound`, and one with a body with `invalidFields`. What is named at a method comes on top.
 *
 * Which calls are repeated by themselves after a fault of the network, a 429 or a 503, and which are
 * left to the caller, stands in one table (client/calls.ts).
 */
import type { CallName, ParametersOf } from "./calls.ts";
import { Paged } from "./paged.ts";
import { Transport, type CallOptions, type ClientOptions, type Query } from "./transport.ts";
import { fileBody, uploadBody, type FileBody, type Upload } from "./upload-body.ts";
import { watch, type WatchOptions } from "./watch.ts";
import type * as Api from "./types.ts";

export { Paged } from "./paged.ts";
export { isSendonceError, resultOf, SendonceProblem, SendonceUnreachable } from "./problem.ts";
export { isOver } from "./watch.ts";
export type { CallResult, FieldFault, SendonceError, UnreachableReason } from "./problem.ts";
export type { ProblemCode } from "./problem-codes.ts";
export type { Surroundings } from "./surroundings.ts";
export type { OpenSocket, Socket } from "./socket.ts";
export type { CallOptions, ClientOptions } from "./transport.ts";
export type { FileBody, RecipientSource, Upload } from "./upload-body.ts";
export type { WatchOptions } from "./watch.ts";
export type * from "./types.ts";

/** The reason is for addresses that name none themselves; none: `operator`. */
type Reasoned = CallOptions & { readonly reason?: Api.SuppressionReason };

export class SendonceClient {
  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
  }

  /**
   * Creates a draft. The same `id` with the same body again gives the campaign that there is.
   * Refuses `campaignExists`.
   */
  create(draft: Api.CampaignDraft, options?: CallOptions): Promise<Api.Campaign> {
    return this.#transport.json("create", {}, { json: draft }, options);
  }

  /** Newest first, with their states. A page has at most 25. */
  campaigns(query: Api.PageQuery = {}, options?: CallOptions): Paged<Api.CampaignEntry> {
    return this.#list("campaigns", {}, { ...query, include: "status" }, options);
  }

  campaign(id: string, options?: CallOptions): Promise<Api.Campaign> {
    return this.#transport.json("campaign", { id }, {}, options);
  }

  /** The campaign with its tag, for a change of just this. */
  async taggedCampaign(id: string, options?: CallOptions): Promise<Api.Tagged<Api.Campaign>> {
    const { value, etag } = await this.#transport.tagged("campaign", { id }, {}, options);
    return { value: value as Api.Campaign, etag };
  }

  /**
   * Changes what is named. Refuses `wrongState` once it has started, and `changedMeanwhile` where it
   * is not any more what the tag was of. A change with `ifMatch` is not repeated by itself: a second
   * try would find what the first has changed.
   */
  change(
    id: string,
    json: Api.CampaignChange,
    options: CallOptions & { readonly ifMatch?: string } = {},
  ): Promise<Api.Campaign> {
    const { ifMatch, ...rest } = options;
    const headers = ifMatch === undefined ? {} : { "if-match": ifMatch };
    return this.#transport.json("change", { id }, { json, headers }, rest);
  }

  /** Erases everything about a campaign. Refuses `wrongState` and `stillReserved` while it sends. */
  erase(id: string, options?: CallOptions): Promise<void> {
    return this.#transport.nothing("erase", { id }, options);
  }

  /**
   * Adds recipients from a file of any size, or one by one as they are read. Safe to repeat: who is
   * there already is counted as a duplicate, so that the counts are those of the last try.
   * Refuses `wrongState`, `invalidUpload`, `uploadInterrupted`, `tooLarge`, `unsupportedMediaType`
   * and `malformedText`; throws as it is what reading the recipients throws.
   */
  upload(id: string, upload: Upload, options?: CallOptions): Promise<Api.UploadReport> {
    const query: Query =
      "recipients" in upload ? {} : { email: upload.emailColumn, id: upload.idColumn };
    const body = uploadBody(upload, this.#transport.surroundings.canStreamRequests);
    return this.#transport.json("upload", { id }, { query, upload: body }, options);
  }

  /** Adds everybody in a view. Refuses `wrongState`, `segmentNotFound` and `segmentUnfit`. */
  enrolSegment(id: string, json: Api.Segment, options?: CallOptions): Promise<Api.UploadReport> {
    return this.#transport.json("enrolSegment", { id }, { json }, options);
  }

  /** In the order of enrolment; failures and doubts newest first. Refuses `invalidQuery`. */
  recipients(
    id: string,
    query: Api.RecipientQuery = {},
    options?: CallOptions,
  ): Paged<Api.Recipient> {
    return this.#list("recipients", { id }, query, options);
  }

  /** One recipient with its whole story. Refuses `recipientNotFound`. */
  recipient(id: string, recipientId: string, options?: CallOptions): Promise<Api.RecipientStory> {
    return this.#transport.json("recipient", { id, recipientId }, {}, options);
  }

  /** The recipients as a CSV file, as it comes in. */
  exportRecipients(
    id: string,
    query: { readonly status?: Api.StatusFilter } = {},
    options?: CallOptions,
  ): Promise<ReadableStream<Uint8Array>> {
    return this.#transport.file("exportRecipients", { id }, { query }, options);
  }

  /** What one recipient would get. Refuses `templateFault`, `recipientNotFound`, `wrongDelivery`. */
  preview(id: string, json: Api.MailFor = {}, options?: CallOptions): Promise<Api.MailPreview> {
    return this.#transport.json("preview", { id }, { json }, options);
  }

  /**
   * What a start would do, and what would keep it from starting. Changes nothing.
   * Refuses `wrongState` and `wrongDelivery`.
   */
  preflight(id: string, options?: CallOptions): Promise<Api.PreflightReport> {
    return this.#transport.json("preflight", { id }, {}, options);
  }

  /**
   * Mails a marked copy to a few addresses, outside of the ledger.
   * Refuses `testNotSent`, `templateFault`, `recipientNotFound` and `wrongDelivery`.
   */
  sendTest(id: string, json: Api.TestRequest, options?: CallOptions): Promise<Api.TestReport> {
    return this.#transport.json("sendTest", { id }, { json }, options);
  }

  /** Begins now or later. Refuses `preflightFailed`, and `wrongState` at a second start. */
  start(id: string, when: Api.StartTime = {}, options?: CallOptions): Promise<Api.DeliveryStatus> {
    return this.#transport.json("start", { id }, { json: when }, options);
  }

  /** No reservation is granted from here on. Refuses `wrongState`. */
  pause(id: string, options?: CallOptions): Promise<Api.DeliveryStatus> {
    return this.#transport.json("pause", { id }, {}, options);
  }

  /** Refuses `wrongState`. */
  resume(
    id: string,
    json: Api.ResumeRequest = {},
    options?: CallOptions,
  ): Promise<Api.DeliveryStatus> {
    return this.#transport.json("resume", { id }, { json }, options);
  }

  /** Ends it for good. Refuses `wrongState`. */
  cancel(id: string, options?: CallOptions): Promise<Api.DeliveryStatus> {
    return this.#transport.json("cancel", { id }, {}, options);
  }

  /** Closes the enrolment of an external campaign. Refuses `wrongState` and `wrongDelivery`. */
  finish(id: string, options?: CallOptions): Promise<Api.DeliveryStatus> {
    return this.#transport.json("finish", { id }, {}, options);
  }

  /** Has recipients mailed after all. Refuses `duplicateRisk`, `recipientNotFound`, `wrongState`. */
  replay(id: string, json: Api.ReplayRequest, options?: CallOptions): Promise<Api.ReplayReport> {
    return this.#transport.json("replay", { id }, { json }, options);
  }

  /** Settles doubts by hand. Refuses `notInDoubt` and `recipientNotFound`. */
  resolve(
    id: string,
    json: Api.ResolveRequest,
    options?: CallOptions,
  ): Promise<Api.DeliveryStatus> {
    return this.#transport.json("resolve", { id }, { json }, options);
  }

  /**
   * Has the provider asked about the doubts. The status is that of before; what is found is settled
   * in the seconds after. Refuses `wrongDelivery`.
   */
  reconcile(id: string, options?: CallOptions): Promise<Api.DeliveryStatus> {
    return this.#transport.json("reconcile", { id }, {}, options);
  }

  deliveryStatus(id: string, options?: CallOptions): Promise<Api.DeliveryStatus> {
    return this.#transport.json("deliveryStatus", { id }, {}, options);
  }

  /** What reached the dead-letter queue and why, newest first. */
  deadLetters(id: string, query: Api.PageQuery = {}, options?: CallOptions): Paged<Api.DeadLetter> {
    return this.#list("deadLetters", { id }, query, options);
  }

  /** The audit trail, newest first. */
  events(id: string, query: Api.PageQuery = {}, options?: CallOptions): Paged<Api.CampaignEvent> {
    return this.#list("events", { id }, query, options);
  }

  /**
   * The campaign as it changes: a snapshot, then statuses of rising versions, and events as they are
   * told. It reconnects by itself, and the snapshot of the new connection covers the gap; events of
   * the gap are in the audit trail. Where a stream can't be opened or can't carry the token (Node 20; a
   * browser with a token), the status is asked for every second, and there are no events.
   * @throws SendonceProblem, or SendonceUnreachable where the server stays away
   */
  watch(id: string, options?: WatchOptions): AsyncGenerator<Api.LiveMessage, void, void> {
    const { now, chance, later, openSocket } = this.#transport.surroundings;
    const { url, headers } = this.#transport.liveAddress(id);
    const connect = openSocket === null ? null : () => openSocket(url, headers);
    const signal = options?.signal === undefined ? {} : { signal: options.signal };
    const ask = (): Promise<Api.DeliveryStatus> => this.deliveryStatus(id, signal);
    return watch({ now, chance, later, connect, ask }, options);
  }

  /**
   * Asks who may be mailed now; a no is an answer. Refuses `wrongDelivery`.
   * @param claim names this ask, so that the same one again gets the same grant; none: it is drawn
   */
  reserve(
    id: string,
    json: Api.ReservationRequest,
    options: CallOptions & { readonly claim?: string } = {},
  ): Promise<Api.Reservation> {
    const claim = options.claim ?? this.#transport.surroundings.newId();
    const sending = { json, headers: { "idempotency-key": claim } };
    return this.#transport.json("reserve", { id }, sending, options);
  }

  /** Tells what became of a reservation. Refuses `staleToken`, `notInBatch`, `reservationNotFound`. */
  report(
    id: string,
    reservationId: string,
    json: Api.ReservationReport,
    options?: CallOptions,
  ): Promise<Api.DeliveryStatus> {
    return this.#transport.json("report", { id, reservationId }, { json }, options);
  }

  /** The addresses that no campaign mails, in their order. */
  suppressions(query: Api.PageQuery = {}, options?: CallOptions): Paged<Api.Suppression> {
    return this.#list("suppressions", {}, query, options);
  }

  /** The same as a CSV file, as it comes in. */
  exportSuppressions(options?: CallOptions): Promise<ReadableStream<Uint8Array>> {
    return this.#transport.file("exportSuppressions", {}, {}, options);
  }

  /** At most 1,000 addresses. When this resolves, every campaign knows of them. */
  suppress(
    addresses: readonly string[],
    { reason, ...options }: Reasoned = {},
  ): Promise<Api.SuppressReport> {
    const json = { addresses, ...(reason === undefined ? {} : { reason }) };
    return this.#transport.json("suppress", {}, { json }, options);
  }

  /** Lets an address be mailed again by later campaigns. Refuses `suppressionNotFound`. */
  allow(address: string, options?: CallOptions): Promise<void> {
    return this.#transport.nothing("allow", { address }, options);
  }

  /**
   * Adds a list that was kept elsewhere: a CSV with `address` or `email`, and `reason` and `at` where
   * they are known. Safe to repeat. Refuses `invalidUpload`, `uploadInterrupted` and `tooLarge`.
   */
  importSuppressions(
    csv: FileBody | Blob,
    { reason, ...options }: Reasoned = {},
  ): Promise<Api.SuppressionImportReport> {
    const upload = fileBody(csv, "text/csv", this.#transport.surroundings.canStreamRequests);
    const sending = { query: { reason }, upload };
    return this.#transport.json("importSuppressions", {}, sending, options);
  }

  /** Everything that is held about one address. Refuses `campaignsSilent`. */
  person(address: string, options?: CallOptions): Promise<Api.Person> {
    return this.#transport.json("person", { address }, {}, options);
  }

  /**
   * Suppresses an address and erases what else is held about it. Safe to repeat: the numbers are
   * those of the last try. Refuses `campaignsSilent`.
   */
  erasePerson(address: string, options?: CallOptions): Promise<Api.Erasure> {
    return this.#transport.json("erasePerson", { address }, {}, options);
  }

  /**
   * Storage, queue and provider told apart, as the campaigns at work see them. Raises a
   * `SendonceProblem` of status 503 where the storage is down and nothing can be served.
   */
  health(options?: CallOptions): Promise<Api.Health> {
    return this.#transport.json("health", {}, {}, options);
  }

  /** What Prometheus scrapes, in its text format, as it comes in. */
  metrics(options?: CallOptions): Promise<ReadableStream<Uint8Array>> {
    return this.#transport.file("metrics", {}, {}, options);
  }

  #list<Item, Name extends CallName>(
    name: Name,
    parameters: ParametersOf<Name>,
    query: Query,
    options: CallOptions | undefined,
  ): Paged<Item> {
    const load = (cursor: string | null): Promise<Api.Page<Item>> =>
      this.#transport.json(name, parameters, { query: { ...query, cursor } }, options);
    return new Paged(load, typeof query["cursor"] === "string" ? query["cursor"] : null);
  }
}
