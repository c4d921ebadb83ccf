/**
 * The tag of an answer as the server gave it. The server's are strong; whoever compresses an answer
 * on its way marks its tag as weak, and a weak one never matches in `If-Match` (RFC 9110 §13.1.1).
 */
export function tagAsGiven(etag: string): string {
  return etag.replace(/^W\//, "");
}
