/** What is doubtful about the content of a campaign, whoever gets it. */
import type { Content } from "../domain/draft.ts";
import { isSpecialUse, parseAddress, withoutName } from "../domain/address.ts";
import { fieldsOf } from "./merge-fields.ts";
import type { Finding } from "../domain/preflight.ts";
import { parseTemplate } from "./template.ts";

/** Hosts of mailboxes for everybody. Nobody but the host can verify such a domain. */
const FREE_MAIL = new Set(
  (
    "gmail.com googlemail.com outlook.com hotmail.com hotmail.co.uk live.com msn.com yahoo.com " +
    "yahoo.co.uk yahoo.de yahoo.fr ymail.com aol.com icloud.com me.com mac.com proton.me " +
    "protonmail.com gmx.de gmx.net gmx.com gmx.at web.de t-online.de freenet.de mail.com mail.ru " +
    "yandex.com yandex.ru qq.com 163.com 126.com zoho.com orange.fr wanadoo.fr free.fr laposte.net " +
    "libero.it comcast.net verizon.net att.net tutanota.com fastmail.com hey.com"
  ).split(" "),
);

/**
 * Links are frozen at the start, and the law wants them to work: whoever starts with a PUBLIC_URL that
 * leads nowhere has mailed everybody without a way out.
 */
export function linkErrors({ unsubscribe }: Content, publicUrl: string): readonly Finding[] {
  if (!unsubscribe || isOrigin(publicUrl)) return [];
  const why = `PUBLIC_URL is ${JSON.stringify(publicUrl)}, and unsubscribe links would lead nowhere`;
  return [{ code: "brokenUnsubscribeLink", detail: `${why}; set it to https://host.` }];
}

/** With a path in front, where something stands before the Worker that takes it off again. */
function isOrigin(url: string): boolean {
  if (!/^https?:\/\/[^\s"<>?#@]+$/.test(url)) return false;
  return URL.canParse(url);
}

export function contentWarnings(content: Content, publicUrl: string): readonly Finding[] {
  const links = content.unsubscribe ? linkWarnings(content, publicUrl) : [];
  return [...senderWarnings(content.from), ...links];
}

function senderWarnings(from: string): readonly Finding[] {
  const parsed = parseAddress(withoutName(from));
  if (!parsed.ok) return [];
  const { address } = parsed.value;
  const domain = address.slice(address.lastIndexOf("@") + 1);
  if (FREE_MAIL.has(domain)) {
    const why = "the provider only sends from domains that you have verified";
    return [{ code: "freeMailSender", detail: `The sender is at ${domain}; ${why}.` }];
  }
  if (!isSpecialUse(address)) return [];
  const why = "is kept for trials and examples, and no provider sends from it";
  return [{ code: "specialUseSender", detail: `The sender's domain ${domain} ${why}.` }];
}

function linkWarnings({ html, text }: Content, publicUrl: string): readonly Finding[] {
  const warnings: Finding[] = [];
  const part = html === null ? "text" : "html";
  const template = parseTemplate(html === null ? "plain" : "html", html ?? text ?? "");
  if (template.ok && !fieldsOf(template.value).has("unsubscribeUrl")) {
    const detail = `The ${part} has no {{ unsubscribeUrl }}; readers look for the link at its end.`;
    warnings.push({ code: "missingUnsubscribeLink", detail });
  }
  if (!publicUrl.startsWith("https://")) {
    const detail = "PUBLIC_URL is not https, so that mail programs show no unsubscribe button";
    warnings.push({ code: "insecureUnsubscribeLink", detail: `${detail} (RFC 8058 §3.1).` });
  }
  return warnings;
}
