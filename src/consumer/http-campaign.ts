/** A campaign by its HTTP API (DESIGN §6), for a consumer that runs anywhere. */
import { refusalFrom, SendonceProblem } from "../client/problem.ts";
import { expectToken } from "../client/token.ts";
import type { Enrolment } from "../campaign/rpc.ts";
import { isObject } from "../domain/is-object.ts";
import { CAMPAIGN_CALL_TIMEOUT_SECONDS } from "../domain/limits.ts";
import {
  CampaignTrouble,
  type CampaignPort,
  type Declined,
  type Grant,
  type ReportAsk,
  type ReservationAsk,
} from "./campaign-port.ts";

export type HttpCampaignOptions = {
  /** Origin of the deployment, with or without a slash at the end. */
  readonly url: string;
  /** OPERATOR_TOKEN. */
  readonly token: string;
  readonly campaignId: string;
  /** None: the global one. A service binding's `fetch` fits, bound to its binding. */
  readonly fetch?: typeof fetch;
};

type GrantBody = Omit<Grant, "leaseMilliseconds"> & { readonly expiresAt: string };

export function httpCampaign(options: HttpCampaignOptions): CampaignPort {
  const { token, campaignId } = options;
  expectToken(token);
  const origin = options.url.replace(/\/+$/, "");
  const ask = options.fetch ?? ((input, init) => fetch(input, init));
  const reservations = `${origin}/api/campaigns/${encodeURIComponent(campaignId)}/reservations`;

  async function post(url: string, body: unknown, claim?: string): Promise<Response> {
    const headers: Record<string, string> = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
    };
    // The server gives the same grant to the same key; without one a lost answer costs a lease.
    if (claim !== undefined) headers["idempotency-key"] = claim;
    const signal = AbortSignal.timeout(CAMPAIGN_CALL_TIMEOUT_SECONDS * 1000);
    let response: Response;
    try {
      response = await ask(url, { method: "POST", headers, body: JSON.stringify(body), signal });
    } catch (cause) {
      throw unreachable(`no answer from ${origin}: ${String(cause)}`, cause);
    }
    if (response.ok) return response;
    throw troubleOf(await refusalFrom(response));
  }

  return {
    async reserve({ reservationId, claim, wanted }: ReservationAsk): Promise<Grant | Declined> {
      const who = "limit" in wanted ? wanted : { recipients: wanted.recipients.map(written) };
      const response = await post(reservations, { reservationId, ...who }, claim);
      const answer = await read(response, isReservation);
      if (!answer.granted) return answer;
      const { expiresAt, ...grant } = answer;
      return { ...grant, leaseMilliseconds: Date.parse(expiresAt) - serverNow(response) };
    },

    async report({ reservationId, token: lease, told }: ReportAsk): Promise<boolean> {
      const url = `${reservations}/${encodeURIComponent(reservationId)}/report`;
      try {
        const response = await post(url, { token: lease, ...reported(told) });
        // A 200 alone may be the sign-in page of a network, and then nobody was told.
        await read(response, isObject);
        return true;
      } catch (error) {
        if (error instanceof CampaignTrouble && error.code === "staleToken") return false;
        throw error;
      }
    },
  };
}

function written({ id, email, data }: Enrolment) {
  return { id, email, data };
}

function reported(told: ReportAsk["told"]) {
  if (told.kind === "results") return { results: told.results };
  const { kind, reason, retryAfterSeconds } = told;
  return { outcome: kind, reason, ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }) };
}

/**
 * The server's clock where it says it, since the lease is counted by that one. `Date` (RFC 9110
 * §6.6.1) has whole seconds, so that the server may be up to a second further on.
 */
function serverNow(response: Response): number {
  const date = Date.parse(response.headers.get("date") ?? "");
  return Number.isNaN(date) ? Date.now() : date + 1000;
}

/** @throws CampaignTrouble where the answer is none of this API, or only the beginning of one */
async function read<Body>(
  response: Response,
  isBody: (answer: Answer) => answer is Answer & Body,
): Promise<Body> {
  let answer: unknown;
  try {
    answer = await response.json();
  } catch (cause) {
    throw unreachable("the answer broke off, or is not of this API", cause);
  }
  if (isObject(answer) && isBody(answer)) return answer;
  throw unreachable("the answer is not of this API", answer);
}

type Answer = Readonly<Record<string, unknown>>;

/** What the kit goes by, so that nothing else is mailed for, or taken for a settled message. */
function isReservation(answer: Answer): answer is Answer & (GrantBody | Declined) {
  const { granted, expiresAt, retryAfterSeconds } = answer;
  if (!isListOf(answer.skipped, isSkipped)) return false;
  if (granted !== true) return granted === false && typeof retryAfterSeconds === "number";
  const isLeased = typeof expiresAt === "string" && !Number.isNaN(Date.parse(expiresAt));
  const isTold = Number.isInteger(answer.token) && typeof answer.idempotencyKey === "string";
  return isLeased && isTold && isListOf(answer.recipients, isRecipient);
}

function isRecipient({ id, email, data }: Answer): boolean {
  return typeof id === "string" && typeof email === "string" && isObject(data);
}

function isSkipped({ id, reason }: Answer): boolean {
  return typeof id === "string" && typeof reason === "string";
}

function isListOf(list: unknown, isOne: (entry: Answer) => boolean): boolean {
  return Array.isArray(list) && list.every((entry) => isObject(entry) && isOne(entry));
}

function unreachable(detail: string, cause: unknown): CampaignTrouble {
  return new CampaignTrouble("unreachable", detail, { isPassing: true, cause });
}

/** These last longer than a consumer can wait. */
const NOT_AT_ONCE: ReadonlySet<string> = new Set(["overloaded", "storageFull", "notConfigured"]);

/** A refusal of the API stays one however often it is asked; what is of the 500s may pass. */
function troubleOf(refusal: Error): CampaignTrouble {
  if (!(refusal instanceof SendonceProblem)) return unreachable(refusal.message, refusal);
  const { code, status, retryAfterSeconds, message, errors } = refusal;
  const fields = errors.map(({ path, detail }) => `${path} ${detail}`).join("; ");
  const detail = fields === "" ? message : `${message} ${fields}`;
  const isPassing = status >= 500 && !NOT_AT_ONCE.has(code);
  return new CampaignTrouble(code, detail, { isPassing, retryAfterSeconds, cause: refusal });
}
