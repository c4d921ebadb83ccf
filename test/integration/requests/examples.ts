/**
 * A right body for every route that reads one, by method and path. What is generated is one of these
 * with something done to it. A route that is missing here fails the test, so that none is forgotten.
 */

export type Example = { readonly type: string; readonly text: string } | null;

const json = (value: unknown): Example => ({
  type: "application/json",
  text: JSON.stringify(value),
});
/** A body may stand there, and `{}` is one. */
const EMPTY = json({});

const PERSON = { id: "n1", email: "N1@Mail.example.org", data: { firstName: "Ada", tags: ["x"] } };

const CONTENT = {
  name: "Spring",
  from: "Shop <shop@mail.example.org>",
  replyTo: "help@mail.example.org",
  subject: "Hello {{ firstName | default: 'you' }}",
  html: "<p>Hi {{ firstName | default: 'you' }}</p>",
  text: "Hi",
  headers: { "X-Shop": "spring" },
  tags: { season: "spring" },
  unsubscribe: true,
  settings: {
    batchSize: 10,
    leaseSeconds: 60,
    maxAttempts: 3,
    idempotencyWindowSeconds: 3_600,
    requestsPerSecond: 5,
    pauseAtFailureRate: 0.1,
    pauseAtDeadLetters: 10,
  },
};

const CAMPAIGN = "/api/campaigns/:id";

export const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  "POST /webhooks/resend": [
    json({
      type: "email.delivered",
      created_at: "2026-11-29T12:00:00Z",
      data: {
        email_id: "re_1",
        created_at: "2026-11-29T11:59:00Z",
        to: ["p1@mail.example.org"],
        tags: { campaign: "nobody-there", recipient: "1" },
      },
    }),
    json({ type: "email.bounced", data: { bounce: { type: "Permanent" }, tags: [] } }),
  ],
  "POST /unsubscribe/:token": [
    { type: "application/x-www-form-urlencoded", text: "List-Unsubscribe=One-Click" },
  ],
  "POST /session": [json({ token: "no-token-of-ours" })],
  "DELETE /session": [EMPTY],
  "POST /preview-frame": [{ type: "application/x-www-form-urlencoded", text: "html=%3Cp%3EHi" }],
  "POST /api/campaigns": [
    json({ id: "generated", delivery: "managed", ...CONTENT }),
    json({ name: "External", delivery: "external" }),
  ],
  [`PATCH ${CAMPAIGN}`]: [json(CONTENT)],
  [`DELETE ${CAMPAIGN}`]: [EMPTY],
  [`POST ${CAMPAIGN}/recipients`]: [
    json({ recipients: [PERSON, { email: "n2@mail.example.org" }] }),
    { type: "application/x-ndjson", text: `${JSON.stringify(PERSON)}\n{"email":"n3@a.example"}\n` },
    { type: "text/csv", text: 'email,id,name\nn4@a.example,n4,"Ada, B"\nn5@a.example,n5,Bo\n' },
  ],
  [`POST ${CAMPAIGN}/recipients/segment`]: [json({ segment: "nowhere", email: "email", id: "id" })],
  [`POST ${CAMPAIGN}/preview`]: [json({ recipientId: "p1" }), json({ recipient: PERSON })],
  [`POST ${CAMPAIGN}/preflight`]: [EMPTY],
  [`POST ${CAMPAIGN}/test`]: [json({ to: ["me@mail.example.org"], recipientId: "p1" })],
  [`POST ${CAMPAIGN}/start`]: [
    json({ at: "2027-01-01T09:00:00+01:00" }),
    json({ local: "2027-01-01T09:00", zone: "Europe/Berlin" }),
    json({ at: { local: "2027-01-01T09:00", zone: "Europe/Berlin" } }),
  ],
  [`POST ${CAMPAIGN}/pause`]: [EMPTY],
  [`POST ${CAMPAIGN}/resume`]: [EMPTY],
  [`POST ${CAMPAIGN}/cancel`]: [EMPTY],
  [`POST ${CAMPAIGN}/finish`]: [EMPTY],
  [`POST ${CAMPAIGN}/replay`]: [
    json({ recipients: "failed" }),
    json({ ids: ["p1", "p2"], acceptDuplicateRisk: true }),
  ],
  [`POST ${CAMPAIGN}/resolve`]: [json({ ids: ["p1"], as: "sent" })],
  [`POST ${CAMPAIGN}/reconcile`]: [EMPTY],
  [`POST ${CAMPAIGN}/reservations`]: [
    json({ reservationId: "m1", recipients: [PERSON] }),
    json({ reservationId: "m2", limit: 5 }),
  ],
  [`POST ${CAMPAIGN}/reservations/:reservationId/report`]: [
    json({
      token: 1,
      results: [
        { id: "p1", outcome: "sent", providerId: "re_1" },
        { id: "p2", outcome: "failed", reason: "gone" },
      ],
    }),
    json({ token: 1, outcome: "deferred", retryAfterSeconds: 5, reason: "busy" }),
  ],
  "POST /api/suppressions/import": [
    { type: "text/csv", text: "address,reason,at\ns1@a.example,operator,2026-01-01T00:00:00Z\n" },
  ],
  "PUT /api/suppressions": [json({ addresses: ["s2@a.example"], reason: "complaint" })],
  "DELETE /api/suppressions/:address": [EMPTY],
  "DELETE /api/people/:address": [EMPTY],
};
