/**
 * What an operator sees of a campaign that meets every kind of trouble: each attempt can be followed
 * from its campaign to its provider ids, and nowhere does an address or somebody's data stand.
 */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { consumerDeps, httpDeps } from "../../src/deployment.ts";
import type { CampaignRpc } from "../../src/campaign/rpc.ts";
import { QUEUE_MAX_RETRIES } from "../../src/domain/limits.ts";
import { LOG_LEVELS } from "../../src/domain/log-event.ts";
import { handleRequest } from "../../src/http/router.ts";
import { addressNames } from "../../src/operations/address-name.ts";
import { METRICS } from "../../src/operations/metrics.ts";
import { api, done } from "./harness/api.ts";
import {
  campaign,
  until,
  type Person,
  type Status,
  type TestCampaign,
} from "./harness/campaign.ts";
import { deliver, drive, type Delivery } from "./harness/drive.ts";
import { stage } from "./harness/stage.ts";
import { standIn } from "./harness/stand-in.ts";

const ALERT_URL = "https://alerts.test/in";
const SECRET = "Zyxwvut";
const PEOPLE: Person[] = Array.from({ length: 12 }, (_, at) => ({
  // The address is the id of every other one, as it is where a list has no ids.
  ...(at % 2 === 0 ? {} : { id: `p${at}` }),
  email: `Person.${at}@Private.example`,
  data: { firstName: `${SECRET}${at}` },
}));
const FIRST = "person.0@private.example";
/** What a provider, a database or a runtime may quote of somebody. */
const QUOTING = `Invalid \`to\` field: ${FIRST} in "Dear ${SECRET}0 "O'Brien""`;

type Line = Readonly<Record<string, unknown>> & { readonly event: string };

/** All that leaves the house. */
const seen = { lines: [] as string[], alerts: [] as string[] };

beforeEach(() => {
  seen.lines.length = 0;
  seen.alerts.length = 0;
  const keep = (line: unknown) => void seen.lines.push(String(line));
  vi.spyOn(console, "log").mockImplementation(keep);
  vi.spyOn(console, "error").mockImplementation(keep);
  const { fetch } = globalThis;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    if (input !== ALERT_URL) return fetch(input, init);
    if (typeof init?.body === "string") seen.alerts.push(init.body);
    return new Response();
  });
});

afterEach(() => vi.restoreAllMocks());

/** Hands a dispatch to a consumer that logs as the product does. */
function logged(one: TestCampaign, dispatch: number, delivery: Delivery = {}) {
  const { log } = consumerDeps(env);
  return deliver(one, dispatch, { ...delivery, deps: { log, ...delivery.deps } });
}

function answerWith(status: number, name: string): Promise<unknown> {
  return standIn.config({ answer: { status, name, message: QUOTING } });
}

const failing = () =>
  new Proxy({} as CampaignRpc, {
    get: () => () => Promise.reject(new Error(QUOTING)),
  });

/** The queue's last delivery of a message whose ledger can't be reached but for its last word. */
async function dieInTheQueue(one: TestCampaign, dispatch: number): Promise<void> {
  const real = one.rpc;
  const recordDeadLetter: CampaignRpc["recordDeadLetter"] = (letter) =>
    real.recordDeadLetter(letter);
  const broken = () => Object.assign(failing(), { recordDeadLetter });
  const campaignOf = () =>
    new Proxy(broken(), {
      get: (target, name) =>
        name === "recordDeadLetter" ? recordDeadLetter : Reflect.get(target, name),
    });
  const attempts = QUEUE_MAX_RETRIES + 1;
  await logged(one, dispatch, { attempts, messageId: "m-dead", deps: { campaign: campaignOf } });
}

async function breakTheAlarm(one: TestCampaign): Promise<void> {
  const text = QUOTING.replaceAll("'", "''");
  await one.inside((_, { sql }) =>
    sql.exec(`CREATE TRIGGER broken BEFORE INSERT ON dispatches
      BEGIN SELECT RAISE(ABORT, '${text}'); END`),
  );
  stage.clock.advance(90_000);
  await one.ring();
  await one.inside((_, { sql }) => sql.exec("DROP TRIGGER broken"));
}

async function faultOfTheApi(): Promise<void> {
  const path = `/api/campaigns/x/recipients/${encodeURIComponent(FIRST)}`;
  const request = new Request(`http://sendonce.test${path}`, {
    headers: { authorization: `Bearer ${env.OPERATOR_TOKEN}` },
  });
  const response = await handleRequest(request, { ...httpDeps(env), campaign: failing });
  expect(response.status).toBe(500);
}

/** A campaign of six batches that meet a trouble each, ready to go on to its end. */
async function troubled(): Promise<TestCampaign> {
  stage.clock.stop();
  stage.alertUrl = ALERT_URL;
  stage.queue.mood = (nth) => (nth === 1 ? "throw" : "keep");
  const one = await campaign({
    recipients: PEOPLE,
    settings: { batchSize: 2, pauseAtDeadLetters: 1, pauseAtFailureRate: 1 },
    more: { text: "Dear {{ firstName }}, welcome" },
  });
  await one.start();
  await one.ring();
  stage.clock.advance(10_000);
  await one.ring();
  const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0] = stage.queue.take(one.id);
  await standIn.config({ refuseAddresses: ["person.1@private.example"] });
  await logged(one, first);
  await answerWith(422, "validation_error");
  await logged(one, second);
  await answerWith(500, "application_error");
  await logged(one, third);
  await standIn.config({ answer: null });
  await logged(one, fourth, { killAt: "afterAcceptance" });
  await dieInTheQueue(one, fifth);
  expect(await one.status()).toMatchObject({ state: "paused", pause: { reason: "deadLetters" } });
  await logged(one, fifth);
  await one.resume();
  await breakTheAlarm(one);
  await answerWith(401, "invalid_api_key");
  await drive(one, { hand: (dispatch, attempts) => logged(one, dispatch, { attempts }) });
  await standIn.config({ answer: null });
  await one.resume();
  await faultOfTheApi();
  return one;
}

function ended(one: TestCampaign): Promise<Status> {
  return drive(one, { hand: (dispatch, attempts) => logged(one, dispatch, { attempts }) });
}

function linesOf(one: TestCampaign, event: string): Line[] {
  return seen.lines
    .map((line) => JSON.parse(line) as Line)
    .filter((line) => line.event === event && line["campaignId"] === one.id);
}

type AttemptRow = {
  readonly batch: number;
  readonly token: number;
  readonly outcome: string | null;
};

describe("a campaign in trouble", () => {
  it("can be followed by its log: each attempt, to its outcome and its provider ids", async () => {
    const one = await troubled();
    // The batch whose consumer died is in doubt: the pause has outlasted its window.
    expect(await ended(one)).toMatchObject({
      state: "finished",
      stats: { sent: 9, failed: 1, inDoubt: 2 },
    });

    const events = seen.lines.map((line) => (JSON.parse(line) as Line).event);
    expect(events.filter((event) => !(event in LOG_LEVELS))).toEqual([]);
    for (const event of [
      "queueSendFailed",
      "alarmFailed",
      "alarmLate",
      "dispatchFailed",
      "deadLetterKept",
      "reservationRefused",
      "httpFault",
    ] as const) {
      expect(events, event).toContain(event);
    }

    const sent = new Set(linesOf(one, "dispatchesSent").flatMap((line) => line["dispatches"]));
    const started = linesOf(one, "attemptStarted");
    const over = linesOf(one, "attemptEnded");
    const attempts = await one.inside(
      (_, { sql }) =>
        sql.exec("SELECT batch, token, outcome FROM attempts").toArray() as AttemptRow[],
    );
    expect(attempts.length).toBeGreaterThan(8);
    for (const { batch, token, outcome } of attempts) {
      const isOf = (line: Line) => line["batch"] === batch && line["token"] === token;
      const [start, ...more] = started.filter(isOf);
      expect(more).toEqual([]);
      expect(sent).toContain(start?.["dispatch"]);
      const [end] = over.filter(isOf);
      // Whoever died has a beginning and no end; the ledger calls that an expired lease.
      expect(end?.["outcome"] ?? "expired", `${batch}:${token}`).toBe(outcome);
    }
    expect(attempts.map(({ outcome }) => outcome)).toEqual(
      expect.arrayContaining(["answered", "rejected", "unknown", "deferred", "expired"]),
    );

    const told = over.flatMap((line) => line["providerIds"] as string[]);
    const recorded = await one.inside((_, { sql }) =>
      sql.exec("SELECT provider_id FROM recipients WHERE status = 'sent'").toArray(),
    );
    expect(told).toHaveLength(9);
    expect(new Set(told)).toEqual(new Set(recorded.map((row) => row["provider_id"])));
    expect(over.every((line) => typeof line["latencyMilliseconds"] === "number")).toBe(true);
    expect(over.map((line) => line["failed"]).filter((count) => count === 1)).toHaveLength(1);
    expect(new Set(over.map((line) => line["why"]))).toContain("401 invalid_api_key");
  });

  it("R-no-address: no address, id or data in a line, a metric, a dead letter or an alert", async () => {
    const one = await troubled();
    await ended(one);
    // Doubts are gathered for a few seconds before somebody is told.
    stage.clock.advance(10_000);
    await one.ring();
    await until(
      () => Promise.resolve(seen.alerts),
      (alerts) => alerts.some((alert) => alert.includes("inDoubt:")),
    );
    const letters = await done("GET", `${one.path}/dead-letters`);
    const metrics = await done<string>("GET", "/metrics");
    const health = await done("GET", "/healthz", { token: null });
    expect(letters).toMatchObject({
      items: [{ messageId: "m-dead", dispatch: expect.any(Number) }],
    });
    expect(seen.alerts.map((alert) => (JSON.parse(alert) as { type: string }).type)).toEqual(
      expect.arrayContaining(["paused", "inDoubt", "finished"]),
    );
    const parts = { lines: seen.lines, alerts: seen.alerts, letters, metrics, health };
    for (const [name, part] of Object.entries(parts)) {
      const text = JSON.stringify(part);
      expect(text, name).not.toContain("@");
      expect(text.toLowerCase(), name).not.toMatch(/private\.example|%40/);
      expect(text, name).not.toContain(SECRET);
      expect(text, name).not.toContain("O'Brien");
    }
    // Somebody is told apart all the same, by who has the key.
    const name = addressNames(env.SIGNING_KEY)(FIRST);
    expect(name).toMatch(/^address:[0-9a-f]{16}$/);
    for (const part of [seen.lines, seen.alerts, letters]) {
      expect(JSON.stringify(part)).toContain(name);
    }
    expect(seen.lines.filter((line) => line.includes("httpFault"))[0]).toContain(
      "/api/campaigns/:id/recipients/:recipientId",
    );
  });

  it("tells the same numbers by its metrics as by its status", async () => {
    const one = await troubled();
    await ended(one);
    const text = await done<string>("GET", "/metrics", { token: env.VIEWER_TOKEN ?? "" });
    const value = (series: string) =>
      Number(new RegExp(`^${series.replaceAll(/[{}]/g, "\\$&")} (.*)$`, "m").exec(text)?.[1]);
    const of = `campaign="${one.id}"`;
    const { stats, deadLetters, duplicatesPrevented } = await one.status();
    for (const [state, count] of Object.entries(stats)) {
      if (state !== "total")
        expect(value(`sendonce_recipients{${of},state="${state}"}`)).toBe(count);
    }
    expect(value(`sendonce_dead_letters_total{${of}}`)).toBe(deadLetters);
    expect(value(`sendonce_duplicates_prevented_total{${of}}`)).toBe(duplicatesPrevented);
    const attempts = await one.inside(
      (_, { sql }) => sql.exec("SELECT outcome FROM attempts").toArray() as AttemptRow[],
    );
    for (const outcome of ["answered", "rejected", "deferred", "unknown"]) {
      const count = attempts.filter((attempt) => attempt.outcome === outcome).length;
      expect(value(`sendonce_attempts_total{${of},outcome="${outcome}"}`), outcome).toBe(count);
    }
    expect(value(`sendonce_lease_expiries_total{${of}}`)).toBe(
      attempts.filter(({ outcome }) => outcome === "expired").length,
    );
    const calls = attempts.filter(({ outcome }) => outcome !== "expired").length;
    expect(value(`sendonce_provider_latency_seconds_count{${of}}`)).toBe(calls);
    expect(value(`sendonce_campaign_state{${of},state="finished"}`)).toBe(1);
    for (const { name } of METRICS) {
      if (!name.startsWith("sendonce_queue_oldest"))
        expect(text, name).toContain(`# TYPE ${name} `);
    }
  });
});

const partsNow = async () => (await env.ACCOUNT.getByName("account").health()).parts;

describe("health", () => {
  it("tells a queue that hands out nothing from a provider that fails", async () => {
    stage.clock.stop();
    stage.queue.mood = () => "keep";
    const one = await campaign({ recipients: 12, settings: { batchSize: 2 } });
    await one.start();
    await one.ring();
    const [dispatch = 0, ...others] = stage.queue.take(one.id);
    expect(await partsNow()).toMatchObject({ storage: { status: "ok" }, queue: { status: "ok" } });

    await answerWith(500, "application_error");
    for (const each of [dispatch, ...others.slice(0, 2)]) await deliver(one, each);
    stage.clock.advance(11_000);
    expect(await partsNow()).toMatchObject({
      storage: { status: "ok" },
      queue: { status: "ok" },
      provider: { status: "degraded", reason: "providerFailing" },
    });

    await standIn.config({ answer: null });
    for (const each of others.slice(2)) await deliver(one, each);
    stage.queue.mood = () => "lose";
    stage.clock.advance(61_000);
    await one.ring();
    stage.clock.advance(301_000);
    expect(await partsNow()).toMatchObject({
      storage: { status: "ok" },
      queue: { status: "down", reason: "queueSilent" },
      provider: { status: "ok" },
    });
    expect(await api("GET", "/healthz", { token: null })).toMatchObject({ status: 200 });
  });
});
