/**
 * Whether a text can be a bearer token at all (RFC 6750 §2.1, which takes less still). What `fetch`
 * throws at any other quotes the whole header, and would be told as a network that is down: a secret
 * with a line break at its end would stand in the log of whoever uses it.
 */
const VISIBLE_ASCII = /^[\u0021-\u007e]*$/;
const RULE = "has to be visible ASCII, without spaces or line breaks";

/** Null: it can. Otherwise the end of a sentence that begins with what it is called. */
export function tokenFault(token: string): string | null {
  return VISIBLE_ASCII.test(token) ? null : RULE;
}

/** @throws TypeError, which doesn't quote it */
export function expectToken(token: string): void {
  const fault = tokenFault(token);
  if (fault !== null) throw new TypeError(`token: ${fault}`);
}
