/**
 * Each problem that a route lists is one that it can answer: for every pair of the two there is a
 * request, or a fault behind the edge, that brings it about. (That it answers no other, the harnesses
 * see to: test/support/contract.ts.)
 */
import { describe, expect, it } from "vitest";
import type { CampaignRpc } from "../../../src/campaign/rpc.ts";
import { MAX_CSV_SWALLOWS, MAX_JSON_BODY_BYTES } from "../../../src/domain/limits.ts";
import type { Address, Token } from "../../../src/domain/ids.ts";
import { accept, refuse } from "../../../src/domain/result.ts";
import { operationOf } from "../../../src/http/contract/document.ts";
import type { Example } from "../../../src/http/contract/operation.ts";
import { PATH_PARAMETERS } from "../../../src/http/contract/parameters.ts";
import { refusalsOf } from "../../../src/http/contract/refusals.ts";
import { GuessLimit, ShutAddresses } from "../../../src/http/guess-limit.ts";
import type { ProblemCode } from "../../../src/http/problem.ts";
import { ROUTES, type HttpDeps, type Route } from "../../../src/http/router.ts";
import { openSession } from "../../../src/http/session.ts";
import { NodeD1 } from "../../support/node-d1.ts";
import { SECRET, signedHeaders } from "../webhook/signed.ts";
import {
  api,
  DRAFT,
  NOW,
  OPERATOR,
  problemOf,
  recipientView,
  SIGNING_KEY,
  STATUS,
  VIEW,
  VIEWER,
  type Ask,
} from "../http/api.ts";

type Given = Parameters<typeof api>[0] & object;
type Attempt = { path: string; ask: Ask & { body?: BodyInit | object | null }; given: Given };

const EVENT = JSON.stringify({
  type: "email.delivered",
  data: { email_id: "re_7", tags: { campaign: "spring", recipient: "7" } },
});

/** A request that the route takes, as far as an example can say. */
function taken(route: Route): Attempt {
  const examples = Object.values<Example>(operationOf(route).examples);
  const example = examples.find(({ status }) => status < 400);
  const path = route.path.replaceAll(/:(\w+)/g, (_, name: keyof typeof PATH_PARAMETERS) =>
    encodeURIComponent(example?.params?.[name] ?? PATH_PARAMETERS[name].example),
  );
  if (route.path === "/webhooks/resend") {
    const headers = signedHeaders(EVENT, NOW);
    return { path, ask: { body: EVENT, headers }, given: { deps: { webhookSecret: SECRET } } };
  }
  const [type] = Object.keys(operationOf(route).body?.content ?? {});
  const body = example?.body;
  const isText = typeof body === "string";
  return {
    path,
    ask: {
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
      headers: {
        ...(body === undefined ? {} : { "content-type": example?.type ?? type ?? "" }),
        ...example?.headers,
      },
    },
    given: {},
  };
}

const typed = (attempt: Attempt, body: BodyInit, type = "application/json"): Attempt => ({
  ...attempt,
  ask: { ...attempt.ask, body, headers: { ...attempt.ask.headers, "content-type": type } },
});
const asking = (attempt: Attempt, ask: Ask): Attempt => ({
  ...attempt,
  ask: { ...attempt.ask, ...ask, headers: { ...attempt.ask.headers, ...ask.headers } },
});
const behind = (attempt: Attempt, given: Given): Attempt => ({
  ...attempt,
  given: { ...attempt.given, ...given, deps: { ...attempt.given.deps, ...given.deps } },
});

/** Every method of the objects, doing the same. */
function all(answer: () => unknown): Given {
  const everything = new Proxy(
    {},
    {
      ownKeys: () => METHODS,
      getOwnPropertyDescriptor: () => ({
        enumerable: true,
        configurable: true,
      }),
      get: () => async () => answer(),
    },
  );
  return {
    campaign: everything,
    account: everything,
    deps: { watch: async () => answer() as Response },
  };
}

const METHODS = (
  "create describe edit erase enrol start pause resume " +
  "cancel finish reserve report deliveryStatus recipients recipient deadLetters " +
  "events recordFeedback inquire linkTarget replay resolve register unregister " +
  "campaigns suppressions suppress suppressedAmong allow takeSlot importSuppressions slotStands " +
  "suppressErased person erasePerson watch reading endSession isSessionEnded"
).split(" ");

function failing(flags: object, message = "by the test"): Given {
  return all(() => {
    throw Object.assign(new Error(message), flags);
  });
}

const wrongState = async () =>
  refuse({ code: "wrongState", state: "finished", command: "pause" } as const);
const wrongDelivery = async () => refuse({ code: "wrongDelivery", delivery: "external" } as const);
const unknownRecipients = async () => refuse({ code: "unknownRecipients", ids: [] } as const);

/** The refusals of the object by its methods; those that a method can't give do not compile. */
const REFUSED = {
  wrongState: {
    edit: wrongState,
    enrol: wrongState,
    start: wrongState,
    pause: wrongState,
    resume: wrongState,
    cancel: wrongState,
    finish: wrongState,
    erase: wrongState,
    replay: wrongState,
  },
  wrongDelivery: { reserve: wrongDelivery, finish: wrongDelivery },
  campaignExists: { create: async () => refuse({ code: "exists" }) },
  stillReserved: { erase: async () => refuse({ code: "inFlight", reserved: 2 }) },
  recipientNotFound: {
    replay: unknownRecipients,
    resolve: unknownRecipients,
    recipient: async () => null,
  },
  duplicateRisk: {
    replay: async () => refuse({ code: "duplicateRisk", inDoubt: 2 }),
    resume: async () => refuse({ code: "restored", forgotten: 2 }),
  },
  notInDoubt: { resolve: async () => refuse({ code: "notInDoubt", recipients: [] }) },
  reservationNotFound: { report: async () => refuse({ code: "unknownReservation" }) },
  staleToken: { report: async () => refuse({ code: "staleToken", current: 2 as Token }) },
  notInBatch: { report: async () => refuse({ code: "notInBatch", ids: ["x"] }) },
} satisfies Partial<Record<ProblemCode, Partial<CampaignRpc>>>;

/** The object is there, and says no to what it can say no to. */
function refusing(code: keyof typeof REFUSED, more: Partial<CampaignRpc> = {}): Given {
  const looks = { describe: async () => VIEW, deliveryStatus: async () => STATUS };
  return { campaign: { ...looks, ...REFUSED[code], ...more }, account: OPEN_ACCOUNT };
}

const OPEN_ACCOUNT = {
  register: async () => undefined,
  suppressedAmong: async () => [],
  allow: async () => false,
  takeSlot: async () => ({ taken: true, waitMilliseconds: 0, epoch: 1 }) as never,
};

/** Objects that take whatever they are given. */
const TAKING: Given = {
  account: { importSuppressions: async (entries) => entries.length },
  campaign: {
    enrol: async (page) => {
      const added = { added: page.length, total: page.length };
      return accept({ ...added, duplicates: 0, suppressed: 0, problems: [] });
    },
  },
};

/** A draft whose subject needs what nobody has. */
function unrenderable(): Given {
  const content = { ...DRAFT.content, text: "{{ missing }}" } as typeof DRAFT.content;
  const status = { ...STATUS, state: "draft" as const, startedAt: null };
  const one = recipientView("u_81", {});
  return {
    campaign: {
      describe: async () => ({ ...VIEW, draft: { ...DRAFT, content }, status }),
      recipients: async () => ({ items: [one], cursor: null }),
      recipient: async () => ({ ...one }) as never,
    },
    account: OPEN_ACCOUNT,
  };
}

const external = refusing("wrongDelivery", {
  describe: async () => ({
    ...VIEW,
    draft: { ...DRAFT, delivery: "external", content: null },
    status: { ...STATUS, state: "draft", startedAt: null },
  }),
});

const BIG = "x".repeat(2_200_000);
const isUpload = (route: Route) => operationOf(route).body?.read === "stream";

const ORIGIN = "https://mail.test";
/** These ask nobody but for a session that may have been signed out. */
const BY_SESSION: ReadonlySet<string> = new Set(["/session", "/preview-frame"]);

async function troubled(attempt: Attempt, { path }: Route, given: Given): Promise<Attempt> {
  const asked = BY_SESSION.has(path) ? asking(attempt, await cookie()) : attempt;
  return behind(asked, given);
}

const cookie = async () => {
  const secrets = { operator: OPERATOR, viewer: VIEWER, signingKey: SIGNING_KEY };
  const { value } = await openSession("operator", "s_1", secrets, NOW);
  return { token: null, headers: { cookie: `__Host-sendonce=${value}`, origin: ORIGIN } };
};
const nobody: Partial<HttpDeps> = { tokens: { operator: "", viewer: VIEWER } };
const view = new NodeD1(
  "CREATE TABLE people (id TEXT, email TEXT); CREATE VIEW active_customers AS SELECT id FROM people",
);

/** How each problem is brought about, from a request that is taken. */
const PROVOKED: Partial<
  Record<ProblemCode, (attempt: Attempt, route: Route) => Attempt | Promise<Attempt>>
> = {
  malformedPath: (attempt, { path }) => ({
    ...attempt,
    path: path.replaceAll(/:\w+/g, "%25FF").replace("%25", "%"),
  }),
  invalidQuery: (attempt) => ({ ...attempt, path: `${attempt.path}?colour=red` }),
  invalidHeader: (attempt) => asking(attempt, { headers: { "idempotency-key": "k".repeat(300) } }),
  bodyInterrupted: (attempt) => ({
    ...attempt,
    ask: { ...attempt.ask, body: endless() },
  }),
  malformedText: (attempt) => typed(attempt, new Uint8Array([0x22, 0xff, 0x22])),
  malformedJson: (attempt, route) =>
    route.access === "public" && route.path.startsWith("/webhooks")
      ? asking(attempt, { body: "{", headers: signedHeaders("{", NOW) })
      : typed(attempt, "{"),
  invalidFields: (attempt, { method, path }) =>
    method === "GET"
      ? { ...attempt, path: path.replace(":address", "nobody") }
      : typed(attempt, '{"colour":"red"}'),
  invalidUpload: (attempt) => typed(attempt, "x\n1\n", "text/csv"),
  uploadInterrupted: (attempt) => {
    const rows = Array.from({ length: 10_000 }, (_, at) => `u${at}@x.org,\n`).join("");
    // More rows that open a quote and don't close it than are read again.
    const broken = 'z@x.org,"open\n\n'.repeat(2 * MAX_CSV_SWALLOWS);
    return typed(behind(attempt, TAKING), `email,note\n${rows}${broken}`, "text/csv");
  },
  changedMeanwhile: (attempt) => {
    const status = { ...STATUS, state: "draft" as const };
    const drafted = behind(attempt, { campaign: { describe: async () => ({ ...VIEW, status }) } });
    return asking(drafted, { headers: { "if-match": '"other"' } });
  },
  tooLarge: (attempt, route) => {
    if (!isUpload(route)) return asking(attempt, { body: BIG });
    // A body this large is not held as a whole, so that each of its rows is measured.
    const padding = " ".repeat(MAX_JSON_BODY_BYTES);
    return typed(attempt, `{"recipients":[${padding}{"email":"${"x".repeat(200_000)}"}]}`);
  },
  unsupportedMediaType: (attempt) => typed(attempt, "x", "image/png"),
  notInBatch: (attempt) => behind(attempt, refusing("notInBatch")),
  templateFault: (attempt) => behind(attempt, unrenderable()),
  noToken: (attempt) => asking(attempt, { token: null }),
  unknownToken: (attempt, { path }) =>
    path === "/session" && attempt.ask.body !== undefined
      ? typed(attempt, '{"token":"guess"}')
      : asking(attempt, { token: "guess" }),
  sessionEnded: (attempt) =>
    asking(attempt, { token: null, headers: { cookie: "__Host-sendonce=over" } }),
  badSignature: (attempt) => asking(attempt, { headers: { "svix-id": "another" } }),
  viewerOnly: (attempt) => asking(attempt, { token: VIEWER }),
  wrongOrigin: async (attempt) => {
    const elsewhere = { origin: "https://elsewhere.example", upgrade: "websocket" };
    const session = await cookie();
    return asking(attempt, { ...session, headers: { ...session.headers, ...elsewhere } });
  },
  campaignNotFound: (attempt) => {
    const looked = all(() => null).campaign as Partial<CampaignRpc>;
    const told = all(() => refuse({ code: "notFound" })).campaign as Partial<CampaignRpc>;
    const looks = [
      "describe",
      "deliveryStatus",
      "recipients",
      "recipient",
      "deadLetters",
      "events",
    ];
    const none = Object.fromEntries(
      METHODS.map((name) => {
        const method = name as keyof CampaignRpc;
        return [name, looks.includes(name) ? looked[method] : told[method]];
      }),
    );
    return behind(attempt, { campaign: none });
  },
  recipientNotFound: (attempt) => behind(attempt, refusing("recipientNotFound")),
  reservationNotFound: (attempt) => behind(attempt, refusing("reservationNotFound")),
  segmentNotFound: (attempt) => behind(attempt, { deps: { audience: new NodeD1() } }),
  segmentUnfit: (attempt) => behind(attempt, { deps: { audience: view } }),
  suppressionNotFound: (attempt) => behind(attempt, { account: OPEN_ACCOUNT }),
  campaignExists: (attempt) => behind(attempt, refusing("campaignExists")),
  wrongState: (attempt) => behind(attempt, refusing("wrongState")),
  wrongDelivery: (attempt) => behind(attempt, external),
  stillReserved: (attempt) => behind(attempt, refusing("stillReserved")),
  staleToken: (attempt) => behind(attempt, refusing("staleToken")),
  duplicateRisk: (attempt) => behind(attempt, refusing("duplicateRisk")),
  preflightFailed: (attempt) => behind(attempt, unrenderable()),
  notInDoubt: (attempt) => behind(attempt, refusing("notInDoubt")),
  upgradeRequired: (attempt) => asking(attempt, { headers: { upgrade: "" } }),
  tooManyGuesses: (attempt, { path, method }) => {
    const wrong =
      path === "/session" && method === "POST"
        ? typed(attempt, '{"token":"guess"}')
        : asking(attempt, { token: "guess" });
    const from = asking(wrong, { headers: { "cf-connecting-ip": "192.0.2.1" } });
    const shut = new ShutAddresses();
    const limiter = { limit: async () => ({ success: false }) };
    const guesses = new GuessLimit({ limiter, shut, now: () => NOW, log: () => undefined });
    return behind(from, { deps: { guesses } });
  },
  internal: (attempt, route) => troubled(attempt, route, failing({})),
  testNotSent: (attempt) => {
    const deferred = {
      kind: "deferred",
      reason: "no",
      retryAfterSeconds: null,
      pause: null,
    } as const;
    const ada = recipientView("u_81", { data: { firstName: "Ada" } }) as never;
    return behind(attempt, {
      campaign: { recipient: async () => ada },
      account: OPEN_ACCOUNT,
      deps: { sendTest: async () => deferred },
    });
  },
  notConfigured: (attempt) => behind(attempt, { deps: nobody }),
  webhookNotConfigured: (attempt) => behind(attempt, { deps: { webhookSecret: undefined } }),
  overloaded: (attempt, route) => troubled(attempt, route, failing({ overloaded: true })),
  storageFull: (attempt, route) =>
    troubled(attempt, route, failing({}, "database or disk is full: SQLITE_FULL")),
  campaignsSilent: (attempt) => {
    const one = { items: [{ id: VIEW.id, name: "Spring", createdAt: NOW }], cursor: null };
    const suppressed = { address: "a@b.example" as Address, reason: "operator" as const, at: NOW };
    const knowing = { campaigns: async () => one, suppressErased: async () => suppressed };
    const { campaign = {} } = failing({});
    return behind(attempt, { campaign, account: { ...OPEN_ACCOUNT, ...knowing } });
  },
  unavailable: (attempt, route) => troubled(attempt, route, failing({ retryable: true })),
};

/** Its connection is lost after the first byte. */
function endless(): ReadableStream<Uint8Array> {
  let pulls = 0;
  return new ReadableStream({
    pull(controller) {
      pulls += 1;
      if (pulls === 1) controller.enqueue(new Uint8Array([0x7b]));
      else controller.error(new Error("Network connection lost."));
    },
  });
}

const PAIRS = ROUTES.flatMap((route) =>
  refusalsOf(route, operationOf(route)).map(({ code }) => ({
    method: route.method,
    path: route.path,
    code,
    route: route as Route,
  })),
);

// Side by side: an answer that was lost is asked for again, with waits between.
describe.concurrent("R-contract", () => {
  it.each(PAIRS)("$method $path can be refused as $code", async ({ route, code }) => {
    const provoke = PROVOKED[code];
    if (provoke === undefined) throw new Error(`nobody knows how to bring about ${code}`);
    const { path, ask, given } = await provoke(taken(route), route);
    const response = await api(given).ask(route.method, path, ask);
    expect(response.status, `${response.status}`).toBeGreaterThanOrEqual(400);
    expect((await problemOf(response)).code).toBe(code);
  });
});
