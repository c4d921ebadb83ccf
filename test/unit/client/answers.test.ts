/**
 * The client over the API's own handlers: each call of the table is made, and what comes back is
 * compared with a value of the type that the client promises. The compiler refuses a field too few
 * or too many in the value, and the comparison one in the answer, so that the two can't differ.
 */
import { describe, expect, expectTypeOf, it } from "vitest";
import type { CallName } from "../../../src/client/calls.ts";
import { resultOf, SendonceClient } from "../../../src/client/client.ts";
import type { Paged } from "../../../src/client/paged.ts";
import type * as Api from "../../../src/client/types.ts";
import type { AccountRpc } from "../../../src/account/rpc.ts";
import type { CampaignRpc } from "../../../src/campaign/rpc.ts";
import type { Address, DispatchNumber, RecipientId, Token } from "../../../src/domain/ids.ts";
import { accept } from "../../../src/domain/result.ts";
import { DEFAULT_SETTINGS } from "../../../src/domain/settings.ts";
import type { PROBLEMS } from "../../../src/http/problem.ts";
import { NodeD1 } from "../../support/node-d1.ts";
import {
  api,
  DRAFT,
  HEALTHY,
  MANAGED,
  NOW,
  OPERATOR,
  recipientView,
  STATUS,
  STORY,
  VIEW,
} from "../http/api.ts";

const at = (milliseconds: number): string => new Date(NOW + milliseconds).toISOString();

const PERSON: Api.Recipient = {
  id: "u_1",
  email: "u_1@example.org",
  data: {},
  status: "pending",
  reason: null,
  providerId: null,
  batch: null,
  updatedAt: at(0),
};
const TOLD: Api.RecipientStory = {
  ...PERSON,
  id: "u_81",
  email: "u_81@example.org",
  status: "sent",
  providerId: "re_1",
  batch: 3,
  idempotencyKey: "spring:3",
  attempts: [
    {
      token: 1,
      startedAt: at(-2000),
      expiresAt: at(0),
      endedAt: at(-1000),
      outcome: "answered",
      reason: null,
    },
  ],
  feedback: { state: "delivered", at: at(0) },
  suppression: null,
};
const SHOWN: Api.DeliveryStatus = {
  campaignId: "spring",
  state: "sending",
  pause: null,
  stats: STATUS.stats,
  feedback: STATUS.feedback,
  duplicatesPrevented: 2,
  deadLetters: 0,
  ratePerSecond: 1.5,
  startedAt: at(-60_000),
  finishedAt: null,
  expectedFinishAt: at(60_000),
  version: 7,
};
const CAMPAIGN: Api.Campaign = {
  id: "spring",
  name: "Spring",
  delivery: "managed",
  from: "Ada <ada@sender.test>",
  replyTo: null,
  subject: "Hello",
  html: null,
  text: "Hi {{ firstName }}",
  headers: {},
  tags: {},
  unsubscribe: true,
  settings: DEFAULT_SETTINGS,
  createdAt: at(-120_000),
  scheduledAt: null,
  enrolmentClosed: false,
  state: "sending",
  status: SHOWN,
};
const LETTER: Api.DeadLetter = {
  campaignId: "spring",
  number: 1,
  at: at(0),
  messageId: "m1",
  dispatch: 4,
  error: "boom",
  stack: null,
  attempts: 6,
  recipients: 100,
  replayedAt: null,
};
const GRANT: Api.Reservation = {
  granted: true,
  reservationId: "m1",
  token: 1,
  expiresAt: at(120_000),
  idempotencyKey: "spring:1",
  recipients: [{ id: "u_1", email: "u_1@example.org", data: {} }],
  skipped: [{ id: "u_2", reason: "sent" }],
};
const SUPPRESSION: Api.Suppression = { address: "a@b.example", reason: "complaint", at: at(0) };
const UPLOADED: Api.UploadReport = {
  added: 1,
  duplicates: 0,
  suppressed: 0,
  invalid: 0,
  total: 1,
  problems: [],
};

const one = <Item>(item: Item) => ({ items: [item], cursor: null });
const shown = async () => accept(STATUS);
const draftView = { ...VIEW, status: { ...STATUS, state: "draft" as const, startedAt: null } };

const OBJECT: Partial<CampaignRpc> = {
  erase: async () => accept(undefined) as never,
  recipients: async () => one(recipientView("u_1")),
  recipient: async () => STORY,
  person: async () => STORY,
  erasePerson: async () => ({ state: "pending", until: NOW }),
  start: shown,
  pause: shown,
  resume: shown,
  cancel: shown,
  finish: shown,
  inquire: shown,
  resolve: shown,
  report: shown,
  replay: async () =>
    accept({
      replayed: 1,
      reopened: 0,
      left: [{ id: "u_2" as RecipientId, status: "sent" }],
      status: STATUS,
    }),
  deadLetters: async () =>
    one({
      number: 1,
      at: NOW,
      messageId: "m1",
      dispatch: 4 as DispatchNumber,
      error: "boom",
      stack: null,
      attempts: 6,
      recipients: 100,
      replayedAt: null,
    }),
  events: async () => one({ number: 3, at: NOW, type: "paused", detail: { reason: "operator" } }),
  reserve: async () =>
    accept({
      granted: true,
      reservationId: "m1",
      batch: 1 as never,
      token: 1 as Token,
      expiresAt: NOW + 120_000,
      leaseMilliseconds: 120_000,
      idempotencyKey: "spring:1",
      contentId: null,
      members: [{ seq: 1 as never, id: "u_1" as RecipientId, email: "u_1@example.org", data: {} }],
      skipped: [{ id: "u_2" as RecipientId, reason: "sent" }],
    }),
};

const ACCOUNT: Partial<AccountRpc> = {
  campaigns: async () => one({ id: VIEW.id, name: "Spring", createdAt: NOW }),
  suppressedAmong: async () => [],
  suppress: async () => undefined,
  importSuppressions: async (entries) => entries.length,
  allow: async () => true,
  suppressErased: async (address) => ({ address, reason: "operator", at: NOW, erasedAt: NOW }),
  suppressions: async () =>
    one({ address: "a@b.example" as Address, reason: "complaint" as const, at: NOW }),
  takeSlot: async () => ({ taken: true, waitMilliseconds: 0, epoch: 1 }),
  watch: async () => ({
    campaigns: [],
    leftOut: 0,
    gate: { requestsPerSecond: 10, waitMilliseconds: 0, heldMilliseconds: 0, holds: 0 },
  }),
};

/** @param campaign what differs from a campaign that answers yes to everything */
function clientOver(campaign: Partial<CampaignRpc> = {}): SendonceClient {
  const audience = new NodeD1("CREATE VIEW active AS SELECT 'u_1' id, 'u_1@example.org' email");
  const { ask } = api({
    campaign: { ...OBJECT, ...campaign },
    account: ACCOUNT,
    deps: {
      audience,
      sendTest: async () => ({
        kind: "answered",
        results: [
          { seq: 1 as never, outcome: "sent", providerId: "re_1" },
          { seq: 2 as never, outcome: "failed", reason: "no such mailbox" },
        ],
      }),
    },
  });
  const over: typeof fetch = async (input, init) => {
    const { pathname, search } = new URL(input as string);
    const { body = null, headers, method = "GET" } = init ?? {};
    const given = headers as Record<string, string>;
    const options = { body, headers: given, token: null };
    return ask(method, pathname + search, options);
  };
  return new SendonceClient({ url: "https://mail.test", token: OPERATOR, fetch: over, tries: 1 });
}

const items = async <Item>(list: Paged<Item>): Promise<readonly Item[]> =>
  (await list.page()).items;
const textOf = (file: Promise<ReadableStream<Uint8Array>>) =>
  file.then((body) => new Response(body).text());
const csv = "email\nu_1@example.org\n";

type Check = readonly [call: (client: SendonceClient) => Promise<unknown>, answer: unknown];

/** Each answer as a value of its type. A call that is not here doesn't compile. */
const ANSWERS: Readonly<Record<Exclude<CallName, "watch">, Check>> = {
  create: [(api_) => api_.create(MANAGED), CAMPAIGN],
  campaigns: [
    (api_) => items(api_.campaigns()),
    [
      { id: "spring", name: "Spring", createdAt: at(0), status: SHOWN },
    ] satisfies Api.CampaignEntry[],
  ],
  campaign: [(api_) => api_.campaign("spring"), CAMPAIGN],
  change: [(api_) => api_.change("spring", { name: "Summer" }), { ...CAMPAIGN, name: "Summer" }],
  erase: [(api_) => api_.erase("spring"), undefined],
  upload: [(api_) => api_.upload("spring", { body: csv, format: "text/csv" }), UPLOADED],
  enrolSegment: [(api_) => api_.enrolSegment("spring", { segment: "active" }), UPLOADED],
  recipients: [(api_) => items(api_.recipients("spring", { status: "remaining" })), [PERSON]],
  exportRecipients: [
    (api_) => textOf(api_.exportRecipients("spring", { status: "sent" })),
    expect.stringMatching(/^id,email,.*\r\nu_1,u_1@example\.org,/s),
  ],
  recipient: [(api_) => api_.recipient("spring", "u_81"), TOLD],
  preview: [
    (api_) =>
      api_.preview("spring", { recipient: { email: "x@y.example", data: { firstName: "X" } } }),
    {
      recipient: { id: "x@y.example", email: "x@y.example" },
      from: "Ada <ada@sender.test>",
      replyTo: null,
      subject: "Hello",
      html: null,
      text: "Hi X",
    } satisfies Api.MailPreview,
  ],
  preflight: [
    (api_) => api_.preflight("spring"),
    {
      ok: false,
      willBeMailed: 1,
      notMailed: { suppressed: 0 },
      suppressedBecause: {},
      errors: [
        expect.objectContaining({ code: "missingField", field: "firstName" }) as Api.Finding,
      ],
      warnings: expect.any(Array) as Api.Finding[],
      estimatedSeconds: expect.any(Number) as number,
    } satisfies Api.PreflightReport,
  ],
  sendTest: [
    (api_) => {
      const recipient = { email: "x@y.example", data: { firstName: "X" } };
      return api_.sendTest("spring", { to: ["me@x.example", "you@x.example"], recipient });
    },
    {
      subject: expect.stringContaining("Hello") as string,
      sent: [{ to: "me@x.example", providerId: "re_1" }],
      failed: [{ to: "you@x.example", reason: "no such mailbox" }],
    } satisfies Api.TestReport,
  ],
  start: [(api_) => api_.start("spring"), SHOWN],
  pause: [(api_) => api_.pause("spring"), SHOWN],
  resume: [(api_) => api_.resume("spring"), SHOWN],
  cancel: [(api_) => api_.cancel("spring"), SHOWN],
  finish: [(api_) => api_.finish("spring"), SHOWN],
  replay: [
    (api_) => api_.replay("spring", { recipients: "failed" }),
    {
      replayed: 1,
      reopened: 0,
      left: [{ id: "u_2", status: "sent" }],
      status: SHOWN,
    } satisfies Api.ReplayReport,
  ],
  resolve: [(api_) => api_.resolve("spring", { ids: ["u_1"], as: "sent" }), SHOWN],
  reconcile: [(api_) => api_.reconcile("spring"), SHOWN],
  deliveryStatus: [(api_) => api_.deliveryStatus("spring"), SHOWN],
  deadLetters: [(api_) => items(api_.deadLetters("spring")), [LETTER]],
  events: [
    (api_) => items(api_.events("spring")),
    [
      { number: 3, at: at(0), type: "paused", detail: { reason: "operator" } },
    ] satisfies Api.CampaignEvent[],
  ],
  reserve: [(api_) => api_.reserve("spring", { reservationId: "m1", limit: 100 }), GRANT],
  report: [
    (api_) =>
      api_.report("spring", "m1", {
        token: 1,
        results: [{ id: "u_1", outcome: "sent", providerId: "x" }],
      }),
    SHOWN,
  ],
  suppressions: [(api_) => items(api_.suppressions()), [SUPPRESSION]],
  exportSuppressions: [
    (api_) => textOf(api_.exportSuppressions()),
    `address,reason,at\r\na@b.example,complaint,${at(0)}\r\n`,
  ],
  importSuppressions: [
    (api_) => api_.importSuppressions(csv, { reason: "complaint" }),
    { added: 1, already: 0, invalid: 0, problems: [] } satisfies Api.SuppressionImportReport,
  ],
  suppress: [
    (api_) => api_.suppress(["a@b.example"], { reason: "complaint" }),
    { addresses: 1, added: 1, already: 0 } satisfies Api.SuppressReport,
  ],
  allow: [(api_) => api_.allow("a@b.example"), undefined],
  person: [
    (api_) => api_.person("A@b.example"),
    {
      address: "a@b.example",
      suppression: null,
      erasedAt: null,
      campaigns: [{ campaignId: "spring", recipient: TOLD }],
    } satisfies Api.Person,
  ],
  erasePerson: [
    (api_) => api_.erasePerson("A@b.example"),
    {
      address: "a@b.example",
      erased: 0,
      pending: [{ campaignId: "spring", until: at(0) }],
    } satisfies Api.Erasure,
  ],
  health: [(api_) => api_.health(), HEALTHY satisfies Api.Health],
  metrics: [async (api_) => (await textOf(api_.metrics())).startsWith("# HELP sendonce_"), true],
};

/** Calls that look at the campaign first and want it not to have started. */
const BEFORE_START: ReadonlySet<string> = new Set(["preflight"]);

describe("each call, over the API's own handlers", () => {
  it.each(Object.entries(ANSWERS))("%s", async (name, [call, answer]) => {
    const describeIt = async () => (BEFORE_START.has(name) ? draftView : VIEW);
    const created = name === "create" ? { describe: async () => null } : { describe: describeIt };
    const client = clientOver({
      ...created,
      create: async () => accept({ created: true, view: { ...VIEW, draft: DRAFT } }),
    });
    expect(await call(client)).toEqual(answer);
  });

  it("watch: its address is a route, and a refusal is typed", async () => {
    const client = clientOver({ deliveryStatus: async () => null });
    const messages = client.watch("spring");
    await expect(messages.next()).rejects.toMatchObject({ code: "campaignNotFound" });
  });

  it("a refusal is a value that a switch can exhaust", async () => {
    const result = await resultOf(clientOver({ describe: async () => null }).campaign("spring"));
    if (result.ok) throw new Error("there is no such campaign");
    const { error } = result;
    const told = ((): string => {
      switch (error.kind) {
        case "problem":
          expectTypeOf(error.code).exclude<keyof typeof PROBLEMS>().toEqualTypeOf<"unknown">();
          return error.code;
        case "unreachable":
          expectTypeOf(error.reason).toEqualTypeOf<"noAnswer" | "timedOut" | "unreadable">();
          return error.reason;
      }
    })();
    expect(told).toBe("campaignNotFound");
  });
});
