/**
 * A stand-in for Cloudflare's API, as far as the commands of the deploy guide ask for it: wrangler
 * itself runs against it, unchanged, and what it has created and uploaded is here to look at.
 *
 * It knows the routes of the table and no other. One that is missing is a 404 with its path in it,
 * which wrangler prints, so that a new command of the guide says what it needs. SQL for a database
 * runs for real, on SQLite. Sources: developers.cloudflare.com/api, and what wrangler asks.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";

export const ACCOUNT = "acc0000000000000000000000000acc0";
const WORKERS_DEV = "shop";

export type UploadedWorker = {
  /** Bindings, migrations, compatibility date and more, as wrangler sends them. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly modules: ReadonlyMap<string, number>;
};

type Consumer = Readonly<Record<string, unknown>>;

export type CloudflareQueue = {
  readonly id: string;
  readonly consumers: Consumer[];
  isPaused: boolean;
  purges: number;
};

/** What an account has, by what was asked of this stand-in. */
export class CloudflareAccount {
  readonly queues = new Map<string, CloudflareQueue>();
  readonly databases = new Map<string, { readonly name: string; readonly sql: DatabaseSync }>();
  readonly secrets = new Map<string, string>();
  /** The uploads of the Worker that is there; the first may be the empty one of the first secret. */
  readonly uploads: UploadedWorker[] = [];
  /** What was ever uploaded, put or made a consumer, also where it is gone again. */
  readonly history: UploadedWorker[] = [];
  readonly secretsPut: Record<string, string> = {};
  readonly consumed: Record<string, Consumer> = {};
  readonly assets = new Set<string>();
  schedules: readonly string[] = [];
  workersDev = false;
  previews = false;
  /** Is given each SQL that a database was asked to run. */
  onSql: (sql: string) => Promise<void> = async () => undefined;

  addQueue(name: string): void {
    this.queues.set(name, { id: `queue-${name}`, consumers: [], isPaused: false, purges: 0 });
  }

  addDatabase(name: string): string {
    const uuid = `d1000000-0000-4000-8000-${String(this.databases.size).padStart(12, "0")}`;
    this.databases.set(uuid, { name, sql: new DatabaseSync(":memory:") });
    return uuid;
  }
}

type Asked = {
  readonly account: CloudflareAccount;
  /** What the path of the route left open. */
  readonly named: string;
  readonly query: URLSearchParams;
  readonly body: Buffer;
  readonly type: string;
};
type Answer = { readonly result: unknown } | { readonly code: number; readonly message: string };
type Route = readonly [method: string, path: RegExp, answer: (asked: Asked) => unknown];

const done = (result: unknown): Answer => ({ result });
const jsonOf = ({ body }: Asked): Record<string, unknown> =>
  JSON.parse(body.toString("utf8")) as Record<string, unknown>;

/** In the words of the API: the Worker is not there yet. */
const NO_WORKER: Answer = { code: 10007, message: "This Worker does not exist on your account." };

const QUEUE_ROUTES: readonly Route[] = [
  ["POST", /^\/queues$/, createQueue],
  ["GET", /^\/queues$/, listQueues],
  ["GET", /^\/queues\/([^/]+)\/consumers$/, (asked) => done(queueOf(asked).consumers)],
  ["POST", /^\/queues\/([^/]+)\/consumers$/, addConsumer],
  ["PATCH", /^\/queues\/([^/]+)$/, changeQueue],
  ["POST", /^\/queues\/([^/]+)\/purge$/, purgeQueue],
  ["DELETE", /^\/queues\/([^/]+)$/, removeQueue],
];

function createQueue(asked: Asked): Answer {
  const { queues } = asked.account;
  const name = String(jsonOf(asked)["queue_name"]);
  if (queues.has(name)) return { code: 11009, message: `Queue name '${name}' is already taken` };
  asked.account.addQueue(name);
  return done({ queue_id: `queue-${name}`, queue_name: name });
}

function listQueues({ account, query }: Asked): Answer {
  const found = [...account.queues].filter(([name]) => [null, name].includes(query.get("name")));
  return done(
    found.map(([name, { id, consumers }]) => ({
      queue_id: id,
      queue_name: name,
      producers: [],
      producers_total_count: 0,
      consumers,
      consumers_total_count: consumers.length,
    })),
  );
}

function queueOf({ account, named }: Asked): CloudflareQueue {
  const found = [...account.queues.values()].find(({ id }) => id === named);
  if (found === undefined) throw new Error(`no queue ${named}`);
  return found;
}

function changeQueue(asked: Asked): Answer {
  const { settings } = jsonOf(asked) as { settings?: { delivery_paused?: boolean } };
  queueOf(asked).isPaused = settings?.delivery_paused === true;
  return done({ queue_id: asked.named, settings });
}

function purgeQueue(asked: Asked): Answer {
  queueOf(asked).purges += 1;
  return done({ started_on: new Date(0).toISOString() });
}

function removeQueue({ account, named }: Asked): Answer {
  for (const [name, { id }] of account.queues) if (id === named) account.queues.delete(name);
  return done(null);
}

function addConsumer(asked: Asked): Answer {
  const consumer = jsonOf(asked);
  queueOf(asked).consumers.push(consumer);
  asked.account.consumed[asked.named.replace("queue-", "")] = consumer;
  return done(consumer);
}

const DATABASE_ROUTES: readonly Route[] = [
  ["POST", /^\/d1\/database$/, createDatabase],
  ["GET", /^\/d1\/database$/, listDatabases],
  ["GET", /^\/d1\/database\/([^/]+)$/, describeDatabase],
  ["POST", /^\/d1\/database\/([^/]+)\/query$/, queryDatabase],
  ["DELETE", /^\/d1\/database\/([^/]+)$/, removeDatabase],
];

function createDatabase(asked: Asked): Answer {
  const name = String(jsonOf(asked)["name"]);
  return done({ uuid: asked.account.addDatabase(name), name });
}

function listDatabases({ account }: Asked): Answer {
  return done([...account.databases].map(([uuid, { name }]) => ({ uuid, name })));
}

function describeDatabase({ account, named }: Asked): Answer {
  const found = account.databases.get(named);
  if (found === undefined) return { code: 7404, message: "The database could not be found" };
  return done({ uuid: named, name: found.name });
}

function removeDatabase({ account, named }: Asked): Answer {
  account.databases.delete(named);
  return done(null);
}

async function queryDatabase(asked: Asked): Promise<Answer> {
  const found = asked.account.databases.get(asked.named);
  if (found === undefined) return { code: 7404, message: "The database could not be found" };
  const sql = String(jsonOf(asked)["sql"]);
  const results = /^\s*SELECT\b/i.test(sql) ? found.sql.prepare(sql).all() : [];
  if (results.length === 0) found.sql.exec(sql);
  await asked.account.onSql(sql);
  return done([{ results, success: true, meta: { duration: 1 } }]);
}

const WORKER_ROUTES: readonly Route[] = [
  ["GET", /^\/workers\/services\/sendonce$/, describeWorker],
  ["PUT", /^\/workers\/scripts\/sendonce$/, uploadWorker],
  ["GET", /^\/workers\/scripts\/sendonce\/secrets$/, listSecrets],
  ["PUT", /^\/workers\/scripts\/sendonce\/secrets$/, putSecret],
  ["POST", /^\/workers\/scripts\/sendonce\/assets-upload-session$/, beginAssets],
  ["POST", /^\/workers\/assets\/upload$/, takeAssets],
  ["GET", /^\/workers\/scripts\/sendonce\/deployments$/, () => done({ deployments: [] })],
  ["POST", /^\/workers\/scripts\/sendonce\/deployments$/, () => done({ id: "deployment" })],
  ["PUT", /^\/workers\/scripts\/sendonce\/schedules$/, putSchedules],
  ["GET", /^\/workers\/subdomain$/, () => done({ subdomain: WORKERS_DEV })],
  ["GET", /^\/workers\/scripts\/sendonce\/subdomain$/, workersDev],
  ["POST", /^\/workers\/scripts\/sendonce\/subdomain$/, workersDev],
  ["GET", /^\/workers\/scripts$/, listWorkers],
  ["GET", /^\/workers\/workers\/sendonce$/, workerItself],
  ["DELETE", /^\/workers\/(?:services|scripts)\/sendonce$/, removeWorker],
  // What a removal looks for beside the Worker: this product has neither.
  ["GET", /^\/storage\/kv\/namespaces$/, () => done([])],
  ["GET", /^\/workers\/scripts\/sendonce\/references$/, () => done({ services: {} })],
];

function describeWorker({ account }: Asked): Answer {
  if (account.uploads.length === 0) return NO_WORKER;
  const script = { id: "sendonce", tag: "tag", last_deployed_from: "wrangler" };
  return done({ default_environment: { environment: "production", script } });
}

async function uploadWorker({ account, body, type }: Asked): Promise<Answer> {
  const form = await new Response(new Uint8Array(body), {
    headers: { "content-type": type },
  }).formData();
  const described = form.get("metadata");
  if (typeof described !== "string") throw new TypeError("an upload without metadata");
  const metadata = JSON.parse(described) as Record<string, unknown>;
  const modules = new Map<string, number>();
  for (const [name, value] of form) if (value instanceof Blob) modules.set(name, value.size);
  account.uploads.push({ metadata, modules });
  account.history.push({ metadata, modules });
  return done({ id: "sendonce", etag: "etag", deployment_id: "1", startup_time_ms: 20 });
}

const secretOf = (name: string) => ({ name, type: "secret_text" });

function listSecrets({ account }: Asked): Answer {
  if (account.uploads.length === 0) return NO_WORKER;
  return done([...account.secrets.keys()].map(secretOf));
}

function putSecret(asked: Asked): Answer {
  if (asked.account.uploads.length === 0) return NO_WORKER;
  const { name, text } = jsonOf(asked);
  asked.account.secrets.set(String(name), String(text));
  asked.account.secretsPut[String(name)] = String(text);
  return done(secretOf(String(name)));
}

function beginAssets(asked: Asked): Answer {
  const manifest = jsonOf(asked)["manifest"] as Record<string, { hash: string }>;
  for (const path of Object.keys(manifest)) asked.account.assets.add(path);
  const hashes = Object.values(manifest).map(({ hash }) => hash);
  return done({ jwt: unsignedToken(), buckets: [hashes] });
}

function takeAssets(): Answer {
  return done({ jwt: unsignedToken() });
}

const tokenPart = (fields: object) => Buffer.from(JSON.stringify(fields)).toString("base64url");

/** Wrangler looks into the token for its end. */
function unsignedToken(): string {
  return `${tokenPart({ alg: "none" })}.${tokenPart({ exp: 4_102_444_800 })}.none`;
}

function workerItself({ account }: Asked): Answer {
  return done({ name: "sendonce", subdomain: addressesOf(account) });
}

function putSchedules(asked: Asked): Answer {
  const crons = JSON.parse(asked.body.toString("utf8")) as { cron: string }[];
  asked.account.schedules = crons.map(({ cron }) => cron);
  return done({ schedules: crons });
}

function workersDev({ account, body }: Asked): Answer {
  if (body.length > 0) {
    account.workersDev = body.includes('"enabled":true');
    account.previews = body.includes('"previews_enabled":true');
  }
  return done(addressesOf(account));
}

function addressesOf(account: CloudflareAccount): object {
  return { enabled: account.workersDev, previews_enabled: account.previews };
}

function listWorkers({ account }: Asked): Answer {
  const { migrations } = (account.uploads.at(-1)?.metadata ?? {}) as {
    migrations?: { new_tag?: string };
  };
  if (account.uploads.length === 0) return done([]);
  return done([{ id: "sendonce", migration_tag: migrations?.new_tag }]);
}

function removeWorker({ account }: Asked): Answer {
  account.uploads.length = 0;
  account.secrets.clear();
  return done(null);
}

const ROUTES = [...QUEUE_ROUTES, ...DATABASE_ROUTES, ...WORKER_ROUTES];

export type CloudflareStandIn = {
  readonly account: CloudflareAccount;
  /** What makes wrangler talk to it, and to nobody else. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
};

/** Listens on 127.0.0.1 only. */
export async function startCloudflareStandIn(): Promise<CloudflareStandIn> {
  const account = new CloudflareAccount();
  const server = createServer((request, response) => void serve(account, request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    account,
    env: {
      CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${port}`,
      CLOUDFLARE_API_TOKEN: "token",
      CLOUDFLARE_ACCOUNT_ID: ACCOUNT,
    },
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

/** A fault of the stand-in itself, such as SQL that is none, is an answer that wrangler prints. */
async function serve(
  account: CloudflareAccount,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let answer: Answer;
  try {
    answer = await answerTo(account, request);
  } catch (error) {
    answer = { code: 7500, message: String(error) };
  }
  const isDone = "result" in answer;
  response.writeHead(isDone ? 200 : 404, { "content-type": "application/json" });
  const envelope = isDone ? { errors: [], ...answer } : { errors: [answer], result: null };
  response.end(JSON.stringify({ success: isDone, messages: [], ...envelope }));
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function answerTo(account: CloudflareAccount, request: IncomingMessage): Promise<Answer> {
  const url = new URL(request.url ?? "/", "http://127.0.0.1");
  const path = url.pathname.replace(`/accounts/${ACCOUNT}`, "");
  const type = request.headers["content-type"] ?? "";
  const body = await bodyOf(request);
  for (const [method, pattern, answer] of ROUTES) {
    const found = method === request.method ? pattern.exec(path) : null;
    if (found === null) continue;
    const asked = { account, named: found[1] ?? "", query: url.searchParams, body, type };
    return (await answer(asked)) as Answer;
  }
  return { code: 7003, message: `the stand-in has no route for ${request.method} ${path}` };
}
