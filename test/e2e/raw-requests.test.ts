/**
 * Raw bytes over TCP at the Worker as an operator runs it: request lines, header bytes and framings
 * that no HTTP client would send. None is answered 5xx by Sendonce, none changes a row, and it
 * answers afterwards as before.
 *
 * Most of them never reach Sendonce. Here workerd's own parser answers, or wrangler's front; on
 * Cloudflare it is their edge. Their answers lack the headers that each of ours has, and are counted
 * apart, by status: what they are is not in our hands.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sample } from "fast-check";
import { PROBLEMS, type ProblemCode } from "../../src/http/problem.ts";
import { converse, type RawAnswer } from "./raw/connection.ts";
import { rawRequests, type RawRequest } from "./raw/requests.ts";
import { Stack } from "./stack.ts";

const REQUESTS = 2_000;
const SEED = 20_261_129;
const AT_ONCE = 20;
const DRAFT = "draft";

let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start({ requestsPerSecond: 50 });
  const from = "The Shop <news@shop.example>";
  await stack.api.create({ id: DRAFT, name: "Spring", from, subject: "Hello", text: "Hi." });
  const body = JSON.stringify({ recipients: [{ email: "ada@mail.example" }] });
  await stack.api.upload(DRAFT, { body, format: "application/json" });
});

afterAll(() => stack?.stop());

/** What object and account note of each other and of the time, whatever is asked. */
const MARKS = new Set(["look_at", "heard_at", "held_until", "next"]);

/** Every row of every object, but for the platform's own tables. One that holds none is left out. */
function allRows(): Readonly<Record<string, unknown>> {
  const objects = join(stack.folder, "v3/do");
  const files = readdirSync(objects, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".sqlite"))
    .filter((name) => existsSync(join(objects, name)));
  const rows = files.toSorted().flatMap((name) => {
    const database = new DatabaseSync(join(objects, name), { readOnly: true });
    const tables = database
      .prepare(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
      )
      .all()
      .map((row) => String(row["name"]));
    const filled = tables.map(
      (table) =>
        [
          `${name} ${table}`,
          withoutMarks(database.prepare(`SELECT * FROM ${table} ORDER BY 1`).all()),
        ] as const,
    );
    database.close();
    return filled;
  });
  return Object.fromEntries(rows);
}

function withoutMarks(rows: unknown): string {
  return JSON.stringify(rows, (name, value: unknown) => (MARKS.has(name) ? undefined : value));
}

/**
 * What the Worker's log says of a fault of Sendonce: one that it has recorded itself, or one that has
 * come out of it, with a place in its bundle.
 */
const FAULT = /"httpFault"|\/worker\.js:\d/;

/** Sendonce puts this on each of its answers, those of the dashboard's files included. */
const isOurs = ({ headers }: RawAnswer): boolean => headers.has("cross-origin-resource-policy");

function told({ kind, writes, ending }: RawRequest): string {
  const text = Buffer.concat(writes).toString("latin1");
  return `${kind}, ${ending}: ${JSON.stringify(text.slice(0, 600))}`;
}

const inShort = (counts: ReadonlyMap<number, number>): string =>
  [...counts]
    .toSorted(([left], [right]) => left - right)
    .map(([status, count]) => `${status} ${count}`)
    .join(", ");

class Tally {
  readonly ours = new Map<number, number>();
  readonly platform = new Map<number, number>();
  readonly codes = new Set<string>();
  unanswered = 0;

  add(answers: readonly RawAnswer[], what: string): void {
    if (answers.length === 0) this.unanswered += 1;
    for (const answer of answers) {
      const { status } = answer;
      const counts = isOurs(answer) ? this.ours : this.platform;
      counts.set(status, (counts.get(status) ?? 0) + 1);
      if (isOurs(answer)) this.#judge(answer, what);
    }
  }

  #judge({ status, headers, body }: RawAnswer, what: string): void {
    expect(status, what).toBeLessThan(500);
    if (headers.get("content-type") !== "application/problem+json" || body === "") return;
    const { code } = JSON.parse(Buffer.from(body, "latin1").toString()) as { code: ProblemCode };
    expect(PROBLEMS[code]?.status, `${what} was answered ${body}`).toBe(status);
    this.codes.add(code);
  }

  print(): void {
    console.log(
      `${REQUESTS.toLocaleString("en-US")} raw requests, seed ${SEED}: answered by Sendonce ` +
        `${inShort(this.ours)}; by the platform before it ${inShort(this.platform)}; ` +
        `${this.unanswered} not whole and never answered; 0 rows changed`,
    );
  }
}

it(`${REQUESTS.toLocaleString("en-US")} raw requests: no 5xx of ours, and no row changes`, async () => {
  const port = Number(new URL(stack.url).port);
  const words = { token: stack.token, draft: DRAFT };
  const requests = sample(rawRequests(words), { seed: SEED, numRuns: REQUESTS });
  const before = allRows();
  expect(Object.keys(before).length).toBeGreaterThan(20);
  const tally = new Tally();
  for (let from = 0; from < REQUESTS; from += AT_ONCE) {
    const some = requests.slice(from, from + AT_ONCE);
    await Promise.all(
      some.map(async (request) => {
        const answers = await converse(port, request);
        tally.add(answers, told(request));
      }),
    );
  }
  // What somebody has been told too late to change anything, is done by now.
  expect((await fetch(`${stack.url}/healthz`)).status).toBe(200);
  expect(allRows()).toEqual(before);
  const faults = stack
    .log()
    .split("\n")
    .filter((line) => FAULT.test(line));
  expect(faults, "no fault of ours, answered or not").toEqual([]);
  expect(await stack.api.campaign(DRAFT)).toMatchObject({ name: "Spring" });
  tally.print();
  expectBreadth(tally);
});

/** That enough of them got to Sendonce, and enough did not. */
function expectBreadth({ ours, platform, codes }: Tally): void {
  const wanted: readonly ProblemCode[] = [
    "noToken",
    "malformedJson",
    "invalidFields",
    "badSignature",
    "unsupportedMediaType",
    "pathNotFound",
    "methodNotAllowed",
  ];
  expect(wanted.filter((code) => !codes.has(code))).toEqual([]);
  expect(ours.get(200)).toBeGreaterThan(100);
  expect(platform.get(400)).toBeGreaterThan(100);
}
