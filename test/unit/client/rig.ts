/** A client whose network, clock and chance are in the hands of a test. */
import { SendonceClient, type ClientOptions } from "../../../src/client/client.ts";
import { HandClock } from "./hand-clock.ts";

type Answer = Response | Error | "hang";
export type Made = { readonly url: string; readonly init: RequestInit };

export function problemResponse(status: number, code: string, retryAfter?: number): Response {
  const headers: Record<string, string> = { "content-type": "application/problem+json" };
  if (retryAfter !== undefined) headers["retry-after"] = String(retryAfter);
  return new Response(JSON.stringify({ code, detail: `It is ${code}.` }), { status, headers });
}

export function jsonResponse(body: object): Response {
  return new Response(JSON.stringify(body), { headers: { "content-type": "application/json" } });
}

/** What fetch throws where nobody is there. */
export const noNetwork = (): Error => new TypeError("fetch failed");

/** @param answers to the requests, in turn; the last one stays */
export function rig(answers: readonly (() => Answer)[], options: Partial<ClientOptions> = {}) {
  const clock = new HandClock();
  const made: Made[] = [];
  const network: typeof fetch = async (input, init = {}) => {
    const answer = (answers[made.length] ?? answers.at(-1))?.() ?? noNetwork();
    made.push({ url: input as string, init });
    if (answer === "hang") return untilAborted(init.signal ?? undefined);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  let drawn = 0;
  const client = new SendonceClient({
    url: "https://mail.test/",
    token: "secret",
    ...options,
    surroundings: {
      fetch: network,
      now: clock.now,
      later: clock.later,
      chance: () => 0,
      newId: () => {
        drawn += 1;
        return `claim-${drawn}`;
      },
      ...options.surroundings,
    },
  });
  return { client, clock, made };
}

function untilAborted(signal: AbortSignal | undefined): Promise<Response> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason as Error));
  });
}
