/**
 * Each example of the served contract, asked of the running Worker in an order in which the state is
 * the one that its summary tells of. What is answered is what the contract shows: the file
 * src/http/contract/recorded.json, which `vitest --update` on this file writes anew.
 */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { httpDeps } from "../../src/deployment.ts";
import type { DispatchNumber } from "../../src/domain/ids.ts";
import { GuessLimit, ShutAddresses } from "../../src/http/guess-limit.ts";
import { PROBLEMS } from "../../src/http/problem.ts";
import { handleRequest, type HttpDeps } from "../../src/http/router.ts";
import { breaches } from "../support/contract.ts";
import { signedHeaders } from "../unit/webhook/signed.ts";
import { TestCampaign } from "./harness/campaign.ts";
import { drive } from "./harness/drive.ts";
import {
  examplesOf,
  read,
  replay,
  send,
  servedDocument,
  type ContractExample,
  type Known,
  type Replayed,
} from "./harness/examples.ts";
import { stage } from "./harness/stage.ts";
import { standIn } from "./harness/stand-in.ts";

const NOON = Date.UTC(2026, 10, 29, 12);
const bearer = { authorization: `Bearer ${env.OPERATOR_TOKEN}` };
const json = { ...bearer, "content-type": "application/json" };

/** Replays, and keeps what was answered and which problems were seen. */
class Story {
  readonly answers: Record<string, unknown> = {};
  readonly problems: Record<string, unknown> = {};
  readonly #examples: ReadonlyMap<string, ContractExample>;

  constructor(examples: ReadonlyMap<string, ContractExample>) {
    this.#examples = examples;
  }

  async show(key: string, known: Known = {}): Promise<void> {
    const example = this.#examples.get(key);
    if (example === undefined) throw new Error(`the contract has no example ${key}`);
    const replayed = await replay(example, known);
    const wanted = example.operation["x-examples"][example.name]?.status;
    expect({ key, status: replayed.status, body: replayed.body }).toMatchObject({
      key,
      status: wanted,
    });
    expect(breaches(replayed)).toEqual([]);
    const { body, type } = replayed;
    // A page is for looking at; its markup would tell a reader of the contract nothing.
    this.answers[key] = body === "" || type === "text/html" ? undefined : normal(body);
    this.#keep(replayed);
  }

  /** A refusal that no single request can bring about. */
  meet(replayed: Replayed, code: keyof typeof PROBLEMS): void {
    expect(replayed.body).toMatchObject({ code });
    expect(breaches(replayed)).toEqual([]);
    this.#keep(replayed);
  }

  #keep({ type, body }: Replayed): void {
    if (type !== "application/problem+json") return;
    const { code } = body as { code: string };
    this.problems[code] ??= normal(body);
  }
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Without what differs from run to run: ids that the provider draws. */
function normal(value: unknown): unknown {
  const text = JSON.stringify(value).replaceAll(UUID, "49a3999c-0ce1-4ea6-ab68-afcd6dc2e794");
  return JSON.parse(text) as unknown;
}

const SPRING = new TestCampaign("spring");
const INVOICES = new TestCampaign("invoices");

async function did(method: string, path: string, body?: object): Promise<unknown> {
  const done = await send(method, path, json, body === undefined ? null : JSON.stringify(body));
  expect(done.status, `${method} ${path}: ${JSON.stringify(done.body)}`).toBeLessThan(300);
  return done.body;
}

/** A managed campaign of people who wait to be mailed. */
async function prepared(id: string, settings: object, ...people: readonly string[]): Promise<void> {
  const content = { from: "The Shop <news@shop.example>", subject: "Hello", text: "Hello" };
  await did("POST", "/api/campaigns", { id, name: id, ...content, settings });
  const recipients = people.map((each) => ({ id: each, email: `${each}@mail.example` }));
  await did("POST", `/api/campaigns/${id}/recipients`, { recipients });
}

async function drafts(story: Story): Promise<void> {
  await story.show("getHealth.alive");
  for (const name of ["signIn", "otherOrigin", "wrongToken"]) {
    await story.show(`openSession.${name}`);
  }
  await story.show("getSession.who");
  await story.show("closeSession.signOut");
  await story.show("showPreview.html");
  await story.show("putSuppressions.two");
  await story.show("importSuppressions.csv");
  await story.show("listSuppressions.all");
  await story.show("exportSuppressions.all");
  for (const name of ["managed", "again", "faults", "brokenJson"]) {
    await story.show(`createCampaign.${name}`);
  }
  await story.show("createCampaign.external");
  await story.show("createCampaign.taken");
  for (const name of ["all", "withStatus", "outOfRange"]) {
    await story.show(`listCampaigns.${name}`);
  }
  for (const name of ["one", "unknown", "brokenPath"]) await story.show(`getCampaign.${name}`);
  await story.show("changeCampaign.change");
  await story.show("changeCampaign.changedMeanwhile");
}

async function enrolments(story: Story): Promise<void> {
  await env.AUDIENCE.batch([
    env.AUDIENCE.prepare("CREATE TABLE example_customers (id TEXT, email TEXT, firstName TEXT)"),
    env.AUDIENCE.prepare("INSERT INTO example_customers VALUES ('c_1', 'c1@mail.example', 'Carl')"),
    env.AUDIENCE.prepare("CREATE VIEW active_customers AS SELECT * FROM example_customers"),
  ]);
  for (const name of ["csv", "ndjson", "json", "columns", "noEmail", "breaksOff"]) {
    await story.show(`uploadRecipients.${name}`);
  }
  for (const name of ["view", "unknownView", "unfitView"]) {
    await story.show(`enrolSegment.${name}`);
  }
  for (const name of ["some", "suppressed", "byAddress"]) {
    await story.show(`listRecipients.${name}`);
  }
  await story.show("exportRecipients.suppressed");
  for (const name of ["somebody", "madeUp", "missingField"]) {
    await story.show(`previewCampaign.${name}`);
  }
  await story.show("preflightCampaign.look");
  await standIn.config({ refuseAddresses: ["refused@shop.example", "barbara@mail.example"] });
  await story.show("sendTest.toMe");
  await story.show("sendTest.refused");
}

async function run(story: Story): Promise<void> {
  await story.show("watchCampaign.noUpgrade");
  await story.show("watchCampaign.watch");
  await story.show("startCampaign.skippedHour");
  await story.show("startCampaign.withErrors");
  await did("PATCH", SPRING.path, { subject: '{{ firstName | default: "Hello" }}, it is spring' });
  await story.show("startCampaign.now");
  for (const key of ["startCampaign.again", "pauseCampaign.pause", "resumeCampaign.resume"]) {
    await story.show(key);
  }
  await story.show("finishCampaign.managed");
  await story.show("reserveRecipients.managed");
  await drive(SPRING);
  for (const name of ["mailed", "suppressed", "nobody"]) await story.show(`getRecipient.${name}`);
  await story.show("getDeliveryStatus.finished");
  await SPRING.rpc.recordDeadLetter({
    messageId: "9f2b1c7e",
    dispatch: 1 as DispatchNumber,
    error: "Durable Object reset because its code was updated.",
    stack: null,
    attempts: 6,
  });
  await story.show("listDeadLetters.all");
  await story.show("replayRecipients.failed");
  await drive(SPRING);
  await story.show("listEvents.newest");
  await prepared("summer", {}, "s_1");
  await story.show("startCampaign.at");
  await story.show("cancelCampaign.cancel");
  await prepared("autumn", {}, "a_1");
  await story.show("startCampaign.local");
}

async function doubts(story: Story): Promise<void> {
  await prepared(INVOICES.id, { idempotencyWindowSeconds: 0 }, "i_1", "i_2");
  await standIn.faults({ do: "acceptThenDrop" });
  await did("POST", `${INVOICES.path}/start`);
  await drive(INVOICES);
  await story.show("reconcileDoubts.ask");
  await story.show("replayRecipients.risky");
  await story.show("resolveRecipients.unknownIds");
  await story.show("resolveRecipients.sent");
  await story.show("resolveRecipients.settled");
  await story.show("replayRecipients.inDoubt");
}

async function reservations(story: Story): Promise<void> {
  const path = "/api/campaigns/welcome";
  const recipients = [{ id: "w_7", email: "tony@mail.example" }];
  await did("POST", `${path}/recipients`, { recipients });
  await did("POST", `${path}/start`);
  for (const name of ["recipients", "redelivered", "next", "bothWays", "longKey"]) {
    await story.show(`reserveRecipients.${name}`);
  }
  await story.show("reportReservation.results");
  await did("POST", `${path}/reservations`, {
    reservationId: "message-4",
    recipients: [{ id: "w_4", email: "john@mail.example" }],
  });
  for (const name of ["strangers", "unknown", "stale", "unknownReservation"]) {
    await story.show(`reportReservation.${name}`);
  }
  await story.show("finishCampaign.finish");
}

const signed = (body: string) => signedHeaders(body, NOON, [env.RESEND_WEBHOOK_SECRET ?? ""]);

async function outside(story: Story): Promise<void> {
  await story.show("receiveResendEvent.foreign", { headers: signed });
  await story.show("receiveResendEvent.unsigned", {
    headers: (body) => ({ "svix-timestamp": signed(body)["svix-timestamp"] }),
  });
  const mails = await standIn.accepted();
  const mail = mails.find((each) => each.to.includes("alan@") && each.key?.startsWith("spring:"));
  const url = /<(.*)>/.exec(mail?.headers?.["List-Unsubscribe"] ?? "")?.[1] ?? "";
  const params = { token: decodeURIComponent(url.split("/").at(-1) ?? "") };
  await story.show("showUnsubscribe.link", { params });
  await story.show("showUnsubscribe.badLink");
  await story.show("unsubscribe.oneClick", { params });
  await story.show("deleteSuppression.lift");
  await story.show("deleteSuppression.notThere");
  await story.show("eraseCampaign.erase");
}

/** The Worker as another deployment would have it. */
async function elsewhere(
  deps: Partial<HttpDeps>,
  method: string,
  path: string,
  init: RequestInit = {},
): Promise<Replayed> {
  const request = new Request(`http://sendonce.test${path}`, { method, ...init });
  const all = { ...httpDeps(env), now: () => stage.clock.now(), ...deps };
  return read(method, path, await handleRequest(request, all));
}

/** Where the objects answer as they do in trouble (Cloudflare, Durable Objects, "Error handling"). */
const troubled = (flags: object, message = "no answer"): Partial<HttpDeps> => ({
  log: () => undefined,
  campaign: () =>
    ({
      deliveryStatus: () => Promise.reject(Object.assign(new Error(message), flags)),
    }) as unknown as ReturnType<HttpDeps["campaign"]>,
});

/** A body whose connection is lost. */
function cut(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: (controller) => controller.error(new Error("lost")) });
}

async function troubles(story: Story): Promise<void> {
  const list = "/api/campaigns";
  const status = "/api/campaigns/welcome/delivery-status";
  const upload = "/api/campaigns/welcome-2/recipients";
  story.meet(await send("GET", list, {}), "noToken");
  story.meet(await send("GET", "/session", { cookie: "__Host-sendonce=over" }), "sessionEnded");
  const viewer = { authorization: `Bearer ${env.VIEWER_TOKEN ?? ""}` };
  story.meet(await send("POST", list, viewer), "viewerOnly");
  story.meet(await send("GET", "/api/nothing", bearer), "pathNotFound");
  story.meet(await send("PUT", list, bearer), "methodNotAllowed");
  story.meet(await send("POST", list, json, new Uint8Array([0x22, 0xff, 0x22])), "malformedText");
  story.meet(await elsewhere({}, "POST", list, { headers: json, body: cut() }), "bodyInterrupted");
  story.meet(await send("POST", list, json, `"${"x".repeat(2_097_152)}"`), "tooLarge");
  const text = { ...bearer, "content-type": "text/plain" };
  story.meet(await send("POST", list, text, "id=spring"), "unsupportedMediaType");
  const bare = { tokens: { operator: undefined, viewer: undefined }, log: () => undefined };
  story.meet(await elsewhere(bare, "GET", list), "notConfigured");
  const spent = new GuessLimit({
    limiter: { limit: async () => ({ success: false }) },
    shut: new ShutAddresses(),
    now: () => NOON,
    log: () => undefined,
  });
  const guess = { headers: { authorization: "Bearer guess", "cf-connecting-ip": "192.0.2.1" } };
  story.meet(await elsewhere({ guesses: spent }, "GET", list, guess), "tooManyGuesses");
  const unsigned = { webhookSecret: undefined, log: () => undefined };
  story.meet(await elsewhere(unsigned, "POST", "/webhooks/resend"), "webhookNotConfigured");
  const asked = { headers: bearer };
  story.meet(await elsewhere(troubled({}), "GET", status, asked), "internal");
  story.meet(await elsewhere(troubled({ overloaded: true }), "GET", status, asked), "overloaded");
  const full = troubled({}, "database or disk is full: SQLITE_FULL");
  story.meet(await elsewhere(full, "GET", status, asked), "storageFull");
  story.meet(await elsewhere(troubled({ retryable: true }), "GET", status, asked), "unavailable");
  await prepared("held", {}, "h_1");
  await did("POST", "/api/campaigns/held/start");
  await new TestCampaign("held").ring();
  const [dispatch] = stage.queue.take("held");
  const { rpc } = new TestCampaign("held");
  const claim = "held by the test";
  await rpc.reserve({ by: "dispatch", dispatch: dispatch as DispatchNumber, claim });
  await did("POST", "/api/campaigns/held/pause");
  story.meet(await send("DELETE", "/api/campaigns/held", bearer), "stillReserved");
  await did("POST", "/api/campaigns", { id: "welcome-2", name: "More", delivery: "external" });
  // A body this large is not held, so that its beginning is stored when its end is seen.
  const data = JSON.stringify({ note: "x".repeat(1_000) });
  const rows = Array.from(
    { length: 3_000 },
    (_, at) => `{"email":"r${at}@mail.example","data":${data}}`,
  );
  const broken = `{"recipients":[${rows.join(",")},`;
  story.meet(await send("POST", upload, json, broken), "uploadInterrupted");
}

async function oneByOne(story: Story): Promise<void> {
  await story.show("getPerson.one");
  const silent = {
    log: () => undefined,
    campaign: () =>
      ({ person: () => Promise.reject(new Error("no answer")) }) as unknown as ReturnType<
        HttpDeps["campaign"]
      >,
  };
  const path = "/api/people/h_1%40mail.example";
  story.meet(await elsewhere(silent, "GET", path, { headers: bearer }), "campaignsSilent");
  await story.show("erasePerson.erase");
}

const CHAPTERS = [drafts, enrolments, run, doubts, reservations, outside, troubles, oneByOne];

it("R-contract: every example is answered as the contract shows it", async () => {
  stage.clock.stop(NOON);
  stage.edgeFollowsClock = true;
  stage.queue.mood = () => "keep";
  const examples = examplesOf(await servedDocument());
  const story = new Story(examples);
  for (const chapter of CHAPTERS) await chapter(story);
  expect(Object.keys(story.answers).toSorted()).toEqual([...examples.keys()].toSorted());
  expect(Object.keys(story.problems).toSorted()).toEqual(Object.keys(PROBLEMS).toSorted());
  await expect(`${JSON.stringify(sorted(story), null, 2)}\n`).toMatchFileSnapshot(
    "../../src/http/contract/recorded.json",
  );
});

function sorted({ answers, problems }: Story): object {
  return { answers: byName(answers), problems: byName(problems) };
}

function byName(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
