/** The API over an object and an account that answer what a test tells them to. */
import type { AccountRpc } from "../../../src/account/rpc.ts";
import type {
  CampaignRpc,
  CampaignView,
  DeliveryStatus,
  Draft,
  RecipientStory,
  RecipientView,
} from "../../../src/campaign/rpc.ts";
import type { BatchNumber, CampaignId, RecipientId, Token } from "../../../src/domain/ids.ts";
import type { Health } from "../../../src/domain/health.ts";
import { accept } from "../../../src/domain/result.ts";
import { DEFAULT_SETTINGS } from "../../../src/domain/settings.ts";
import { breaches } from "../../support/contract.ts";
import { handleRequest, type HttpDeps } from "../../../src/http/router.ts";
import { unlimitedGuesses } from "../../support/node-stack.ts";

export const NOW = Date.UTC(2026, 10, 29, 12, 0, 0);
export const SPRING = "spring" as CampaignId;
export const OPERATOR = "operator-secret";
export const VIEWER = "viewer-secret";
export const SIGNING_KEY = "signing-secret";

export const MANAGED = {
  id: "spring",
  name: "Spring",
  from: "Ada <ada@sender.test>",
  subject: "Hello",
  text: "Hi {{ firstName }}",
};

export const DRAFT: Draft = {
  name: "Spring",
  delivery: "managed",
  content: {
    from: "Ada <ada@sender.test>",
    replyTo: null,
    subject: "Hello",
    html: null,
    text: "Hi {{ firstName }}",
    headers: {},
    tags: {},
    unsubscribe: true,
  },
  settings: DEFAULT_SETTINGS,
};

export const STATUS: DeliveryStatus = {
  campaignId: SPRING,
  state: "sending",
  pause: null,
  stats: {
    total: 10,
    sent: 4,
    reserved: 2,
    failed: 1,
    remaining: 3,
    suppressed: 0,
    inDoubt: 0,
    cancelled: 0,
  },
  feedback: { delivered: 3, delayed: 0, bounced: 1, complained: 0 },
  duplicatesPrevented: 2,
  deadLetters: 0,
  ratePerSecond: 1.5,
  startedAt: NOW - 60_000,
  finishedAt: null,
  expectedFinishAt: NOW + 60_000,
  version: 7,
};

const WELL = { status: "ok" } as const;
export const HEALTHY: Health = {
  status: "ok",
  parts: { storage: WELL, queue: WELL, provider: WELL },
};

export const VIEW: CampaignView = {
  id: SPRING,
  draft: DRAFT,
  createdAt: NOW - 120_000,
  scheduledAt: null,
  enrolmentClosed: false,
  status: STATUS,
};

export function recipientView(id: string, more: Partial<RecipientView> = {}): RecipientView {
  return {
    id: id as RecipientId,
    email: `${id}@example.org`,
    data: {},
    status: "pending",
    reason: null,
    providerId: null,
    batch: null,
    updatedAt: NOW,
    ...more,
  };
}

export const STORY: RecipientStory = {
  ...recipientView("u_81", { status: "sent", providerId: "re_1", batch: 3 as BatchNumber }),
  idempotencyKey: "spring:3",
  attempts: [
    {
      token: 1 as Token,
      startedAt: NOW - 2000,
      expiresAt: NOW,
      endedAt: NOW - 1000,
      outcome: "answered",
      reason: null,
    },
  ],
  feedback: { state: "delivered", at: NOW },
  suppression: null,
};

type Calls = { readonly method: string; readonly args: readonly unknown[] }[];

/** Writes down each call, and fails the test at one that it didn't provide. */
function recording<Rpc extends object>(methods: Partial<Rpc>, calls: Calls): Rpc {
  return new Proxy({} as Rpc, {
    get: (_, name) => {
      const method = String(name);
      const found = (methods as Record<string, unknown>)[method];
      return async (...args: unknown[]) => {
        calls.push({ method, args });
        if (typeof found !== "function") throw new Error(`the test provides no ${method}`);
        return (await found(...args)) as unknown;
      };
    },
  });
}

const CAMPAIGN: Partial<CampaignRpc> = {
  describe: async () => VIEW,
  deliveryStatus: async () => STATUS,
  create: async (draft) => accept({ created: true, view: { ...VIEW, draft } }),
  edit: async (draft) => accept({ ...VIEW, draft }),
  enrol: async (rows) =>
    accept({ added: rows.length, duplicates: 0, suppressed: 0, total: rows.length, problems: [] }),
};

const ACCOUNT: Partial<AccountRpc> = {
  register: async () => undefined,
  unregister: async () => undefined,
  isSessionEnded: async () => false,
};

export type Ask = {
  readonly token?: string | null;
  readonly body?: BodyInit | object | null;
  readonly headers?: Record<string, string>;
};

/** One API with its own record of calls to the objects. */
export function api(
  given: {
    campaign?: Partial<CampaignRpc>;
    account?: Partial<AccountRpc>;
    deps?: Partial<HttpDeps>;
  } = {},
) {
  const calls: Calls = [];
  const logged: Record<string, unknown>[] = [];
  const stubs: CampaignId[] = [];
  const deps: HttpDeps = {
    campaign: (id) => {
      stubs.push(id);
      return recording<CampaignRpc>({ ...CAMPAIGN, ...given.campaign }, calls);
    },
    account: () => recording<AccountRpc>({ ...ACCOUNT, ...given.account }, calls),
    audience: {
      prepare: () => {
        throw new Error("the test provides no audience");
      },
    },
    requestsPerSecond: 10,
    sendTest: async () => {
      throw new Error("the test provides no provider");
    },
    watch: async () => new Response(null, { status: 404 }),
    signingKey: SIGNING_KEY,
    guesses: unlimitedGuesses(),
    tokens: { operator: OPERATOR, viewer: VIEWER },
    webhookSecret: undefined,
    publicUrl: "https://mail.test/",
    defaultIdempotencyWindowSeconds: 72_000,
    now: () => NOW,
    newId: () => "drawn-id",
    log: (event, fields) => logged.push({ event, ...fields }),
    health: async () => HEALTHY,
    queueBacklog: async () => ({ backlogCount: 3, oldestMessageTimestamp: new Date(NOW - 4_000) }),
    ...given.deps,
  };
  const ask = (method: string, path: string, options: Ask = {}): Promise<Response> =>
    kept(method, path, handleRequest(request(method, path, options), deps));
  return { ask, calls, logged, stubs };
}

/** Gives an answer on that is as the contract says; a CSV is not read, since it may be endless. */
async function kept(method: string, path: string, answer: Promise<Response>): Promise<Response> {
  const response = await answer;
  const type = response.headers.get("content-type") ?? "";
  const isJson = type.includes("json");
  const body: unknown = isJson && method !== "HEAD" ? await response.clone().json() : "";
  const faults = breaches({ method, path, status: response.status, type, body });
  if (faults.length > 0) throw new Error(`not as the contract says: ${faults.join("; ")}`);
  return response;
}

function request(method: string, path: string, options: Ask): Request {
  const { token = OPERATOR, body = null } = options;
  const isJson = typeof body === "object" && body !== null && body.constructor === Object;
  const headers = new Headers(options.headers);
  if (token !== null) headers.set("authorization", `Bearer ${token}`);
  if (isJson && !headers.has("content-type")) headers.set("content-type", "application/json");
  // Node asks for `duplex` where the body is a stream (Fetch standard, request streaming).
  return new Request(new URL(path, "https://mail.test"), {
    method,
    headers,
    body: isJson ? JSON.stringify(body) : (body as BodyInit | null),
    duplex: "half",
  } as RequestInit);
}

export type ProblemBody = {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly type: string;
  readonly detail: string;
  readonly errors?: { readonly path: string; readonly detail: string }[];
  readonly [member: string]: unknown;
};

/** The problem of an answer; fails where the answer is none. */
export async function problemOf(response: Response): Promise<ProblemBody> {
  if (response.headers.get("content-type") !== "application/problem+json") {
    throw new Error(`no problem but ${response.status} ${await response.text()}`);
  }
  return response.json();
}

/** The named fields of a refusal. */
export async function faultyPaths(response: Response): Promise<string[]> {
  const { errors } = await problemOf(response);
  return (errors ?? []).map((each) => each.path);
}
