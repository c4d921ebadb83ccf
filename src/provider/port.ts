/** The one way to a provider. Behind it stands Resend; in the simulator, a model of it. */
import type { AttemptOutcome } from "../domain/outcome.ts";
import type { Seq } from "../domain/ids.ts";

/** One mail to one person, ready to go. Key order is fixed, since the bytes must repeat. */
export type Email = {
  readonly from: string;
  readonly to: string;
  readonly replyTo?: string;
  readonly subject: string;
  readonly html?: string;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly tags?: readonly { readonly name: string; readonly value: string }[];
};

/** The mails of a batch, in its frozen order; `seqs[i]` is whom `emails[i]` is for. */
type Addressed = { readonly emails: readonly Email[]; readonly seqs: readonly Seq[] };

/** A faulted member has one entry in `faults` and no mail. */
export type RenderedBatch = Addressed & {
  readonly faults: readonly { readonly seq: Seq; readonly reason: string }[];
};

export type SendRequest = Addressed & {
  readonly idempotencyKey: string;
  /** The call is given up after so long; its outcome is then unknown. */
  readonly timeoutMilliseconds: number;
};

export interface EmailProvider {
  /** Makes one request and never throws: whatever happens is an outcome. */
  sendBatch(request: SendRequest): Promise<AttemptOutcome>;
}
