/** STUB until the branch `message` is merged: that branch's file of this name replaces it. */
import type { Content } from "../campaign/rpc.ts";
import type { CampaignId, RecipientId } from "../domain/ids.ts";
import { accept, type Result } from "../domain/result.ts";

export type PreviewRequest = {
  readonly campaign: CampaignId;
  readonly content: Content;
  readonly publicUrl: string;
  readonly recipient: {
    readonly id: RecipientId;
    readonly email: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
};
export type Preview = {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly html: string | null;
  readonly text: string | null;
};
export type PreviewRefusal = {
  readonly code: string;
  readonly detail: string;
  readonly path: string;
};

export async function previewMail(
  request: PreviewRequest,
): Promise<Result<Preview, PreviewRefusal>> {
  const { from, subject, html, text } = request.content;
  return accept({ from, to: request.recipient.email, subject, html, text });
}
