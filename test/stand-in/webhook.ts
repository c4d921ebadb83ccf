/**
 * Webhooks as Resend sends them: its envelope, signed in the way of Svix (Standard Webhooks):
 * HMAC-SHA256 over `id.timestamp.body` with the key that follows `whsec_` in base64.
 *
 * They go out only by command, so that a test decides how often, how late and in what order.
 */
import { createHmac, randomUUID } from "node:crypto";
import { isObject } from "./settings.ts";
import type { World } from "./world.ts";

const FIELDS = [
  "url",
  "secret",
  "type",
  "emailId",
  "data",
  "id",
  "times",
  "timestampSkewSeconds",
  "tagsAs",
  "otherSecrets",
];
const MAX_TIMES = 1000;

/** What an event of each type has beside the mail itself. */
const EXTRAS: Readonly<Record<string, object>> = {
  "email.bounced": {
    bounce: {
      type: "Permanent",
      subType: "General",
      message: "The recipient's mail server refused the mail.",
      diagnosticCode: ["smtp; 550 5.1.1 no such user"],
    },
  },
  "email.failed": { failed: { reason: "reached_daily_quota" } },
  "email.suppressed": {
    suppressed: {
      type: "OnAccountSuppressionList",
      reason: "previous_bounce",
      message: "The address is on the account's suppression list.",
      diagnosticCode: [],
    },
  },
};

export type WebhookResult = { readonly id: string; readonly statuses: readonly (number | null)[] };

/** One `v1,…` signature of the header `svix-signature`. */
function signature(secret: string, id: string, timestamp: number, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/u, ""), "base64");
  const mac = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return `v1,${mac}`;
}

function text(command: Record<string, unknown>, name: string): string {
  const value = command[name];
  if (typeof value !== "string") throw new TypeError(`webhook.${name}: expected a string`);
  return value;
}

function dataOf(world: World, command: Record<string, unknown>, type: string): object {
  const given = command["data"] ?? {};
  if (!isObject(given)) throw new TypeError("webhook.data: expected an object");
  if (command["emailId"] === undefined) return given;
  const mail = world.mailWithId(text(command, "emailId"));
  if (mail === null) throw new TypeError("webhook.emailId: no such mail was accepted");
  const { line, number } = mail;
  world.lastEvents.set(number, type.replace(/^email\./u, ""));
  const asObject = Object.fromEntries(line.tags.map((tag) => [tag.name, tag.value]));
  return {
    email_id: line.id,
    message_id: `<${line.id}@stand-in.invalid>`,
    created_at: new Date(line.at).toISOString(),
    from: line.from,
    to: line.to.split(", "),
    subject: line.subject,
    tags: command["tagsAs"] === "array" ? line.tags : asObject,
    ...EXTRAS[type],
    ...given,
  };
}

/**
 * Posts one event, `times` times with the same id and one after the other.
 * @returns the status of each answer; null: there was none
 * @throws TypeError that names the field
 */
export async function sendWebhook(world: World, command: unknown): Promise<WebhookResult> {
  if (!isObject(command)) throw new TypeError("webhook: expected a JSON object");
  for (const name of Object.keys(command)) {
    if (!FIELDS.includes(name)) throw new TypeError(`webhook.${name}: unknown field`);
  }
  const [url, secret, type] = ["url", "secret", "type"].map((name) => text(command, name));
  const { times = 1, timestampSkewSeconds: skew = 0, otherSecrets = [] } = command;
  if (typeof times !== "number" || !(times >= 1 && times <= MAX_TIMES)) {
    throw new TypeError("webhook.times: expected 1…1000");
  }
  if (typeof skew !== "number") throw new TypeError("webhook.timestampSkewSeconds: not a number");
  if (!Array.isArray(otherSecrets)) throw new TypeError("webhook.otherSecrets: expected a list");
  const id = command["id"] === undefined ? `msg_${randomUUID()}` : text(command, "id");
  const now = world.clock.now();
  const data = dataOf(world, command, type ?? "");
  const body = JSON.stringify({ type, created_at: new Date(now).toISOString(), data });
  const timestamp = Math.floor(Date.now() / 1000 + skew);
  const secrets = [...(otherSecrets as readonly string[]), secret ?? ""];
  const headers = {
    "content-type": "application/json",
    "user-agent": "Svix-Webhooks/1.0 (stand-in)",
    "svix-id": id,
    "svix-timestamp": String(timestamp),
    "svix-signature": secrets.map((one) => signature(one, id, timestamp, body)).join(" "),
  };
  const statuses: (number | null)[] = [];
  for (let sent = 0; sent < times; sent += 1) {
    statuses.push(await postedStatus(url ?? "", headers, body));
  }
  return { id, statuses };
}

async function postedStatus(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<number | null> {
  try {
    const response = await fetch(url, { method: "POST", headers, body });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return null;
  }
}
