/** Every row of the table from an answer to an outcome, and the rules around it. */
import { describe, expect, it } from "vitest";
import { MAX_REASON_CHARACTERS } from "../../../src/domain/limits.ts";
import type { Seq } from "../../../src/domain/ids.ts";
import type { AttemptOutcome } from "../../../src/domain/outcome.ts";
import { outcomeOf, type ObservedAnswer } from "../../../src/provider/outcome-table.ts";

const NOW = Date.UTC(2026, 10, 29, 12, 0, 0);
const MEMBERS = ["ada@a.test", "bob@b.test", "cy@c.test"].map((email, index) => ({
  seq: (index + 11) as Seq,
  email,
}));
const NOTHING: ObservedAnswer = {
  status: null,
  name: null,
  message: "",
  headers: {},
  data: undefined,
  errors: undefined,
};

function outcome(answer: Partial<ObservedAnswer>): AttemptOutcome {
  return outcomeOf({ ...NOTHING, ...answer }, MEMBERS, NOW);
}

/** What a row is about, without its texts. */
function verdict(answer: Partial<ObservedAnswer>): string {
  const result = outcome(answer);
  if (result.kind === "deferred") return `deferred ${result.pause}`;
  if (result.kind === "unknown") return `unknown ${result.repeat ? "repeat" : "stop"}`;
  return result.kind;
}

const validation = "validation_error";
const rows: readonly [string, Partial<ObservedAnswer>][] = [
  ["unknown repeat", { status: null, message: "Unable to fetch data." }],
  ["unknown repeat", { status: 408 }],
  ["unknown repeat", { status: 500, name: "application_error" }],
  ["unknown repeat", { status: 500, name: "internal_server_error" }],
  ["unknown repeat", { status: 502 }],
  ["unknown repeat", { status: 503, name: "service_unavailable" }],
  ["unknown repeat", { status: 504 }],
  ["unknown repeat", { status: 500, name: "daily_quota_exceeded" }],
  ["unknown repeat", { status: 500, name: "invalid_idempotent_request" }],
  ["unknown repeat", { status: 409, name: "concurrent_idempotent_requests" }],
  ["unknown repeat", { status: 409, name: "resource_locked" }],
  ["unknown repeat", { status: 409, name: "of_tomorrow" }],
  ["unknown repeat", { status: 409 }],
  ["unknown stop", { status: 409, name: "invalid_idempotent_request" }],
  ["deferred null", { status: 429, name: "rate_limit_exceeded" }],
  ["deferred null", { status: 429, name: "of_tomorrow" }],
  ["deferred null", { status: 429 }],
  ["deferred providerQuota", { status: 429, name: "daily_quota_exceeded" }],
  ["deferred providerQuota", { status: 429, name: "monthly_quota_exceeded" }],
  ["deferred providerQuota", { status: 403, name: "email_above_quota" }],
  ["deferred providerQuota", { status: 402 }],
  ["deferred providerAuth", { status: 401, name: "missing_api_key" }],
  ["deferred providerAuth", { status: 401, name: "restricted_api_key" }],
  ["deferred providerAuth", { status: 401, name: validation, message: "API key is invalid" }],
  ["deferred providerAuth", { status: 401 }],
  ["deferred providerAuth", { status: 400, name: validation, message: "API key is invalid" }],
  ["deferred providerAuth", { status: 400, name: "invalid_idempotency_key" }],
  ["deferred providerAuth", { status: 403, name: "invalid_api_key" }],
  ["deferred providerAuth", { status: 403, name: "restricted_api_key" }],
  ["deferred providerAuth", { status: 403, name: "suspended_api_key" }],
  ["deferred providerAuth", { status: 403, name: "invalid_permission" }],
  ["deferred providerAuth", { status: 403, name: "of_tomorrow" }],
  ["deferred providerAuth", { status: 403 }],
  ["deferred providerAuth", { status: 404, name: "not_found" }],
  ["deferred providerAuth", { status: 405, name: "method_not_allowed" }],
  ["deferred providerAuth", { status: 301 }],
  ["deferred providerAuth", { status: 308 }],
  ["unknown repeat", { status: 303 }],
  ["unknown repeat", { status: 304 }],
  ["deferred senderRefused", { status: 403, name: validation }],
  [
    "deferred senderRefused",
    { status: 403, name: validation, message: "The acme.test domain is not verified." },
  ],
  [
    "deferred senderRefused",
    { status: 403, message: "You can only send testing emails to your own email address (a@b.c)." },
  ],
  ["deferred senderRefused", { status: 403, name: "invalid_from_address" }],
  ["deferred senderRefused", { status: 422, name: "invalid_from_address" }],
  ["deferred senderRefused", { status: 422, name: validation, message: "Invalid `from` field." }],
  ["deferred senderRefused", { status: 451, name: "security_error" }],
  ["rejected", { status: 400, name: validation }],
  ["rejected", { status: 413 }],
  ["rejected", { status: 422 }],
  ["rejected", { status: 422, name: "invalid_attachment" }],
  ["rejected", { status: 422, name: "invalid_parameter" }],
  ["rejected", { status: 422, name: "missing_required_field" }],
  ["rejected", { status: 422, name: "of_tomorrow" }],
  [
    "rejected",
    {
      status: 422,
      name: validation,
      message: "Invalid `to` field. Please use our testing email address.",
    },
  ],
  ["unknown repeat", { status: 418 }],
  ["unknown repeat", { status: 451 }],
  ["unknown repeat", { status: 499 }],
  ["unknown repeat", { status: 101 }],
];

describe("outcome table", () => {
  it.each(rows)("is %s for %j", (expected, answer) => {
    expect(verdict(answer)).toBe(expected);
  });

  it("G3: no status but the refusals of the provider's page is called not accepted", () => {
    const refused = new Set([301, 302, 307, 308, 400, 401, 402, 403, 404, 405, 413, 422, 429]);
    for (let status = 100; status < 600; status += 1) {
      const [kind] = verdict({ status }).split(" ");
      expect([status, kind]).toEqual([status, refused.has(status) ? kind : "unknown"]);
      if (refused.has(status)) expect(["deferred", "rejected"]).toContain(kind);
    }
  });
});

const error = (index: unknown) => ({ index, message: "no" });
const rejected = (message: string) => outcome({ status: 422, name: validation, message });
const ids = (...list: unknown[]): unknown[] => list.map((id) => ({ id }));

describe("a 2xx", () => {
  it("C29: gives the ids to the right members, past the errors", () => {
    const errors = [{ index: 1, message: "Invalid `to` field." }];
    expect(outcome({ status: 202, data: ids("p", "q"), errors })).toEqual({
      kind: "answered",
      results: [
        { seq: 11, outcome: "sent", providerId: "p" },
        { seq: 12, outcome: "failed", reason: "Invalid `to` field." },
        { seq: 13, outcome: "sent", providerId: "q" },
      ],
    });
  });

  it("C29: takes errors in any order, and a whole batch of them", () => {
    const errors = [2, 0, 1].map((index) => ({ index, message: `row ${index}` }));
    expect(outcome({ status: 200, data: [], errors })).toEqual({
      kind: "answered",
      results: MEMBERS.map(({ seq }, index) => ({
        seq,
        outcome: "failed",
        reason: `row ${index}`,
      })),
    });
  });

  it("is answered without a list of errors, as a strict one is", () => {
    expect(verdict({ status: 200, data: ids("p", "q", "r") })).toBe("answered");
    expect(verdict({ status: 200, data: ids("p", "q", "r"), errors: null })).toBe("answered");
  });

  it.each([
    ["one id too few", ids("p", "q"), []],
    ["one id too many", ids("p", "q", "r", "s"), []],
    ["an error on top of all ids", ids("p", "q", "r"), [error(1)]],
    ["the same error twice", ids("p"), [error(1), error(1)]],
    ["an index outside the request", ids("p", "q"), [error(3)]],
    ["a negative index", ids("p", "q"), [error(-1)]],
    ["half an index", ids("p", "q"), [error(0.5)]],
    ["an index in words", ids("p", "q"), [error("1")]],
    ["an error without an index", ids("p", "q"), [{ message: "no" }]],
    ["an error that is null", ids("p", "q"), [null]],
    ["errors that are no list", ids("p", "q", "r"), {}],
    ["an empty id", ids("p", "", "r"), []],
    ["an id that is a number", ids("p", 2, "r"), []],
    ["an id that is missing", [{ id: "p" }, {}, { id: "r" }], []],
    ["an id for two", ids("p", "q", "p"), []],
    ["an id beyond all bounds", ids("p", "q", "x".repeat(257)), []],
    ["bare ids", ["p", "q", "r"], []],
    ["no data", undefined, []],
    ["data that is no list", { 0: { id: "p" } }, []],
  ])("C29: with %s is unknown, not guessed", (_, data, errors) => {
    expect(verdict({ status: 200, data, errors })).toBe("unknown repeat");
  });

  it("C30: that can't be read is unknown and asked again", () => {
    expect(outcome({ status: 200 })).toEqual({
      kind: "unknown",
      reason: "200 that does not add up: no list of ids and 0 errors for 3 mails",
      retryAfterSeconds: null,
      repeat: true,
    });
  });
});

describe("faults of a rejection", () => {
  it("C28: names the member whose address the message names, in any spelling", () => {
    expect(rejected("Invalid `to` field: 'Bob@B.test'.")).toEqual({
      kind: "rejected",
      reason: "422 validation_error: Invalid `to` field: <address>",
      faults: [{ seq: 12, reason: "Invalid `to` field: 'Bob@B.test'." }],
    });
  });

  it.each([
    ["nobody", "Invalid `to` field."],
    ["two members", "Invalid: ada@a.test, bob@b.test"],
    ["somebody else", "Invalid: eve@e.test"],
    ["an address that ends like a member's", "Invalid: x.bob@b.test"],
    ["an address that begins like a member's", "Invalid: bob@b.test.invalid"],
  ])("leaves the finding to the ledger when it names %s", (_, message) => {
    expect(rejected(message)).toMatchObject({ kind: "rejected", faults: [] });
  });
});

describe("waiting", () => {
  it("C22: takes retry-after, else the reset of the limit", () => {
    const headers = { "retry-after": "7", "ratelimit-reset": "3" };
    expect(outcome({ status: 429, headers })).toMatchObject({ retryAfterSeconds: 7 });
    expect(outcome({ status: 429, headers: { "ratelimit-reset": "3" } })).toMatchObject({
      retryAfterSeconds: 3,
    });
    expect(outcome({ status: 429 })).toMatchObject({ retryAfterSeconds: null });
  });

  it("reads a date against the given time", () => {
    const headers = { "retry-after": "Sun, 29 Nov 2026 12:00:30 GMT" };
    expect(outcome({ status: 503, headers })).toMatchObject({
      kind: "unknown",
      retryAfterSeconds: 30,
    });
  });
});

describe("reasons", () => {
  it("say status, name and text", () => {
    const answer = { status: 429, name: "rate_limit_exceeded", message: "Too many requests." };
    expect(outcome(answer)).toMatchObject({
      reason: "429 rate_limit_exceeded: Too many requests.",
    });
    expect(outcome({ status: 502 })).toMatchObject({ reason: "502" });
    expect(outcome({ message: "reset" })).toMatchObject({ reason: "no readable answer: reset" });
  });

  it("are capped and hold no address but a failed member's own", () => {
    const message = `bob@b.test and eve@e.test ${"x".repeat(5000)}`;
    const result = outcome({ status: 422, message });
    expect(result).toMatchObject({ kind: "rejected" });
    expect(JSON.stringify(result)).not.toContain("eve@");
    if (result.kind !== "rejected") return;
    expect(result.reason).toHaveLength(MAX_REASON_CHARACTERS);
    expect(result.reason).not.toContain("@");
    expect(result.faults[0]?.reason).toMatch(/^bob@b\.test and <address> x+$/u);
    expect(result.faults[0]?.reason).toHaveLength(MAX_REASON_CHARACTERS);
  });

  it("of a permissive error keep that member's address alone", () => {
    const errors = [{ index: 0, message: "ada@a.test is refused, so is bob@b.test" }];
    expect(outcome({ status: 200, data: ids("q", "r"), errors })).toMatchObject({
      results: [{ reason: "ada@a.test is refused, so is <address>" }, {}, {}],
    });
  });
});
