/**
 * The html of a mail as a document of its own, for the frame in which the dashboard previews it.
 *
 * The dashboard's own policy allows no inline style, and a mail is made of them; a document that the
 * page writes into a frame would inherit that policy, while one that is fetched brings its own. This
 * one runs no script, submits no form and belongs to no origin (CSP `sandbox`), so what is in a
 * mail can't reach the session of whoever looks at it.
 */
import { MAX_PREVIEW_BYTES } from "../../domain/limits.ts";
import { expectMediaType, readBytes } from "../body.ts";
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
  // Bytes that are no UTF-8 become replacement characters, as in any form (URL Standard §5.1).
  const form = new TextDecoder().decode(await readBytes(request, MAX_PREVIEW_BYTES));
  const html = new URLSearchParams(form).get("html") ?? "";
  return new Response(html, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": POLICY,
      "x-frame-options": "SAMEORIGIN",
    },
  });
}
