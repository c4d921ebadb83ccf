/** Signs as the provider does, with Node's own HMAC and not with what is under test. */
import { createHmac } from "node:crypto";

export const SECRET = `whsec_${Buffer.from("the secret of the endpoint").toString("base64")}`;
export const OTHER_SECRET = `whsec_${Buffer.from("the secret of last year").toString("base64")}`;

export function signature(secret: string, id: string, timestamp: string, body: string): string {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
}

/** @param now milliseconds at which it is signed */
export function signedHeaders(body: string, now: number, secrets: readonly string[] = [SECRET]) {
  const timestamp = String(Math.floor(now / 1000));
  return {
    "svix-id": "msg_1",
    "svix-timestamp": timestamp,
    "svix-signature": secrets.map((each) => signature(each, "msg_1", timestamp, body)).join(" "),
  };
}
