/** STUB until the branch `message` is merged: that branch's file of this name replaces it. */
import type { Content } from "../campaign/rpc.ts";
import type { ContentFault } from "./compile.ts";

export type Preview = {
  readonly subject: string | null;
  readonly html: string | null;
  readonly text: string | null;
  readonly faults: readonly ContentFault[];
};

export function previewMail(
  { subject, html, text }: Content,
  _recipient: { id: string; email: string; data: Readonly<Record<string, unknown>> },
): Preview {
  return { subject, html, text, faults: [] };
}
