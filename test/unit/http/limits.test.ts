/**
 * Every bound of limits.ts that a request can meet, met: at the bound it is taken, one beyond it is
 * refused at its place. A new `MAX_` has to be put in here, or among those that no request meets.
 */
import { describe, expect, it } from "vitest";
import * as limits from "../../../src/domain/limits.ts";
import { api, DRAFT, MANAGED, NOW, OPERATOR, VIEW, type Ask, type ProblemBody } from "./api.ts";

type Met = {
  readonly limit: string;
  readonly method?: string;
  /** Where it isn't the body of `POST /api/campaigns`. */
  readonly path?: string | ((size: number) => string);
  readonly ask?: (size: number) => Ask;
  /** The field that is named, or the code where no field is. */
  readonly place: string;
  readonly code?: string;
};

const SPRING = "/api/campaigns/spring";
const x = (size: number) => "x".repeat(size);
const times = <T>(size: number, one: (at: number) => T): T[] =>
  Array.from({ length: size }, (_, at) => one(at));
const body = (value: object): Ask => ({ body: value });
const managed = (fields: object): Ask => body({ ...MANAGED, ...fields });
const setting = (name: string) => (size: number) => managed({ settings: { [name]: size } });
const report = (fields: object): Ask => body({ token: 1, ...fields });
const RESERVE = { method: "POST", path: `${SPRING}/reservations` } as const;
const REPORT = { method: "POST", path: `${RESERVE.path}/m1/report` } as const;

/** An address with as many octets in its domain, in labels that are short enough. */
function domainOf(octets: number): string {
  const labels = times(Math.floor((octets - 8) / 50), () => x(49));
  const rest = octets - labels.length * 50 - ".example".length;
  return `${[...labels, x(rest)].join(".")}.example`;
}

/** `{"recipients":…}` whose one recipient has so many bytes of data. */
const dataOf = (bytes: number) => ({ v: x(bytes - '{"v":""}'.length) });
const nested = (levels: number): object => (levels <= 1 ? {} : { a: nested(levels - 1) });
const withData = (data: object): Ask =>
  body({ reservationId: "m", recipients: [{ email: "a@b.example", data }] });
const withAddress = (address: string): Ask => body({ addresses: [address] });

const MET: readonly Met[] = [
  { limit: "MAX_CAMPAIGN_ID_CHARACTERS", ask: (n) => managed({ id: x(n) }), place: "id" },
  { limit: "MAX_NAME_CHARACTERS", ask: (n) => managed({ name: x(n) }), place: "name" },
  { limit: "MAX_SUBJECT_CHARACTERS", ask: (n) => managed({ subject: x(n) }), place: "subject" },
  { limit: "MAX_CONTENT_CHARACTERS", ask: (n) => managed({ html: x(n) }), place: "html" },
  {
    limit: "MAX_TEMPLATE_DEPTH",
    ask: (n) => managed({ html: `${"{% if a %}".repeat(n)}x${"{% endif %}".repeat(n)}` }),
    place: "html",
  },
  {
    limit: "MAX_HEADERS",
    ask: (n) => managed({ headers: Object.fromEntries(times(n, (at) => [`X-${at}`, "v"])) }),
    place: "headers",
  },
  {
    limit: "MAX_HEADER_CHARACTERS",
    ask: (n) => managed({ headers: { "X-A": x(n - "X-A: ".length) } }),
    place: "headers.X-A",
  },
  {
    limit: "MAX_TAGS",
    ask: (n) => managed({ tags: Object.fromEntries(times(n, (at) => [`t${at}`, "v"])) }),
    place: "tags",
  },
  { limit: "MAX_TAG_CHARACTERS", ask: (n) => managed({ tags: { a: x(n) } }), place: "tags.a" },
  { limit: "MAX_ATTEMPTS", ask: setting("maxAttempts"), place: "settings.maxAttempts" },
  { limit: "MAX_LEASE_SECONDS", ask: setting("leaseSeconds"), place: "settings.leaseSeconds" },
  {
    limit: "MAX_WINDOW_SECONDS",
    ask: setting("idempotencyWindowSeconds"),
    place: "settings.idempotencyWindowSeconds",
  },
  {
    limit: "MAX_REQUESTS_PER_SECOND",
    ask: setting("requestsPerSecond"),
    place: "settings.requestsPerSecond",
  },
  { limit: "MAX_BATCH_SIZE", ask: setting("batchSize"), place: "settings.batchSize" },
  {
    ...RESERVE,
    limit: "MAX_BATCH_SIZE",
    ask: (limit) => body({ reservationId: "m", limit }),
    place: "limit",
  },
  {
    ...RESERVE,
    limit: "MAX_BATCH_SIZE",
    ask: (n) =>
      body({ reservationId: "m", recipients: times(n, (at) => ({ email: `a${at}@b.example` })) }),
    place: "recipients",
  },
  {
    ...RESERVE,
    limit: "MAX_RESERVATION_ID_CHARACTERS",
    ask: (n) => body({ reservationId: x(n), limit: 1 }),
    place: "reservationId",
  },
  {
    ...RESERVE,
    limit: "MAX_RECIPIENT_ID_CHARACTERS",
    ask: (n) => body({ reservationId: "m", recipients: [{ id: x(n), email: "a@b.example" }] }),
    place: "recipients.0.id",
  },
  {
    ...RESERVE,
    limit: "MAX_DATA_BYTES",
    ask: (n) => withData(dataOf(n)),
    place: "recipients.0.data",
  },
  {
    ...RESERVE,
    limit: "MAX_DATA_DEPTH",
    ask: (n) => withData(nested(n)),
    place: "recipients.0.data",
  },
  {
    ...RESERVE,
    limit: "MAX_CLAIM_CHARACTERS",
    ask: (n) => ({
      ...body({ reservationId: "m", limit: 1 }),
      headers: { "idempotency-key": x(n) },
    }),
    place: "Idempotency-Key",
    code: "invalidHeader",
  },
  {
    ...REPORT,
    limit: "MAX_REASON_CHARACTERS",
    ask: (n) => report({ outcome: "unknown", reason: x(n) }),
    place: "reason",
  },
  {
    ...REPORT,
    limit: "MAX_PROVIDER_ID_CHARACTERS",
    ask: (n) => report({ results: [{ id: "a", outcome: "sent", providerId: x(n) }] }),
    place: "results.0.providerId",
  },
  {
    ...REPORT,
    limit: "RETRY_AFTER_MOST_SECONDS",
    ask: (n) => report({ outcome: "deferred", reason: "x", retryAfterSeconds: n }),
    place: "retryAfterSeconds",
  },
  {
    limit: "MAX_NAMED_RECIPIENTS",
    path: `${SPRING}/replay`,
    ask: (n) => body({ ids: times(n, String) }),
    place: "ids",
  },
  {
    limit: "MAX_START_DELAY_SECONDS",
    path: `${SPRING}/start`,
    ask: (n) => body({ at: new Date(NOW + n * 1000).toISOString() }),
    place: "at",
  },
  {
    limit: "MAX_TIME_CHARACTERS",
    path: `${SPRING}/start`,
    ask: (n) => body({ at: `2026-12-01T10:00:00.${"0".repeat(n - 21)}Z` }),
    place: "at",
  },
  {
    limit: "MAX_TEST_ADDRESSES",
    path: `${SPRING}/test`,
    ask: (n) => body({ to: times(n, (at) => `a${at}@b.example`) }),
    place: "to",
  },
  {
    limit: "MAX_SEGMENT_NAME_CHARACTERS",
    path: `${SPRING}/recipients/segment`,
    ask: (n) => body({ segment: x(n) }),
    place: "segment",
  },
  {
    method: "PUT",
    limit: "MAX_SUPPRESSION_ADDRESSES",
    path: "/api/suppressions",
    ask: (n) => body({ addresses: times(n, (at) => `a${at}@b.example`) }),
    place: "addresses",
  },
  ...(
    [
      ["MAX_WRITTEN_ADDRESS_CHARACTERS", (n) => `${" ".repeat(n - 11)}a@b.example`],
      ["MAX_LOCAL_PART_OCTETS", (n) => `${x(n)}@b.example`],
      ["MAX_DOMAIN_LABEL_OCTETS", (n) => `a@${x(n)}.example`],
      ["MAX_ADDRESS_OCTETS", (n) => `a@${domainOf(n - 2)}`],
    ] as [string, (size: number) => string][]
  ).map(([limit, address]) => ({
    method: "PUT",
    limit,
    path: "/api/suppressions",
    ask: (n: number) => withAddress(address(n)),
    place: "addresses.0",
  })),
  {
    method: "GET",
    limit: "MAX_PAGE",
    path: (n) => `${SPRING}/recipients?limit=${n}`,
    place: "limit",
    code: "invalidQuery",
  },
  {
    method: "GET",
    limit: "MAX_PAGE_WITH_STATUS",
    path: (n) => `/api/campaigns?include=status&limit=${n}`,
    place: "limit",
    code: "invalidQuery",
  },
  {
    method: "GET",
    limit: "MAX_CURSOR_CHARACTERS",
    path: (n) => `${SPRING}/events?cursor=${x(n)}`,
    place: "cursor",
    code: "invalidQuery",
  },
  {
    limit: "MAX_JSON_BODY_BYTES",
    ask: (n) => ({
      body: JSON.stringify(MANAGED).padEnd(n),
      headers: { "content-type": "application/json" },
    }),
    place: "",
    code: "tooLarge",
  },
  {
    limit: "MAX_WEBHOOK_BYTES",
    path: "/webhooks/resend",
    ask: (n) => ({ body: x(n) }),
    place: "",
    code: "tooLarge",
  },
  {
    limit: "MAX_PREVIEW_BYTES",
    path: "/preview-frame",
    ask: (n) => ({
      body: `html=${x(n - 5)}`,
      headers: { "content-type": "application/x-www-form-urlencoded" },
    }),
    place: "",
    code: "tooLarge",
  },
  {
    limit: "MAX_TOKEN_CHARACTERS",
    path: "/session",
    ask: (n) => ({ ...body({ token: x(n) }), token: null }),
    place: "token",
  },
];

/** Bounds that are met by no single request, with the place that shows them. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ["MAX_CONTENT_BYTES", "below: it takes two requests"],
  ["MAX_FIELD_ERRORS", "below: it bounds an answer"],
  ["MAX_PATH_CHARACTERS", "below: it bounds an answer"],
  ["MAX_PROBLEMS", "below: it bounds an answer"],
  ["MAX_RECORD_BYTES", "below: one row is left out, and the upload goes on"],
  ["MAX_WRONG_TOKENS", "guess-limit.test.ts"],
  ["MAX_SHUT_ADDRESSES", "guess-limit.test.ts"],
  ["MAX_ENDED_SESSIONS", "account/ended-sessions.test.ts"],
  ["MAX_DOMAIN_OCTETS", "domain/address.test.ts: an address is over its own bound before"],
  ["MAX_START_PAST_SECONDS", "run.test.ts: a bound from below"],
  ["MAX_CSV_SWALLOWS", "audience/csv.test.ts"],
  ["MAX_WEBHOOK_SIGNATURES", "webhook/signature.test.ts"],
  ["MAX_SEGMENT_TIES", "audience/segment.test.ts"],
  ["MAX_VIEWERS", "campaign/live.test.ts"],
  ["MAX_EVENTS", "of what is kept, not of what is asked"],
  ["MAX_DEAD_LETTERS", "of what is kept, not of what is asked"],
  ["MAX_ALERTS", "of what is kept, not of what is asked"],
  ["MAX_PASSED_OVER_BYTES", "body.test.ts"],
  ["MAX_TEXT_FROM_DEPTH", "message/text-from-html.test.ts"],
  ["MAX_RENDER_STEPS", "message/template.test.ts"],
  ["MAX_RENDERED_CHARACTERS", "message/template.test.ts"],
  ["MAX_REQUEST_BYTES", "preflight.test.ts"],
  ["MAX_PROVIDER_MESSAGE_CHARACTERS", "of the provider's answers"],
  ["MAX_ANSWER_CHARACTERS", "of the provider's answers"],
  ["MAX_MAIL_ADDRESSES", "of the provider's answers"],
  ["MAX_FEEDBACK_EVENTS", "of calls between our own parts"],
  ["MAX_STACK_CHARACTERS", "domain/fault-text.test.ts"],
  ["MAX_LOGGED_CHARACTERS", "domain/fault-text.test.ts"],
]);

const sizeOf = (limit: string) => Number((limits as Record<string, unknown>)[limit]);

async function asked({ method = "POST", path = "/api/campaigns", ask }: Met, size: number) {
  const one = api({ deps: { webhookSecret: "whsec_dGVzdA==" } });
  const url = typeof path === "string" ? path : path(size);
  const response = await one.ask(method, url, { token: OPERATOR, ...ask?.(size) });
  const text = await response.text();
  const problem = response.status >= 400 ? (JSON.parse(text) as ProblemBody) : null;
  return { problem, calls: one.calls };
}

const pathsOf = (problem: ProblemBody | null) => (problem?.errors ?? []).map(({ path }) => path);

describe("a request at the bound is taken, and one beyond is refused at its place", () => {
  it.each(MET)("$limit, $place", async (met) => {
    const size = sizeOf(met.limit);
    const at = await asked(met, size);
    expect(pathsOf(at.problem)).not.toContain(met.place);
    expect(at.problem?.code).not.toBe("tooLarge");

    const { problem, calls } = await asked(met, size + 1);
    expect(problem?.code).toBe(met.code ?? "invalidFields");
    expect(pathsOf(problem)).toEqual(met.place === "" ? [] : [met.place]);
    expect(calls).toEqual([]);
  });

  it("every MAX_ of limits.ts is met here, or is said to be met elsewhere", () => {
    const named = new Set([...MET.map(({ limit }) => limit), ...ELSEWHERE.keys()]);
    const all = Object.keys(limits).filter((name) => name.startsWith("MAX_"));
    expect(all.filter((name) => !named.has(name))).toEqual([]);
    expect([...named].filter((name) => !(name in limits))).toEqual([]);
  });
});

describe("bounds of more than one request, and of answers", () => {
  it("the parts of a content have room together, also when they come one by one", async () => {
    // Three bytes a character: each part is within its own bound, and within that of a body.
    const part = "…".repeat(limits.MAX_CONTENT_CHARACTERS);
    const html = await api().ask("POST", "/api/campaigns", managed({ html: part }));
    expect(html.status).toBe(201);
    const content = DRAFT.content === null ? null : { ...DRAFT.content, html: part };
    const view = { ...VIEW, draft: { ...DRAFT, content } };
    const { ask } = api({ campaign: { describe: async () => view } });
    const both = await ask("PATCH", SPRING, { body: { text: part } });
    expect(both.status).toBe(400);
    expect(pathsOf(JSON.parse(await both.text()) as ProblemBody)).toEqual(["html"]);
  });

  it("a refusal names so many fields, in names of so many characters", async () => {
    const fields = Object.fromEntries(times(500, (at) => [`${at}${x(1_000)}`, 1]));
    const response = await api().ask("POST", "/api/campaigns", managed(fields));
    const errors = (JSON.parse(await response.text()) as ProblemBody).errors ?? [];
    expect(errors).toHaveLength(limits.MAX_FIELD_ERRORS);
    expect(Math.max(...errors.map(({ path }) => path.length))).toBe(limits.MAX_PATH_CHARACTERS);
  });

  it("an upload leaves out a row that is too long, and names so many of its problems", async () => {
    const long = `{"email":"a@b.example","data":{"v":"${x(limits.MAX_RECORD_BYTES)}"}}`;
    const bad = times(limits.MAX_PROBLEMS + 50, () => '{"email":"nowhere"}');
    const text = [long, ...bad, '{"email":"c@d.example"}'].join("\n");
    const response = await api().ask("POST", `${SPRING}/recipients`, {
      body: text,
      headers: { "content-type": "application/x-ndjson" },
    });
    const answer = await response.json<{ problems: { code: string }[] }>();
    expect(answer).toMatchObject({ added: 1, invalid: limits.MAX_PROBLEMS + 51 });
    expect(answer.problems).toHaveLength(limits.MAX_PROBLEMS);
    expect(answer.problems[0]?.code).toBe("recordTooLong");
  });
});
