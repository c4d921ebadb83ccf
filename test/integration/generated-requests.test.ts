/**
 * Thousands of generated requests at the whole worker: each gets a 4xx in the contract's form or the
 * right answer, never a 5xx, and none that is refused or only reads writes a single row.
 */
import { env, exports } from "cloudflare:workers";
import { expect, it } from "vitest";
import { assert, asyncProperty } from "fast-check";
import { PROBLEMS, type ProblemCode } from "../../src/http/problem.ts";
import { ROUTES } from "../../src/http/router.ts";
import { expectSum } from "./harness/api.ts";
import { stage } from "./harness/stage.ts";
import { build, withoutExample, type Built } from "./requests/build.ts";
import { plan, type Plan } from "./requests/plan.ts";
import { World } from "./requests/world.ts";

const REQUESTS = 10_000;
const SEED = 20_261_129;
/** So many requests meet one world; right ones wear it out. */
const PER_WORLD = 250;

const number = (value: number) => value.toLocaleString("en-US");

type Seen = { readonly status: number; readonly code: string };

/** Routes that may write when they are right: the others only ever read. */
const WRITING: ReadonlySet<string> = new Set([
  ...ROUTES.filter(({ access }) => access === "operate").map(
    ({ method, path }) => `${method} ${path}`,
  ),
  "POST /webhooks/resend",
  "POST /unsubscribe/:token",
  "DELETE /session",
]);

class Tally {
  readonly counts = new Map<string, number>();
  readonly asked = new Map<string, number>();
  readonly right = new Map<string, number>();

  add({ route, who }: Plan, { status, code }: Seen): void {
    const key = `${status} ${code}`;
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
    this.asked.set(route, (this.asked.get(route) ?? 0) + (who === "operator" ? 1 : 0));
    if (status < 400) this.right.set(route, (this.right.get(route) ?? 0) + 1);
  }

  among(from: number, to: number): number {
    let sum = 0;
    for (const [key, count] of this.counts) {
      if (Number(key.slice(0, 3)) >= from && Number(key.slice(0, 3)) < to) sum += count;
    }
    return sum;
  }

  print(): void {
    console.log(
      `${number(this.among(100, 600))} generated requests, seed ${SEED}: ` +
        `${number(this.among(400, 500))} answered 4xx, ${number(this.among(100, 400))} right, ` +
        `${this.among(500, 600)} 5xx, 0 rows changed by a refusal`,
    );
    const byCode = [...this.counts].toSorted(([left], [right]) => (left < right ? -1 : 1));
    console.log(byCode.map(([key, count]) => `${key} ${count}`).join(", "));
  }
}

it("every route that reads a body has a right one to start from", () => {
  expect(withoutExample()).toEqual([]);
});

it(`${REQUESTS.toLocaleString("en-US")} generated requests: no 5xx, and no refusal writes a row`, async () => {
  stage.clock.stop();
  stage.queue.mood = () => "lose";
  const tally = new Tally();
  let asked = 0;
  let world = await World.make();
  await assert(
    asyncProperty(plan, async (planned) => {
      asked += 1;
      if (asked % PER_WORLD === 0) {
        await world.expectUntouched("all that was refused or only read");
        world = await World.make();
      }
      const built = build(planned, world.words);
      const seen = await answerOf(planned, built);
      if (seen.status < 400) expectEntitled(planned.who, built);
      if (seen.status < 400 && WRITING.has(routeOf(planned, built))) await world.remember();
      else await world.expectUnwritten(`${told(built)} was answered ${seen.status} ${seen.code}`);
      tally.add(planned, seen);
    }),
    { seed: SEED, numRuns: REQUESTS },
  );
  await world.expectUntouched("all that was refused or only read");
  tally.print();
  expectBreadth(tally);
}, 300_000);

/** What a method trick has made of it: the route is then another one. */
function routeOf({ route }: Plan, { method }: Built): string {
  const [, pattern = ""] = route.split(" ");
  return method === "HEAD" ? `GET ${pattern}` : `${method} ${pattern}`;
}

/** No trick makes a right token or a right origin of a wrong one. */
function expectEntitled(who: Plan["who"], built: Built): void {
  const access = accessOf(built);
  const isRead = built.method === "GET" || built.method === "HEAD";
  const reads = ["viewer", ...(isRead && !isUpgrade(built) ? ["foreignSession"] : [])];
  const entitled = ["operator", "session", ...(access === "view" ? reads : [])];
  if (access !== "public") expect(entitled, told(built)).toContain(who);
}

// An empty one does not get through to the Worker.
const isUpgrade = ({ headers }: Built) =>
  headers.some(([name, value]) => name === "upgrade" && value !== "");

/** Of the one route that answers this path, asked from the table and not from the router. */
function accessOf({ method, url }: Built): string {
  const { pathname } = new URL(url);
  const wanted = method === "HEAD" ? "GET" : method;
  const route = ROUTES.find((each) => {
    const pattern = each.path.replaceAll(".", "\\.").replaceAll(/:\w+/g, "[^/]+");
    return each.method === wanted && new RegExp(`^${pattern}/*$`).test(pathname);
  });
  return route?.access ?? "none";
}

/** Sends it, and holds the answer against the contract. */
async function answerOf(planned: Plan, built: Built): Promise<Seen> {
  const request = await requestOf(planned, built);
  const response = await exports.default.fetch(request);
  const { status, headers } = response;
  response.webSocket?.accept();
  response.webSocket?.close();
  const text = response.webSocket === null ? await response.text() : "";
  const type = headers.get("content-type") ?? "";
  const what = `${told(built)} was answered ${status} ${text.slice(0, 300)}`;
  expect(status, what).toBeLessThan(500);
  if (status < 400) {
    if (type === "application/json" && text !== "") checkSums(JSON.parse(text));
    return { status, code: "" };
  }
  // A person reads the page behind an unsubscribe link, so that its refusal is a page.
  if (type.startsWith("text/html")) {
    expect(new URL(built.url).pathname, what).toMatch(/^\/unsubscribe\//);
    return { status, code: "page" };
  }
  expect(type, what).toBe("application/problem+json");
  if (built.method === "HEAD") return { status, code: "head" };
  const { code, status: written } = JSON.parse(text) as { code: ProblemCode; status: number };
  expect(PROBLEMS[code]?.status, what).toBe(status);
  expect(written, what).toBe(status);
  return { status, code };
}

async function requestOf({ route, signed }: Plan, built: Built): Promise<Request> {
  const { method, url, body } = built;
  const headers = new Headers();
  for (const [name, value] of built.headers) headers.append(name, value);
  if (signed && route === "POST /webhooks/resend") await sign(headers, body ?? new Uint8Array());
  return new Request(url, { method, headers, body });
}

/** As the provider does, unless a trick has set one of the headers already. */
async function sign(headers: Headers, body: Uint8Array): Promise<void> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const secret = Buffer.from(env.RESEND_WEBHOOK_SECRET.replace("whsec_", ""), "base64");
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["sign"]);
  const begin = new TextEncoder().encode(`msg_1.${timestamp}.`);
  const signed = new Uint8Array([...begin, ...body]);
  const signature = Buffer.from(await crypto.subtle.sign("HMAC", key, signed)).toString("base64");
  const fields = { id: "msg_1", timestamp, signature: `v1,${signature}` };
  for (const [name, value] of Object.entries(fields)) {
    if (!headers.has(`svix-${name}`)) headers.set(`svix-${name}`, value);
  }
}

/** G5 holds in every answer. */
function checkSums(body: unknown): void {
  const { stats } = (body ?? {}) as { stats?: Record<string, number> };
  if (stats !== undefined) expectSum(stats);
}

function told({ method, url, headers, body }: Built): string {
  const text = body === null ? "" : new TextDecoder().decode(body.subarray(0, 500));
  return `${method} ${url.slice(0, 500)} ${JSON.stringify(headers).slice(0, 800)} ${text}`;
}

/** That the requests got somewhere: a generator that is refused at the door shows nothing. */
function expectBreadth({ asked, right, counts }: Tally): void {
  for (const [route, times] of asked) expect(times, route).toBeGreaterThan(50);
  expect(asked.size).toBe(ROUTES.length);
  expect([...right.keys()].length).toBeGreaterThan(ROUTES.length * 0.75);
  const codes = new Set([...counts.keys()].map((key) => key.slice(4)));
  const wanted: readonly ProblemCode[] = [
    "malformedPath",
    "invalidQuery",
    "malformedText",
    "malformedJson",
    "invalidFields",
    "invalidUpload",
    "noToken",
    "unknownToken",
    "sessionEnded",
    "badSignature",
    "viewerOnly",
    "wrongOrigin",
    "pathNotFound",
    "campaignNotFound",
    "recipientNotFound",
    "reservationNotFound",
    "segmentNotFound",
    "methodNotAllowed",
    "wrongState",
    "wrongDelivery",
    "tooLarge",
    "unsupportedMediaType",
    "upgradeRequired",
    "tooManyGuesses",
    "suppressionNotFound",
  ];
  expect(wanted.filter((code) => !codes.has(code))).toEqual([]);
}
