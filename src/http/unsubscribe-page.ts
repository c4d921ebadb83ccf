/**
 * The pages behind an unsubscribe link. They work without a script, in the reader's colours, on a
 * small screen and by ear (WCAG 2.2 AA), and name neither the address nor the campaign: a link may
 * be forwarded. The policy allows the one style of the page, the form's own address and nothing else.
 */

/** `form` is before, `done` after it. */
export type PageKind = "form" | "done" | "badLink" | "tryAgain";

type Page = { readonly status: number; readonly title: string; readonly body: string };

const PAGES: Readonly<Record<PageKind, Page>> = {
  form: {
    status: 200,
    title: "Unsubscribe?",
    // Without an action the form posts to the page's own address, the token included.
    body: `<p>You will get no more mails from this sender at the address that this link was sent
to. Nothing has changed yet.</p>
<form method="post">
<input type="hidden" name="List-Unsubscribe" value="One-Click">
<button type="submit">Unsubscribe</button>
</form>`,
  },
  done: {
    status: 200,
    title: "You are unsubscribed",
    body: `<p>You will get no more mails from this sender at this address. One that was already on
its way may still arrive. You can close this page.</p>`,
  },
  badLink: {
    status: 404,
    title: "This link doesn't work",
    body: `<p>The link is not complete, or it is no longer known here. Nothing has changed.</p>
<p>Open the link in the mail once more, whole and from its beginning to its end. If that doesn't
help, answer the mail and ask its sender to take you off the list.</p>`,
  },
  tryAgain: {
    status: 503,
    title: "Please try again",
    body: `<p>We could not note your wish just now, so you may still be subscribed.</p>
<p>Open the link in the mail again in a minute.</p>`,
  },
};

// Every pair of colours has a contrast of at least 7:1, in both schemes.
const STYLE = `:root{color-scheme:light dark;--ink:#1c1c1e;--paper:#fff;--act:#0b3d91;--on:#fff}
@media (prefers-color-scheme:dark){:root{--ink:#f2f2f2;--paper:#16181c;--act:#b7d0ff;--on:#0a0f1c}}
body{margin:0;background:var(--paper);color:var(--ink);
font:1.125rem/1.6 system-ui,sans-serif}
main{max-width:34rem;margin:0 auto;padding:3rem 1.25rem}
h1{font-size:1.75rem;line-height:1.25;margin:0 0 1rem}
button{font:inherit;font-weight:600;min-height:3rem;padding:.5rem 1.5rem;border:2px solid
var(--act);border-radius:.5rem;background:var(--act);color:var(--on);cursor:pointer}
button:focus-visible{outline:3px solid var(--ink);outline-offset:3px}`;

export async function unsubscribePage(
  kind: PageKind,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const { status, title, body } = PAGES[kind];
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
  return new Response(html, {
    status,
    headers: {
      ...headers,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": await policy(),
    },
  });
}

/** CSP Level 3 §2.3.1: the hash of the very text between the tags stands for that text alone. */
async function policy(): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(STYLE));
  const style = `'sha256-${Buffer.from(digest).toString("base64")}'`;
  return (
    `default-src 'none'; style-src ${style}; form-action 'self'; base-uri 'none'; ` +
    "frame-ancestors 'none'"
  );
}
