/**
 * How many wrong tokens one address may try, whether it signs in or sends them as a bearer.
 *
 * Only wrong ones are counted, by the platform's rate limiter, so that an integration that asks a
 * thousand times a minute is never held up by itself. The limiter can't be asked without counting,
 * so what it has said once is remembered: an address that has used up its guesses is *shut* until
 * the period is over, and while it is, not even a right token is looked at, since that would tell
 * a guesser that it is right. Nobody else's address is touched by that.
 *
 * The memory is that of an isolate, and the count that of a data centre (Cloudflare, "Rate Limiting
 * API"): whoever is spread over many of either has as many times the guesses. This slows a guesser
 * down; what keeps it out is a long random token.
 */
import { faultOf } from "../domain/fault-text.ts";
import type { Instant } from "../domain/ids.ts";
import { MAX_SHUT_ADDRESSES, MAX_WRONG_TOKENS, WRONG_TOKEN_SECONDS } from "../domain/limits.ts";
import type { Log } from "../domain/log-event.ts";
import { Refused } from "./problem.ts";

/** What the platform's rate limiter does (a `[[ratelimits]]` of wrangler.toml). */
export type RateLimiter = {
  limit(asked: { readonly key: string }): Promise<{ readonly success: boolean }>;
};

export type GuessLimitPorts = {
  readonly limiter: RateLimiter;
  readonly shut: ShutAddresses;
  now(): Instant;
  readonly log: Log;
};

/** Addresses that have used up their guesses, each with the end of that. One for an isolate. */
export class ShutAddresses {
  readonly #until = new Map<string, Instant>();

  /** The end of it; null where the address is not shut. */
  end(address: string, now: Instant): Instant | null {
    const until = this.#until.get(address);
    if (until === undefined) return null;
    if (until > now) return until;
    this.#until.delete(address);
    return null;
  }

  shut(address: string, until: Instant): void {
    // The first one in is the first one out, and the limiter shuts it again at its next guess.
    const oldest = this.#until.keys().next();
    if (this.#until.size >= MAX_SHUT_ADDRESSES && !oldest.done) this.#until.delete(oldest.value);
    this.#until.set(address, until);
  }
}

export class GuessLimit {
  readonly #ports: GuessLimitPorts;

  constructor(ports: GuessLimitPorts) {
    this.#ports = ports;
  }

  /** Refuses a token from an address that has used up its guesses, before it is looked at. */
  expectOpen(request: Request): void {
    const address = addressOf(request);
    if (address === null) return;
    const until = this.#ports.shut.end(address, this.#ports.now());
    if (until !== null) throw tooMany(until - this.#ports.now());
  }

  /** Counts a wrong token; refuses where it was one too many. */
  async count(request: Request): Promise<void> {
    const address = addressOf(request);
    if (address === null || (await this.#isWithin(address))) return;
    this.#ports.shut.shut(address, this.#ports.now() + WRONG_TOKEN_SECONDS * 1000);
    throw tooMany(WRONG_TOKEN_SECONDS * 1000);
  }

  /** A limiter that is down must not become a 500, nor keep anybody out: the token was refused. */
  async #isWithin(key: string): Promise<boolean> {
    try {
      return (await this.#ports.limiter.limit({ key })).success;
    } catch (error) {
      this.#ports.log("guessLimitFailed", faultOf(error));
      return true;
    }
  }
}

/**
 * Whose guesses are counted together; null where there is nobody to count.
 *
 * Cloudflare sets the header on every request that comes in by its network, over whatever the
 * client wrote there. One without it comes from a Worker of the operator's own, by a service
 * binding, and who stands behind that is for that Worker to know. Of an IPv6 address the first 64
 * bits count: the other half is for its owner to choose (RFC 4291 §2.5.4, RFC 8981).
 */
export function addressOf(request: Request): string | null {
  const written = request.headers.get("cf-connecting-ip");
  if (written === null || !written.includes(":")) return written;
  const [head = "", tail] = written.toLowerCase().split("::", 2);
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0");
  const groups = [...left, ...(tail === undefined ? [] : zeros), ...right].slice(0, 4);
  return `${groups.map((group) => group.replace(/^0+(?=.)/, "")).join(":")}::/64`;
}

function tooMany(milliseconds: number): Refused {
  const seconds = Math.ceil(milliseconds / 1000);
  const detail =
    `More than ${MAX_WRONG_TOKENS} wrong tokens came from this address within ` +
    `${WRONG_TOKEN_SECONDS} seconds. No token from it is looked at for ${seconds} seconds.`;
  return new Refused("tooManyGuesses", detail, { headers: { "retry-after": String(seconds) } });
}
