/** Content and members for tests of rendering, each field as plain as it can be. */
import type { CampaignId, RecipientId, Seq } from "../../src/domain/ids.ts";
import type { Member } from "../../src/domain/outcome.ts";
import type { Content, FrozenContent } from "../../src/campaign/rpc.ts";

export function contentOf(fields: Partial<Content> = {}): Content {
  return {
    from: "Shop <shop@example.org>",
    replyTo: null,
    subject: "Hello",
    html: null,
    text: "Hello",
    headers: {},
    tags: {},
    unsubscribe: false,
    ...fields,
  };
}

export function frozenOf(fields: Partial<FrozenContent> = {}): FrozenContent {
  return {
    ...contentOf(fields),
    contentId: "content-1",
    campaign: "spring" as CampaignId,
    publicUrl: "https://mail.example.org",
    linkSecret: "0123456789abcdef".repeat(4),
    ...fields,
  };
}

export function memberOf(seq: number, data: Record<string, unknown> = {}): Member {
  return {
    seq: seq as Seq,
    id: `u_${seq}` as RecipientId,
    email: `Person.${seq}@Example.org`,
    data,
  };
}
