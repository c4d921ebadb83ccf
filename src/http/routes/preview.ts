/** What one recipient would get. Nothing is sent and nothing is stored. */
import { PREVIEW_LOOKS_AT } from "../../domain/limits.ts";
import type { Member } from "../../domain/outcome.ts";
import { unreachable } from "../../domain/result.ts";
import { previewMail } from "../../message/preview.ts";
import { readOptionalJson } from "../body.ts";
import { Refused, type FieldError } from "../problem.ts";
import { refused } from "../refusal.ts";
import type { Call } from "../route.ts";
import { parsePreview, type PreviewFor } from "../schemas/preview.ts";
import * as wire from "../wire.ts";
import { campaignOf, found, recipientNotFound, type NamedCampaign } from "./named.ts";

export async function previewCampaign(call: Call): Promise<Response> {
  const campaign = campaignOf(call);
  const wanted = parsePreview(await readOptionalJson(call.request));
  const { draft } = found(await campaign.again((object) => object.describe()));
  const { content } = draft;
  if (content === null) throw refused({ code: "wrongDelivery", delivery: draft.delivery });
  const recipient = await recipientFor(campaign, wanted);
  const { faults, ...parts } = previewMail(content, recipient);
  // What would keep this recipient from getting the mail is a refusal (SPEC C73); the parts that
  // can be rendered come with it all the same.
  if (faults.length > 0) throw templateFault(faults, parts);
  const { from, replyTo } = content;
  const { id, email } = recipient;
  return wire.json({ recipient: { id, email }, from, replyTo, ...parts });
}

export function templateFault(faults: readonly FieldError[], preview?: object): Refused {
  const [first] = faults;
  const detail = `\`${first?.path ?? ""}\`: ${first?.detail ?? ""}`;
  return new Refused("templateFault", detail, {
    errors: faults,
    ...(preview === undefined ? {} : { evidence: { preview } }),
  });
}

type Recipient = Pick<Member, "id" | "email" | "data">;

export async function recipientFor(
  campaign: NamedCampaign,
  wanted: PreviewFor,
): Promise<Recipient> {
  switch (wanted.by) {
    case "example":
      return wanted.example;
    case "id": {
      const story = await campaign.again((object) => object.recipient(wanted.id));
      if (story === null) throw recipientNotFound();
      return story;
    }
    case "first": {
      const query = { status: null, limit: PREVIEW_LOOKS_AT, cursor: null };
      const page = found(await campaign.again((object) => object.recipients(query)));
      // Whoever was erased has left an empty row, which no address stands in.
      const first = page.items.find(({ email }) => email.includes("@"));
      if (first !== undefined) return first;
      throw new Refused("recipientNotFound", "There are no recipients yet; give a `recipient`.");
    }
    default:
      return unreachable(wanted);
  }
}
