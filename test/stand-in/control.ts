/**
 * The control API (PROTOCOL.md): settings, faults and clock by command, and the truth about what was
 * accepted. It has no authorization, takes and gives JSON, and refuses what it does not know.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { answerJson, readBody } from "./http.ts";
import { normalAddress } from "./mail.ts";
import { changedSettings, isObject } from "./settings.ts";
import { sendWebhook } from "./webhook.ts";
import type { World } from "./world.ts";

const DEFAULT_PAGE = 1000;
const MAX_PAGE = 10_000;

type Handler = (world: World, body: unknown, url: URL) => unknown;

const HANDLERS: Readonly<Record<string, Handler>> = {
  "POST /control/reset": (world) => {
    world.reset();
    return { ok: true };
  },
  "GET /control/config": (world) => shownSettings(world),
  "POST /control/config": (world, body) => {
    world.settings = changedSettings(world.settings, body);
    return shownSettings(world);
  },
  "POST /control/faults": (world, body) => {
    world.faults.add(body);
    return { waiting: world.faults.waiting };
  },
  "GET /control/faults": (world) => ({ waiting: world.faults.waiting }),
  "POST /control/clock": setClock,
  "GET /control/clock": (world) => ({ now: world.clock.now() }),
  "POST /control/release": (world) => ({ released: world.release() }),
  "POST /control/webhook": sendWebhook,
  "GET /control/counts": (world, _, url) => counts(world, url),
  "GET /control/log": (world, _, url) => logPage(world, url),
};

export async function serveControl(
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const body = await readBody(request);
  const route = `${request.method} ${url.pathname}`;
  if (route === "GET /control/per-address") return streamPerAddress(world, response, url);
  const handler = HANDLERS[route];
  if (handler === undefined) return answerJson(response, 404, { error: `no ${route}` });
  try {
    const text = body?.toString("utf8") ?? "";
    const given: unknown = text === "" ? null : JSON.parse(text);
    answerJson(response, 200, await handler(world, given, url));
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error;
    answerJson(response, 400, { error: error.message });
  }
}

function setClock(world: World, body: unknown): object {
  if (!isObject(body)) throw new TypeError("clock: expected a JSON object");
  const { advanceSeconds: seconds = 0, held, ...rest } = body;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw new TypeError(`clock.${unknown}: unknown field`);
  if (typeof seconds !== "number" || !(seconds >= 0)) {
    throw new TypeError("clock.advanceSeconds: expected seconds from 0");
  }
  if (held !== undefined && typeof held !== "boolean") {
    throw new TypeError("clock.held: expected a boolean");
  }
  if (held !== undefined) world.clock.hold(held);
  if (seconds > 0) world.record([{ kind: "clock", at: world.clock.now(), seconds }]);
  return { now: world.clock.now() };
}

function shownSettings(world: World): object {
  return { ...world.settings, refuseAddresses: [...world.settings.refuseAddresses] };
}

/** Of one address: a bare number. Of a campaign, by its mail tag: the accepted only. */
function counts(world: World, url: URL): unknown {
  const campaign = url.searchParams.get("campaign");
  const address = url.searchParams.get("address");
  if (address !== null) {
    return world.tally.perAddress(campaign).get(normalAddress(address)) ?? 0;
  }
  const accepted = world.tally.counts(campaign);
  if (campaign !== null) return accepted;
  const { requests, replays, rateLimited } = world.tally;
  return { ...accepted, requests, replays, rateLimited, mostInOneSecond: world.arrived.most };
}

function wholeNumber(url: URL, name: string, fallback: number): number {
  const value = Number(url.searchParams.get(name) ?? fallback);
  if (!Number.isInteger(value) || value < 0)
    throw new TypeError(`${name}: expected a whole number`);
  return value;
}

function logPage(world: World, url: URL): object {
  const kind = url.searchParams.get("kind") ?? "accepted";
  if (kind !== "accepted" && kind !== "request") {
    throw new TypeError("kind: expected accepted or request");
  }
  const after = wholeNumber(url, "after", 0);
  const limit = Math.min(wholeNumber(url, "limit", DEFAULT_PAGE), MAX_PAGE);
  const total = world.log.count(kind);
  const next = Math.min(total, after + limit);
  const numbers = Array.from({ length: Math.max(0, next - after) }, (_, n) => after + n);
  return { total, next, records: numbers.map((number) => world.log.read(kind, number)) };
}

function streamPerAddress(world: World, response: ServerResponse, url: URL): void {
  const map = world.tally.perAddress(url.searchParams.get("campaign"));
  response.writeHead(200, { "content-type": "application/json" });
  Readable.from(objectParts(map)).pipe(response);
}

const PART_ENTRIES = 1000;

function* objectParts(map: ReadonlyMap<string, number>): Generator<string> {
  let part: string[] = [];
  let opening = "{";
  for (const [address, count] of map) {
    part.push(`${JSON.stringify(address)}:${count}`);
    if (part.length < PART_ENTRIES) continue;
    yield opening + part.join(",");
    part = [];
    opening = ",";
  }
  if (part.length > 0) yield opening + part.join(",");
  yield opening === "{" && part.length === 0 ? "{}" : "}";
}
