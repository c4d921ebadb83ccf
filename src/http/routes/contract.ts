/**
 * The contract, for programs and for people. Its descriptions are loaded when it is first asked for,
 * so that other requests don't pay for them, and kept for the life of the isolate: they only change
 * with the Worker itself.
 */
import { entityTag } from "../entity-tag.ts";
import type { Call } from "../route.ts";

type Served = { readonly text: string; readonly etag: string };
type Kept = { readonly contract: Served; readonly page: Served };

let kept: Promise<Kept> | null = null;

async function made({ routes }: Call): Promise<Kept> {
  const { documentOf } = await import("../contract/document.ts");
  const { docsPage } = await import("../contract/page/docs-page.ts");
  const document = documentOf(routes);
  return {
    contract: await served(JSON.stringify(document)),
    page: await served(docsPage(document)),
  };
}

async function served(text: string): Promise<Served> {
  return { text, etag: await entityTag(text) };
}

export async function getContract(call: Call): Promise<Response> {
  kept ??= made(call);
  return answer(call, (await kept).contract, { "content-type": "application/json" });
}

/** No script, no origin but our own, and no style but the dashboard's sheet. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'none'";

export async function getDocs(call: Call): Promise<Response> {
  kept ??= made(call);
  return answer(call, (await kept).page, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": POLICY,
  });
}

/** RFC 9110 §13.1.2: whoever has it already is only told so. Weak tags compare as strong ones. */
function answer({ request }: Call, { text, etag }: Served, headers: Record<string, string>) {
  const known = (request.headers.get("if-none-match") ?? "").split(",");
  const isFresh = known.some((each) => [etag, "*"].includes(each.trim().replace(/^W\//, "")));
  const caching = { etag, "cache-control": "no-cache" };
  if (isFresh) return new Response(null, { status: 304, headers: caching });
  return new Response(text, { headers: { ...headers, ...caching } });
}
