/**
 * The mails of a batch. A pure function of the frozen content and the frozen members: an attempt
 * that is repeated gives the same bytes, or the provider would refuse its key (SPEC G1).
 *
 * Members whose mail can't be rendered are left out and named, so that they fail by themselves
 * and the others are sent.
 */
import type { Email, RenderedBatch } from "../provider/port.ts";
import type { Member } from "../domain/outcome.ts";
import type { Seq } from "../domain/ids.ts";
import { MAX_REASON_CHARACTERS } from "../domain/limits.ts";
import { OWN_TAGS, type CompiledContent } from "./compile.ts";
import { renderMail } from "./render-mail.ts";
import { unsubscribeToken, unsubscribeUrl } from "./unsubscribe-link.ts";

export async function renderBatch(
  compiled: CompiledContent,
  members: readonly Member[],
): Promise<RenderedBatch> {
  const links = await linksOf(compiled, members);
  const emails: Email[] = [];
  const seqs: Seq[] = [];
  const faults: { seq: Seq; reason: string }[] = [];
  for (const [at, member] of members.entries()) {
    const made = emailOf(compiled, member, links[at] ?? null);
    if ("reason" in made) {
      faults.push({ seq: member.seq, reason: made.reason });
    } else {
      emails.push(made);
      seqs.push(member.seq);
    }
  }
  return { emails, seqs, faults };
}

async function linksOf(
  { content, linkKey }: CompiledContent,
  members: readonly Member[],
): Promise<readonly string[]> {
  if (linkKey === null) return [];
  const key = await linkKey;
  const tokens = members.map(({ seq }) => unsubscribeToken(key, content.campaign, seq));
  return (await Promise.all(tokens)).map((token) => unsubscribeUrl(content.publicUrl, token));
}

/** Key order is part of the bytes; don't change it while a campaign may be under way. */
function emailOf(
  { content, parts }: CompiledContent,
  member: Member,
  link: string | null,
): Email | { readonly reason: string } {
  const { subject, html, text, faults } = renderMail(parts, member, link);
  if (subject === null || faults.length > 0) {
    const reason = faults.map(({ path, detail }) => `${path}: ${detail}`).join("; ");
    return { reason: reason.slice(0, MAX_REASON_CHARACTERS) };
  }
  const headers = headersOf(content.headers, link);
  return {
    from: content.from,
    to: member.email,
    ...(content.replyTo === null ? {} : { replyTo: content.replyTo }),
    subject,
    ...(html === null ? {} : { html }),
    ...(text === null ? {} : { text }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    tags: tagsOf(content.tags, content.campaign, member.seq),
  };
}

/** RFC 8058 §3: one HTTPS URI that alone names recipient and list, and the one-click post. */
function headersOf(
  written: Readonly<Record<string, string>>,
  link: string | null,
): Readonly<Record<string, string>> {
  if (link === null) return written;
  return {
    ...written,
    "List-Unsubscribe": `<${link}>`,
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
  };
}

function tagsOf(
  written: Readonly<Record<string, string>>,
  campaign: string,
  seq: Seq,
): NonNullable<Email["tags"]> {
  const [campaignTag, recipientTag] = OWN_TAGS;
  return [
    { name: campaignTag, value: campaign },
    { name: recipientTag, value: String(seq) },
    ...Object.entries(written).map(([name, value]) => ({ name, value })),
  ];
}
