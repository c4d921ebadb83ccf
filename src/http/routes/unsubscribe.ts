/**
 * The link in every mail of a campaign (RFC 8058).
 *
 * GET and HEAD change nothing, since scanners follow every link of a mail (SPEC C61). A POST under a
 * signed token is the unsubscription, whatever its body says: RFC 8058 §3.2 fixes
 * `List-Unsubscribe=One-Click`, but the token alone names who and what, and a client that leaves the
 * body out or sends it in another encoding still speaks for somebody who wants no more mails. There
 * is no redirect, no cookie and no script on the way (§3.1). It is answered when every campaign
 * knows of it (SPEC G6), and twice is the same as once.
 */
import { parseUnsubscribeToken, verifyUnsubscribeToken } from "../../message/unsubscribe-link.ts";
import { faultOf } from "../../domain/fault-text.ts";
import type { Address } from "../../domain/ids.ts";
import { RETRY_OVERLOADED_SECONDS } from "../../domain/limits.ts";
import { askAgain } from "../object-call.ts";
import { Refused } from "../problem.ts";
import type { Call } from "../route.ts";
import { unsubscribePage, type PageKind } from "../unsubscribe-page.ts";

export function showForm(call: Call): Promise<Response> {
  return orSorry(call, async () => ((await addressBehind(call)) === null ? "badLink" : "form"));
}

export function unsubscribe(call: Call): Promise<Response> {
  return orSorry(call, async () => {
    const address = await addressBehind(call);
    if (address === null) return "badLink";
    await askAgain(() => call.deps.account().suppress([address], "unsubscribe"));
    return "done";
  });
}

/** Whom the link is for; null for a token that no campaign of ours has signed. */
async function addressBehind({ params, deps }: Call): Promise<Address | null> {
  const token = parseUnsubscribeToken(params.token ?? "");
  if (token === null) return null;
  const target = await askAgain(() => deps.campaign(token.campaign).linkTarget(token.seq));
  if (target === null) return null;
  return (await verifyUnsubscribeToken(target.linkSecret, token)) ? target.address : null;
}

/** A person reads the answer, so whatever goes wrong on our side is a page as well, and logged. */
async function orSorry({ deps }: Call, work: () => Promise<PageKind>): Promise<Response> {
  try {
    return await unsubscribePage(await work());
  } catch (error) {
    const cause = error instanceof Refused ? error.extra.cause : error;
    deps.log("unsubscribeFailed", faultOf(cause));
    const headers = { "retry-after": String(RETRY_OVERLOADED_SECONDS) };
    return unsubscribePage("tryAgain", headers);
  }
}
