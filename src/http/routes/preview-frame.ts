/**
 * The html of a mail as a document of its own, for the frame in which the dashboard previews it.
 *
 * The dashboard's own policy allows no inline style, and a mail is made of them; a document that the
 * page writes into a frame would inherit that policy, while one that is fetched brings its own. This
 * one runs no script, submits no form and belongs to no origin (CSP `sandbox`), so what is in a
 * mail can't reach the session of whoever looks at it.
 */
import { MAX_PREVIEW_BYTES } from "../../domain/limits.ts";
import { expectMediaType } from "../body.ts";
import { Refused } from "../problem.ts";
import type { Call } from "../route.ts";

const POLICY = [
  "sandbox",
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "img-src https: data:",
  "font-src https: data:",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join("; ");

/** Takes a form with the field `html`, since only a form can fill a frame with a POST. */
export async function showPreview({ request }: Call): Promise<Response> {
  expectMediaType(request, ["application/x-www-form-urlencoded"]);
  const declared = Number(request.headers.get("content-length") ?? Number.NaN);
  // A browser says how long a form is; without that there is no telling how much would come.
  if (!(declared <= MAX_PREVIEW_BYTES)) {
    throw new Refused("tooLarge", `The form is larger than ${MAX_PREVIEW_BYTES} bytes.`);
  }
  const html = new URLSearchParams(await request.text()).get("html") ?? "";
  return new Response(html, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": POLICY,
      "x-frame-options": "SAMEORIGIN",
    },
  });
}
