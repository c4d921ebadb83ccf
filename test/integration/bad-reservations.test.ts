/** Reservations and reports that are refused, and who may ask for anything at all. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { done } from "./harness/api.ts";
import { campaign } from "./harness/campaign.ts";
import { expectRefused } from "./harness/refused.ts";

const CAMPAIGN = {
  id: "bad-input",
  name: "Bad input",
  from: "a@mail.example.org",
  subject: "Hello",
  text: "Hi",
};

describe("a reservation that is not made", () => {
  it("names each field, and enrols nobody", async () => {
    const one = await campaign({ recipients: 3, delivery: "external" });
    await one.start();
    const person = { id: "u1", email: "u1@mail.example.org" };
    const many = Array.from({ length: 101 }, (_, at) => ({ email: `u${at}@mail.example.org` }));
    for (const [path, body] of [
      ["reservationId", { limit: 5 }],
      ["reservationId", { reservationId: "", limit: 5 }],
      ["reservationId", { reservationId: "x".repeat(257), limit: 5 }],
      ["limit", { reservationId: "m", limit: 0 }],
      ["limit", { reservationId: "m", limit: 101 }],
      ["limit", { reservationId: "m", limit: 5, recipients: [person] }],
      ["recipients", { reservationId: "m" }],
      ["recipients", { reservationId: "m", recipients: [] }],
      ["recipients", { reservationId: "m", recipients: many }],
      ["recipients.1.email", { reservationId: "m", recipients: [person, { id: "x", email: "x" }] }],
      ["recipients.0.colour", { reservationId: "m", recipients: [{ ...person, colour: "red" }] }],
      [
        "recipients.1.id",
        { reservationId: "m", recipients: [person, { ...person, email: "o@mail.example.org" }] },
      ],
      ["recipients.0.id", { reservationId: "m", recipients: [{ ...person, id: "x".repeat(257) }] }],
    ] as const) {
      const problem = await expectRefused(one, "POST", `${one.path}/reservations`, { body });
      expect(
        problem.errors?.map((each) => each.path),
        JSON.stringify(body),
      ).toContain(path);
    }
  });

  it("a report names each field, and settles nobody", async () => {
    const one = await campaign({ recipients: 3, delivery: "external" });
    await one.start();
    await done("POST", `${one.path}/reservations`, { body: { reservationId: "m", limit: 3 } });
    const sent = { id: "p1", outcome: "sent", providerId: "x" };
    for (const [path, body] of [
      ["token", { results: [sent] }],
      ["token", { token: 0, results: [sent] }],
      ["token", { token: 1.5, results: [sent] }],
      ["results", { token: 1 }],
      ["results", { token: 1, results: [] }],
      ["reason", { token: 1, outcome: "unknown" }],
      ["outcome", { token: 1, outcome: "sent", reason: "x" }],
      ["outcome", { token: 1, results: [sent], outcome: "unknown" }],
      ["results.1.id", { token: 1, results: [sent, sent] }],
      ["results.0.providerId", { token: 1, results: [{ id: "p1", outcome: "sent" }] }],
      ["results.0.reason", { token: 1, results: [{ id: "p1", outcome: "failed" }] }],
      ["retryAfterSeconds", { token: 1, outcome: "deferred", reason: "x", retryAfterSeconds: -1 }],
      ["colour", { token: 1, results: [sent], colour: "red" }],
    ] as const) {
      const problem = await expectRefused(one, "POST", `${one.path}/reservations/m/report`, {
        body,
      });
      expect(
        problem.errors?.map((each) => each.path),
        JSON.stringify(body),
      ).toContain(path);
    }
  });
});

describe("who asks", () => {
  it.each([
    [null, 401, "noToken"],
    ["stranger", 401, "unknownToken"],
    [env.VIEWER_TOKEN ?? "", 403, "viewerOnly"],
  ])("token %s changes nothing", async (token, status, code) => {
    const one = await campaign({ recipients: 3 });
    const changes: readonly (readonly [string, string, unknown?])[] = [
      ["POST", "/api/campaigns", CAMPAIGN],
      ["PATCH", one.path, { name: "Other" }],
      ["DELETE", one.path],
      ["POST", `${one.path}/recipients`, { recipients: [{ email: "x@mail.example.org" }] }],
      ...["start", "pause", "resume", "cancel", "finish"].map(
        (command) => ["POST", `${one.path}/${command}`] as const,
      ),
      ["POST", `${one.path}/replay`, { recipients: "failed" }],
      ["POST", `${one.path}/resolve`, { ids: ["p1"], as: "sent" }],
      ["POST", `${one.path}/reservations`, { reservationId: "m", limit: 1 }],
      ["POST", `${one.path}/reservations/m/report`, { token: 1, outcome: "unknown", reason: "x" }],
      ["PUT", "/api/suppressions", { addresses: ["x@mail.example.org"] }],
      ["DELETE", "/api/suppressions/x%40mail.example.org"],
    ];
    for (const [method, path, body] of changes) {
      const problem = await expectRefused(one, method, path, {
        token,
        ...(body === undefined ? {} : { body }),
      });
      expect(problem, `${method} ${path}`).toMatchObject({ status, code });
    }
  });
});
