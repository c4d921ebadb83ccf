/**
 * A client of the HTTP API on `fetch` alone, so that it runs in Node, Workers and browsers.
 *
 * It asks once and never by itself again: whether a call may be repeated is for its caller to know
 * (a second start is refused, a second upload is not). Each method resolves to what the API answered
 * or throws `SendonceProblem` or `SendonceUnreachable`.
 */
import { refusalFrom, SendonceUnreachable } from "./problem.ts";
import type * as Api from "./types.ts";

export type ClientOptions = {
  /** Origin of the deployment, with or without a slash at the end. */
  readonly url: string;
  /** OPERATOR_TOKEN, or VIEWER_TOKEN for what only reads. */
  readonly token: string;
  readonly fetch?: typeof fetch;
};

/** `body` as it goes out; a stream is sent as it is read. */
export type Upload = {
  readonly body: string | ReadableStream<Uint8Array>;
  readonly format: Api.UploadFormat;
  /** Columns of a CSV that hold the address and the id. */
  readonly emailColumn?: string;
  readonly idColumn?: string;
};

type Call = {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | null | undefined>>;
  readonly json?: unknown;
  readonly body?: string | ReadableStream<Uint8Array>;
  readonly type?: string;
};

export class SendonceClient {
  readonly #url: string;
  readonly #token: string;
  readonly #fetch: typeof fetch;

  constructor(options: ClientOptions) {
    this.#url = options.url.replace(/\/+$/, "");
    this.#token = options.token;
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
  }

  create(draft: Api.CampaignDraft): Promise<Api.Campaign> {
    return this.#ask({ method: "POST", path: "/api/campaigns", json: draft });
  }

  campaign(id: string): Promise<Api.Campaign> {
    return this.#ask({ method: "GET", path: campaignPath(id) });
  }

  /** With their states, at most 25 a page. */
  campaigns(query: Api.PageQuery = {}): Promise<Api.Page<Api.CampaignEntry>> {
    return this.#ask({
      method: "GET",
      path: "/api/campaigns",
      query: { ...query, include: "status" },
    });
  }

  change(id: string, change: Partial<Api.CampaignDraft>): Promise<Api.Campaign> {
    return this.#ask({ method: "PATCH", path: campaignPath(id), json: change });
  }

  /** Adds recipients. Safe to repeat: who is there already is counted as a duplicate. */
  upload(id: string, upload: Upload): Promise<Api.UploadReport> {
    const { body, format, emailColumn, idColumn } = upload;
    const path = `${campaignPath(id)}/recipients`;
    const query = { email: emailColumn, id: idColumn };
    return this.#ask({ method: "POST", path, query, body, type: format });
  }

  /** What a start would do, and what would keep it from starting. Changes nothing. */
  preflight(id: string): Promise<Api.PreflightReport> {
    return this.#command(id, "preflight");
  }

  start(id: string, when: Api.StartTime = {}): Promise<Api.DeliveryStatus> {
    return this.#command(id, "start", when);
  }

  pause(id: string): Promise<Api.DeliveryStatus> {
    return this.#command(id, "pause");
  }

  /** @param request the risk is only asked about where the campaign was restored from a backup */
  resume(id: string, request: Api.ResumeRequest = {}): Promise<Api.DeliveryStatus> {
    return this.#command(id, "resume", request);
  }

  cancel(id: string): Promise<Api.DeliveryStatus> {
    return this.#command(id, "cancel");
  }

  replay(id: string, request: Api.ReplayRequest): Promise<Api.ReplayReport> {
    return this.#command(id, "replay", request);
  }

  resolve(id: string, request: Api.ResolveRequest): Promise<Api.DeliveryStatus> {
    return this.#command(id, "resolve", request);
  }

  #command<Answer>(id: string, command: string, json?: unknown): Promise<Answer> {
    return this.#ask({ method: "POST", path: `${campaignPath(id)}/${command}`, json });
  }

  deliveryStatus(id: string): Promise<Api.DeliveryStatus> {
    return this.#ask({ method: "GET", path: `${campaignPath(id)}/delivery-status` });
  }

  /** Where the live stream of a campaign is, and what to ask for it with. */
  liveAddress(id: string): { url: string; headers: Readonly<Record<string, string>> } {
    const url = `${this.#url.replace(/^http/, "ws")}${campaignPath(id)}/live`;
    return { url, headers: { authorization: `Bearer ${this.#token}` } };
  }

  recipients(id: string, query: Api.RecipientQuery = {}): Promise<Api.Page<Api.Recipient>> {
    return this.#ask({ method: "GET", path: `${campaignPath(id)}/recipients`, query });
  }

  recipient(id: string, recipientId: string): Promise<Api.RecipientStory> {
    const path = `${campaignPath(id)}/recipients/${encodeURIComponent(recipientId)}`;
    return this.#ask({ method: "GET", path });
  }

  /** The recipients as a CSV file, as it comes in. */
  async exportCsv(
    id: string,
    status?: Api.RecipientQuery["status"],
  ): Promise<ReadableStream<Uint8Array>> {
    const path = `${campaignPath(id)}/recipients.csv`;
    const { body } = await this.#send({ method: "GET", path, query: { status } });
    if (body === null) throw new SendonceUnreachable("the export came without a body");
    return body;
  }

  suppress(
    addresses: readonly string[],
    reason?: Api.SuppressionReason,
  ): Promise<Api.SuppressReport> {
    const json = { addresses, ...(reason === undefined ? {} : { reason }) };
    return this.#ask({ method: "PUT", path: "/api/suppressions", json });
  }

  /** Lets an address be mailed again. */
  async allow(address: string): Promise<void> {
    const path = `/api/suppressions/${encodeURIComponent(address)}`;
    await this.#send({ method: "DELETE", path });
  }

  /** Adds a list that was kept elsewhere: a CSV with `address` or `email`, and more. */
  importSuppressions(
    body: string | ReadableStream<Uint8Array>,
    reason?: Api.SuppressionReason,
  ): Promise<Api.SuppressionImportReport> {
    const path = "/api/suppressions/import";
    return this.#ask({ method: "POST", path, query: { reason }, body, type: "text/csv" });
  }

  suppressions(query: Api.PageQuery = {}): Promise<Api.Page<Api.Suppression>> {
    return this.#ask({ method: "GET", path: "/api/suppressions", query });
  }

  async #ask<Answer>(call: Call): Promise<Answer> {
    const response = await this.#send(call);
    try {
      return (await response.json()) as Answer;
    } catch (cause) {
      throw new SendonceUnreachable("the answer broke off, or is not of this API", { cause });
    }
  }

  async #send(call: Call): Promise<Response> {
    const { method, path, query = {}, json, type } = call;
    const body = json === undefined ? call.body : JSON.stringify(json);
    const url = new URL(this.#url + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== null && value !== undefined) url.searchParams.set(name, String(value));
    }
    const headers: Record<string, string> = { authorization: `Bearer ${this.#token}` };
    if (body !== undefined) headers["content-type"] = type ?? "application/json";
    const response = await this.#fetched(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      // Node asks for it where the body is a stream; it says that the answer comes after the body.
      ...(body instanceof ReadableStream ? { duplex: "half" } : {}),
    });
    if (!response.ok) throw await refusalFrom(response);
    return response;
  }

  async #fetched(url: URL, init: RequestInit & { duplex?: string }): Promise<Response> {
    try {
      return await this.#fetch(url.href, init);
    } catch (cause) {
      const { origin } = url;
      throw new SendonceUnreachable(`no answer from ${origin}: ${reasonOf(cause)}`, { cause });
    }
  }
}

function campaignPath(id: string): string {
  return `/api/campaigns/${encodeURIComponent(id)}`;
}

/** Node says "fetch failed" and keeps the reason in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const code = (cause as { code?: unknown } | undefined)?.code;
  if (typeof code === "string") return code;
  return cause instanceof Error && cause.message !== "" ? cause.message : error.message;
}
