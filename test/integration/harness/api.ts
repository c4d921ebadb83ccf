/** The API over real HTTP handlers of the worker, as an operator's client calls it. */
import { env, exports } from "cloudflare:workers";
import { expect } from "vitest";
import { breaches } from "../../support/contract.ts";

export type Answer<Body = unknown> = {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed where it is JSON, the text otherwise. */
  readonly body: Body;
};

export type Sending = {
  /** Given as JSON, unless it is text, bytes or a stream already. */
  readonly body?: unknown;
  readonly type?: string | null;
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
};

export async function api<Body = unknown>(
  method: string,
  path: string,
  sending: Sending = {},
): Promise<Answer<Body>> {
  const { body, token = env.OPERATOR_TOKEN } = sending;
  const raw =
    typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;
  const type = sending.type === undefined ? "application/json" : sending.type;
  const response = await exports.default.fetch(
    new Request(`http://sendonce.test${path}`, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined || type === null ? {} : { "content-type": type }),
        ...sending.headers,
      },
      ...(body === undefined ? {} : { body: raw ? (body as BodyInit) : JSON.stringify(body) }),
    }),
  );
  const text = await response.text();
  const isJson = (response.headers.get("content-type") ?? "").includes("json");
  const parsed = (isJson && text !== "" ? JSON.parse(text) : text) as Body;
  expectSums(parsed);
  const told = { method, path, status: response.status, body: parsed };
  expect(breaches({ ...told, type: response.headers.get("content-type") ?? "" })).toEqual([]);
  return { status: response.status, headers: response.headers, body: parsed };
}

/** G5 is about every answer ever given, so every answer is looked at. */
function expectSums(body: unknown): void {
  if (typeof body !== "object" || body === null) return;
  for (const [name, value] of Object.entries(body)) {
    if (name === "stats") expectSum(value as Record<string, number>);
    else expectSums(value);
  }
}

export function expectSum(stats: Readonly<Record<string, number>>): void {
  const { total, ...parts } = stats;
  const sum = Object.values(parts).reduce((all, part) => all + part, 0);
  expect(sum, `G5: the numbers add up: ${JSON.stringify(stats)}`).toBe(total);
}

/** An answer that has to be a 2xx. */
export async function done<Body = unknown>(
  method: string,
  path: string,
  sending?: Sending,
): Promise<Body> {
  const answer = await api<Body>(method, path, sending);
  if (answer.status < 200 || answer.status > 299) {
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }
  return answer.body;
}
