/**
 * The provider's side: `POST /emails`, `POST /emails/batch`, `GET /emails`, `GET /emails/:id`.
 *
 * What a request may do is decided in send.ts; here it is taken from the wire, and its answer is
 * delivered, late, in part or not at all where a fault says so.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import * as errors from "./errors.ts";
import { answerText, readBody, type Headers } from "./http.ts";
import { decideSend, isOverLimit, type Decision, type SendEndpoint } from "./send.ts";
import type { World } from "./world.ts";

const JSON_TYPE = "application/json; charset=utf-8";
const DEFAULT_PAGE = 20;
const MAX_PAGE = 100;

export async function serveApi(
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const body = await readBody(request);
  const at = world.clock.now();
  world.arrived.note(at);
  // Resend's edge answers so, as plain text, before the API sees the request.
  if (!request.headers["user-agent"]) return answerText(response, 403, "error code: 1010", {});
  if (!/^Bearer \S/u.test(request.headers.authorization ?? "")) {
    return refuse(world, response, errors.MISSING_API_KEY, at);
  }
  const endpoint = `${request.method} ${url.pathname}`;
  if (endpoint !== "POST /emails" && endpoint !== "POST /emails/batch") {
    return serveRead(world, request, response, url, at);
  }
  if (body === null) return void request.socket.destroy();
  const decision = decideSend(world, {
    endpoint,
    key: headerText(request, "idempotency-key"),
    permissive:
      endpoint === "POST /emails/batch" && request.headers["x-batch-validation"] === "permissive",
    body,
    at,
  });
  deliver(world, response, decision, endpoint, headerText(request, "idempotency-key"), at);
}

function headerText(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name];
  return typeof value === "string" ? value : null;
}

/** The headers of draft-ietf-httpapi-ratelimit-headers-06, as Resend sends them. */
function limitHeaders(world: World, status: number, at: number): Headers {
  const { requestsPerSecond, retryAfterSeconds } = world.settings;
  const count = world.admitted.count(at);
  const reset = Math.ceil(world.admitted.secondsUntilFree(at));
  const limit =
    requestsPerSecond === null
      ? {}
      : {
          "ratelimit-limit": String(requestsPerSecond),
          "ratelimit-remaining": String(Math.max(0, requestsPerSecond - count)),
          "ratelimit-reset": String(reset),
        };
  if (status !== 429) return limit;
  return { ...limit, "retry-after": String(retryAfterSeconds ?? Math.max(1, reset)) };
}

function refuse(
  world: World,
  response: ServerResponse,
  error: errors.ProviderError,
  at: number,
): void {
  const { statusCode, name, message } = error;
  answerText(response, statusCode, JSON.stringify({ statusCode, name, message }), {
    "content-type": JSON_TYPE,
    ...limitHeaders(world, statusCode, at),
  });
}

function deliver(
  world: World,
  response: ServerResponse,
  decision: Decision,
  endpoint: SendEndpoint,
  key: string | null,
  at: number,
): void {
  const { status, body, contentType, delivery } = decision;
  const headers = { "content-type": contentType, ...limitHeaders(world, status, at) };
  const answer = (): void => {
    if (key !== null && decision.inProgress !== null) world.keys.end(endpoint, key);
    if (!response.destroyed) answerText(response, status, body, headers);
  };
  switch (delivery.how) {
    case "whole":
      return answer();
    case "drop":
      return void response.socket?.destroy();
    case "half": {
      response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
      return void response.write(body.slice(0, body.length / 2), () => response.socket?.destroy());
    }
    case "hang":
      return hold(world, response, answer, null);
    case "after":
      return hold(world, response, answer, delivery.milliseconds);
  }
}

/**
 * Answers on release, or when its time is up. With no time, a client that leaves ends it too; a
 * slow answer stays in progress although its client has left, as real work does.
 */
function hold(
  world: World,
  response: ServerResponse,
  answer: () => void,
  milliseconds: number | null,
): void {
  const letGo = (): void => {
    if (!world.held.delete(letGo)) return;
    clearTimeout(timer);
    answer();
  };
  world.held.add(letGo);
  const timer = milliseconds === null ? undefined : setTimeout(letGo, milliseconds);
  if (milliseconds === null) response.once("close", letGo);
}

function serveRead(
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  at: number,
): void {
  const path = /^\/emails(?:\/([^/]+))?$/u.exec(url.pathname);
  if (path === null) return refuse(world, response, errors.NOT_FOUND, at);
  if (request.method !== "GET") return refuse(world, response, errors.METHOD_NOT_ALLOWED, at);
  const { requestsPerSecond } = world.settings;
  if (requestsPerSecond !== null && isOverLimit(world, at, requestsPerSecond)) {
    return refuse(world, response, errors.rateLimitExceeded(requestsPerSecond), at);
  }
  const found = path[1] === undefined ? listed(world, url) : retrieved(world, path[1]);
  if ("statusCode" in found) return refuse(world, response, found as errors.ProviderError, at);
  const headers = { "content-type": JSON_TYPE, ...limitHeaders(world, 200, at) };
  answerText(response, 200, JSON.stringify(found), headers);
}

/** `GET /emails/:id`. Tags are a list here, and an object in webhooks. */
function retrieved(world: World, id: string): object {
  const mail = world.mailWithId(id);
  if (mail === null) return errors.EMAIL_NOT_FOUND;
  const { line, number } = mail;
  const { tags, html = null, text = null, replyTo = null } = line;
  return { object: "email", ...summaryOf(world, number), tags, html, text, reply_to: replyTo };
}

/** What a list says of each mail: no tags and no content. */
function summaryOf(world: World, number: number): object {
  const line = world.log.read("accepted", number);
  if (line?.kind !== "accepted") return {};
  return {
    id: line.id,
    message_id: `<${line.id}@stand-in.invalid>`,
    to: line.to.split(", "),
    from: line.from,
    created_at: new Date(line.at).toISOString(),
    subject: line.subject,
    bcc: null,
    cc: null,
    reply_to: null,
    last_event: world.lastEvents.get(number) ?? "sent",
    scheduled_at: null,
  };
}

/** `GET /emails`: newest first. `after` an id: older than it; `before`: newer. */
function listed(world: World, url: URL): object {
  const limit = Number(url.searchParams.get("limit") ?? DEFAULT_PAGE);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) {
    return errors.validationError("The `limit` parameter must be between 1 and 100.");
  }
  const [after, before] = [url.searchParams.get("after"), url.searchParams.get("before")];
  if (after !== null && before !== null) {
    return errors.validationError("The `after` and `before` parameters exclude each other.");
  }
  const cursor = after ?? before;
  const at = cursor === null ? null : world.mailWithId(cursor);
  if (cursor !== null && at === null) return errors.EMAIL_NOT_FOUND;
  const total = world.log.count("accepted");
  // The numbers of the page are first…last, both included.
  const last =
    before === null ? (at?.number ?? total) - 1 : Math.min(total - 1, (at?.number ?? 0) + limit);
  const least = before === null ? 0 : (at?.number ?? 0) + 1;
  const first = Math.max(least, last - limit + 1);
  const data: object[] = [];
  for (let number = last; number >= first; number -= 1) data.push(summaryOf(world, number));
  const hasMore = before === null ? first > 0 : last < total - 1;
  return { object: "list", has_more: hasMore, data };
}
