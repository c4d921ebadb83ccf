/**
 * The mail of a campaign as a test: rendered as for a recipient, sent to somebody else, and marked
 * so that nobody takes it for the real one.
 *
 * It carries neither the tags by which webhooks find a recipient, so that nothing that happens to it
 * is counted, nor the one-click header: a mail program would show a button that does nothing.
 */
import type { Content } from "../domain/draft.ts";
import type { CampaignId } from "../domain/ids.ts";
import { MAX_SUBJECT_CHARACTERS } from "../domain/limits.ts";
import { accept, refuse, type Result } from "../domain/result.ts";
import type { Email } from "../provider/port.ts";
import type { ContentFault } from "./compile.ts";
import { previewMail } from "./preview.ts";
import type { Recipient } from "./render-mail.ts";

export type TestMail = Email;

const SUBJECT_MARK = "[Test] ";
const TAG = "test";

/** One mail for each address of `to`; refuses what would keep the recipient from getting theirs. */
export function testMails(
  campaign: CampaignId,
  content: Content,
  recipient: Recipient,
  to: readonly string[],
): Result<readonly TestMail[], readonly ContentFault[]> {
  const { subject, html, text, faults } = previewMail(content, recipient);
  if (subject === null || faults.length > 0) return refuse(faults);
  const labels = Object.entries(content.tags).filter(([name]) => name !== TAG);
  const mail = {
    from: content.from,
    ...(content.replyTo === null ? {} : { replyTo: content.replyTo }),
    subject: `${SUBJECT_MARK}${subject}`.slice(0, MAX_SUBJECT_CHARACTERS),
    ...(html === null ? {} : { html }),
    ...(text === null ? {} : { text }),
    ...(Object.keys(content.headers).length === 0 ? {} : { headers: content.headers }),
    tags: [{ name: TAG, value: campaign }, ...labels.map(([name, value]) => ({ name, value }))],
  };
  return accept(to.map((address) => ({ ...mail, to: address })));
}
