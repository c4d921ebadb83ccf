/**
 * The table of routes, and the one way through it: path, method, token, query, handler, answer.
 * Whatever happens on the way, the client gets JSON in the contract's form and no internals.
 */
import { IttyRouter, type IRequest } from "itty-router";
import { authorize } from "./auth.ts";
import { passOver } from "./body.ts";
import { faultOf } from "../domain/fault-text.ts";
import { problem, PROBLEMS, Refused } from "./problem.ts";
import { open, operate, view, type HttpDeps, type Route } from "./route.ts";
import * as campaigns from "./routes/campaigns.ts";
import { getContract, getDocs } from "./routes/contract.ts";
import { getHealth } from "./routes/health.ts";
import * as history from "./routes/history.ts";
import { getMetrics } from "./routes/metrics.ts";
import * as people from "./routes/people.ts";
import { preflightCampaign } from "./routes/preflight.ts";
import { watchCampaign } from "./routes/live.ts";
import { previewCampaign } from "./routes/preview.ts";
import { showPreview } from "./routes/preview-frame.ts";
import { exportRecipients } from "./routes/recipients-csv.ts";
import * as recipients from "./routes/recipients.ts";
import * as reservations from "./routes/reservations.ts";
import * as run from "./routes/run.ts";
import { enrolSegment } from "./routes/segment.ts";
import { importSuppressions, SUPPRESSION_IMPORT_PARAMETERS } from "./routes/suppression-import.ts";
import { sendTest } from "./routes/test-send.ts";
import * as session from "./routes/session.ts";
import * as suppressions from "./routes/suppressions.ts";
import * as unsubscribe from "./routes/unsubscribe.ts";
import { UPLOAD_PARAMETERS, uploadRecipients } from "./routes/upload.ts";
import { checkNames, PAGE_PARAMETERS } from "./schemas/query.ts";
import { receiveResendEvent } from "../webhook/resend-webhook.ts";

export type { HttpDeps, Route } from "./route.ts";

const CAMPAIGN = "/api/campaigns/:id";
const RESERVATION = `${CAMPAIGN}/reservations/:reservationId` as const;

/**
 * Adding a route is one line here, and a description in contract/operations, which `tsc` asks for.
 * Where two paths match, the first that knows the method wins.
 */
export const ROUTES = [
  open("GET", "/healthz", getHealth),
  view("GET", "/metrics", getMetrics),
  open("GET", "/openapi.json", getContract),
  open("GET", "/docs", getDocs),
  open("POST", "/webhooks/resend", receiveResendEvent, "any"),
  open("GET", "/unsubscribe/:token", unsubscribe.showForm, "any"),
  open("POST", "/unsubscribe/:token", unsubscribe.unsubscribe, "any"),

  open("POST", "/session", session.openBrowserSession),
  view("GET", "/session", session.getSession),
  open("DELETE", "/session", session.closeBrowserSession),
  view("POST", "/preview-frame", showPreview),

  operate("POST", "/api/campaigns", campaigns.createCampaign),
  view("GET", "/api/campaigns", campaigns.listCampaigns, [...PAGE_PARAMETERS, "include"]),
  view("GET", CAMPAIGN, campaigns.getCampaign),
  operate("PATCH", CAMPAIGN, campaigns.changeCampaign),
  operate("DELETE", CAMPAIGN, campaigns.eraseCampaign),

  operate("POST", `${CAMPAIGN}/recipients`, uploadRecipients, UPLOAD_PARAMETERS),
  operate("POST", `${CAMPAIGN}/recipients/segment`, enrolSegment),
  view("GET", `${CAMPAIGN}/recipients`, recipients.listRecipients, [
    ...PAGE_PARAMETERS,
    "status",
    "email",
  ]),
  view("GET", `${CAMPAIGN}/recipients.csv`, exportRecipients, ["status"]),
  view("GET", `${CAMPAIGN}/recipients/:recipientId`, recipients.getRecipient),
  view("POST", `${CAMPAIGN}/preview`, previewCampaign),
  view("POST", `${CAMPAIGN}/preflight`, preflightCampaign),
  operate("POST", `${CAMPAIGN}/test`, sendTest),

  operate("POST", `${CAMPAIGN}/start`, run.startCampaign),
  operate("POST", `${CAMPAIGN}/pause`, run.pauseCampaign),
  operate("POST", `${CAMPAIGN}/resume`, run.resumeCampaign),
  operate("POST", `${CAMPAIGN}/cancel`, run.cancelCampaign),
  operate("POST", `${CAMPAIGN}/finish`, run.finishCampaign),
  operate("POST", `${CAMPAIGN}/replay`, run.replayRecipients),
  operate("POST", `${CAMPAIGN}/resolve`, run.resolveRecipients),
  operate("POST", `${CAMPAIGN}/reconcile`, run.reconcileDoubts),
  view("GET", `${CAMPAIGN}/delivery-status`, run.getDeliveryStatus),
  view("GET", `${CAMPAIGN}/dead-letters`, history.listDeadLetters, PAGE_PARAMETERS),
  view("GET", `${CAMPAIGN}/events`, history.listEvents, PAGE_PARAMETERS),
  view("GET", `${CAMPAIGN}/live`, watchCampaign),

  operate("POST", `${CAMPAIGN}/reservations`, reservations.reserveRecipients),
  operate("POST", `${RESERVATION}/report`, reservations.reportReservation),

  view("GET", "/api/suppressions", suppressions.listSuppressions, PAGE_PARAMETERS),
  view("GET", "/api/suppressions.csv", suppressions.exportSuppressions),
  operate("POST", "/api/suppressions/import", importSuppressions, SUPPRESSION_IMPORT_PARAMETERS),
  operate("PUT", "/api/suppressions", suppressions.putSuppressions),
  operate("DELETE", "/api/suppressions/:address", suppressions.deleteSuppression),

  operate("GET", "/api/people/:address", people.getPerson),
  operate("DELETE", "/api/people/:address", people.erasePerson),
] as const satisfies readonly Route[];

/** One request on its way: what the patterns that matched have found out. */
type Passage = {
  readonly request: Request;
  readonly deps: HttpDeps;
  readonly allowed: Set<string>;
  route: Route | null;
};

const router = IttyRouter<IRequest, [Passage], Response>();
for (const route of ROUTES) {
  router.all(route.path, async ({ params }, passage) => {
    const methods = route.method === "GET" ? ["GET", "HEAD"] : [route.method];
    for (const method of methods) passage.allowed.add(method);
    // Nothing returned lets the router look further, so that `allowed` gets complete.
    if (!methods.includes(passage.request.method)) return undefined;
    passage.route = route;
    return answer(route, params, passage);
  });
}

/** Answers one request of the API. Never throws. */
export async function handleRequest(request: Request, deps: HttpDeps): Promise<Response> {
  const passage: Passage = { request, deps, allowed: new Set(), route: null };
  const response = await answerOrProblem(passage);
  await passOver(request);
  return secured(request.method === "HEAD" ? await withoutBody(response) : response);
}

async function answerOrProblem(passage: Passage): Promise<Response> {
  const { request } = passage;
  try {
    // The router writes on what it is given, and the request belongs to the handlers.
    const response = await router.fetch({ method: request.method, url: request.url }, passage);
    return response ?? unrouted(request, passage.allowed);
  } catch (error) {
    const refusal = error instanceof Refused ? error : internal(error);
    if (PROBLEMS[refusal.code].status >= 500) logFault(passage, refusal);
    return problem(refusal.code, refusal.message, refusal.extra);
  }
}

async function answer(
  route: Route,
  params: Readonly<Record<string, string>>,
  { request, deps }: Passage,
): Promise<Response> {
  const identity = await authorize(request, route.access, deps);
  const query = new URL(request.url).searchParams;
  if (route.query !== "any") checkNames(query, route.query);
  const call = { request, params: decoded(params), query, deps, identity, routes: ROUTES };
  return route.handle(call);
}

/** Percent-decoding (RFC 3986 §2.1): ids may hold `@`, `/` and anything else that is escaped. */
function decoded(params: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(params).map(([name, value]) => {
    try {
      return [name, decodeURIComponent(value)] as const;
    } catch {
      const detail = `\`${value}\` has a percent sign that begins no UTF-8 in hex digits.`;
      throw new Refused("malformedPath", detail);
    }
  });
  return Object.fromEntries(entries);
}

function unrouted(request: Request, allowed: ReadonlySet<string>): Response {
  if (allowed.size === 0) return problem("pathNotFound", "See /openapi.json for what there is.");
  const allow = [...allowed].join(", ");
  const detail = `${request.method} is not known here; there are ${allow}.`;
  return problem("methodNotAllowed", detail, { headers: { allow } });
}

/** The pattern stands for the path, which may hold an address. */
function logFault({ request, route, deps }: Passage, refusal: Refused): void {
  const { code, extra } = refusal;
  const { method } = request;
  deps.log("httpFault", {
    code,
    method,
    route: route?.path ?? null,
    ...faultOf(extra.cause ?? refusal),
  });
}

function internal(cause: unknown): Refused {
  return new Refused("internal", "The fault has been recorded. Nothing else is known.", { cause });
}

/** HEAD is GET without the content (RFC 9110 §9.3.2). A stream that nobody reads is stopped. */
async function withoutBody(response: Response): Promise<Response> {
  await response.body?.cancel();
  return new Response(null, { status: response.status, headers: response.headers });
}

/** What the files of the dashboard carry stands in src/dashboard/public/_headers. */
const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  // For browsers that know no frame-ancestors; those that do go by that (CSP Level 3 §6.4.2).
  "x-frame-options": "DENY",
  "cross-origin-resource-policy": "same-origin",
  // A browser takes it from https alone (RFC 6797 §8.1). Other hosts of the domain are not ours.
  "strict-transport-security": "max-age=31536000",
} as const;

/** Adds what every answer carries; a route that sets one of them itself knows better. */
function secured(response: Response): Response {
  // The answer to a WebSocket upgrade can't be built anew, and has no content to protect.
  if (response.status === 101) return response;
  const copy = new Response(response.body, response);
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
    if (!copy.headers.has(name)) copy.headers.set(name, value);
  }
  return copy;
}
