/**
 * The provider's side of the demo: the stand-in's settings, and its own count of what it accepted,
 * which is the only judge. It is emptied before each pipeline, so that the count depends on nothing
 * that a pipeline says about its mails.
 */
import { RECIPIENTS } from "./faults.ts";

/** Resend's own limit, and an answer that takes as long as one over the internet. */
const SETTINGS = { requestsPerSecond: 10, latencyMilliseconds: 40 };

export type ProviderCount = {
  /** Mails. */
  readonly accepted: number;
  /** Mails beyond the first to the same address. */
  readonly duplicates: number;
  /** Recipients without any mail. */
  readonly neverMailed: number;
};

/** @param url of the stand-in, which forgets everything */
export async function openForRun(url: string): Promise<void> {
  await ask(`${url}/control/reset`, "POST", {});
  await ask(`${url}/control/config`, "POST", SETTINGS);
}

export async function countAccepted(url: string): Promise<ProviderCount> {
  const answer = await ask(`${url}/control/counts`, "GET", null);
  const counts = await answer.json<{ accepted: number; addresses: number; duplicates: number }>();
  return {
    accepted: counts.accepted,
    duplicates: counts.duplicates,
    neverMailed: RECIPIENTS - counts.addresses,
  };
}

async function ask(url: string, method: string, body: object | null): Promise<Response> {
  const headers = { "content-type": "application/json" };
  const init = body === null ? { method } : { method, headers, body: JSON.stringify(body) };
  const response = await fetch(url, init);
  if (response.ok) return response;
  throw new Error(`${method} ${url} answered ${response.status}: ${await response.text()}`);
}
