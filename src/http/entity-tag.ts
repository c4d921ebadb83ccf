/**
 * Names of what was answered, by which a change says what it is a change of (RFC 9110 §8.8.3,
 * §13.1.1). A tag is strong: made of the bytes of the answer, so it is another one as soon as
 * anything in it is.
 */

export async function entityTag(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `"${Buffer.from(digest).toString("base64url").slice(0, 22)}"`;
}

/** One member of the list: a weak one is named to be passed over, since it never matches. */
const MEMBER = /(W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/**
 * Whether a change with this `If-Match` is one of what has this tag. `*` is one of whatever there is;
 * a header that names nothing is one of nothing.
 */
export function isMatch(ifMatch: string, tag: string): boolean {
  if (ifMatch.trim() === "*") return true;
  return [...ifMatch.matchAll(MEMBER)].some(([, weak, strong]) => {
    return weak === undefined && strong === tag;
  });
}
