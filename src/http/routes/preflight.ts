/** What a start would do, before it does it: nothing here changes anything. */
import { counted } from "../../domain/counted.ts";
import type { CampaignView, Page, RecipientQuery, RecipientView } from "../../campaign/rpc.ts";
import type { Address } from "../../domain/ids.ts";
import { PREFLIGHT_PAGE } from "../../domain/limits.ts";
import type { RecipientStatus } from "../../domain/recipient.ts";
import type { SuppressionReason } from "../../domain/suppression.ts";
import type { PreflightReport } from "../../domain/preflight.ts";
import { addressOf, Preflight } from "../../message/preflight.ts";
import { askAgain } from "../object-call.ts";
import { Refused } from "../problem.ts";
import { refused } from "../refusal.ts";
import type { Call } from "../route.ts";
import { expectNoFields } from "../schemas/empty.ts";
import * as wire from "../wire.ts";
import { campaignOf, found, type NamedCampaign } from "./named.ts";

/** 200 with what was found, errors or not; 409 once the campaign has been started. */
export async function preflightCampaign(call: Call): Promise<Response> {
  const campaign = campaignOf(call);
  await expectNoFields(call.request);
  const view = found(await campaign.again((object) => object.describe()));
  const { state, startedAt } = view.status;
  if (startedAt !== null || state === "cancelled") {
    throw refused({ code: "wrongState", state, command: "begin" });
  }
  const preflight = preflightOf(call, view);
  if (preflight === null) throw refused({ code: "wrongDelivery", delivery: view.draft.delivery });
  await lookAtRecipients(call, campaign, preflight, { status: null, asksAccount: true });
  return wire.json(preflight.report());
}

/**
 * Refuses a start whose mails would fail. Who is enrolled or edited in this very moment is not seen;
 * such a recipient fails alone, with the reason.
 */
export async function refuseErrors(call: Call, campaign: NamedCampaign): Promise<void> {
  const view = await campaign.again((object) => object.describe());
  // Whatever is wrong with the campaign itself, its own answer to the start says.
  if (view === null || view.status.state !== "draft") return;
  // The start looks for new suppressions itself, so that the first look leaves that out. Whom it
  // finds errors for may be suppressed since, which only the second look can tell.
  for (const asksAccount of [false, true]) {
    const preflight = preflightOf(call, view);
    if (preflight === null) return;
    await lookAtRecipients(call, campaign, preflight, { status: "pending", asksAccount });
    const { ok, errors } = preflight.report();
    if (ok) return;
    if (asksAccount) throw preflightFailed(errors);
  }
}

function preflightFailed(errors: PreflightReport["errors"]): Refused {
  const [first] = errors;
  const more = errors.length > 1 ? ` And ${errors.length - 1} more.` : "";
  const hits =
    first?.count === undefined ? "" : ` It would fail for ${counted(first.count, "recipient")}.`;
  return new Refused("preflightFailed", `${first?.detail ?? ""}${hits}${more}`, {
    evidence: { errors },
  });
}

/** Null where the content is not ours. */
function preflightOf(call: Call, { draft }: CampaignView): Preflight | null {
  const { content, settings } = draft;
  if (content === null) return null;
  const { requestsPerSecond } = call.deps;
  return new Preflight({ content, settings, publicUrl: publicUrlOf(call), requestsPerSecond });
}

/** The origin of the links, without a slash at the end. */
export function publicUrlOf({ deps }: Call): string {
  return deps.publicUrl.replace(/\/+$/, "");
}

type Look = {
  /** Null: everybody, to count them. Otherwise only as many as the errors depend on. */
  readonly status: RecipientStatus | null;
  readonly asksAccount: boolean;
};

async function lookAtRecipients(
  call: Call,
  campaign: NamedCampaign,
  preflight: Preflight,
  { status, asksAccount }: Look,
): Promise<void> {
  const limit = status !== null && preflight.isSameForAll ? 1 : PREFLIGHT_PAGE;
  let cursor: string | null = null;
  do {
    const query: RecipientQuery = { status, limit, cursor };
    const page: Page<RecipientView> = found(
      await campaign.again((object) => object.recipients(query)),
    );
    preflight.see(page.items, asksAccount ? await suppressedSince(call, page.items) : NOBODY);
    cursor = limit === 1 && page.items.length > 0 ? null : page.cursor;
  } while (cursor !== null);
}

const NOBODY: ReadonlyMap<Address, SuppressionReason> = new Map();

/** The start holds everybody who waits against the account's list once more, and so does this. */
async function suppressedSince(
  { deps }: Call,
  recipients: readonly RecipientView[],
): Promise<ReadonlyMap<Address, SuppressionReason>> {
  const waiting = recipients.filter(({ status }) => status === "pending");
  const addresses = waiting.map(addressOf);
  if (addresses.length === 0) return NOBODY;
  const entries = await askAgain(() => deps.account().suppressedAmong(addresses));
  return new Map(entries.map(({ address, reason }) => [address, reason]));
}
