/**
 * The three usual designs of a campaign sender, each as its consumer: a message carries recipients,
 * and what went wrong is retried by the queue. None of them gives the provider a key, as none of
 * them freezes what a key stands for.
 */
import type { Seq } from "../../../src/domain/ids.ts";
import type { EmailProvider } from "../../../src/provider/port.ts";
import type { TableRpc } from "./table.ts";

export type SenderDeps = {
  readonly provider: EmailProvider;
  table(): TableRpc;
  /** A key that no request has had; the model wants one. */
  newKey(): string;
};

/** Mails these people; throws where the message should be delivered again. */
export type Sender = (ids: readonly string[], deps: SenderDeps) => Promise<void>;

const CALL_MILLISECONDS = 30_000;

/** @returns who was accepted; throws where the answer doesn't say so */
async function mail(ids: readonly string[], deps: SenderDeps): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const outcome = await deps.provider.sendBatch({
    idempotencyKey: deps.newKey(),
    emails: ids.map((id) => ({
      from: "Shop <shop@example.org>",
      to: `${id}@example.net`,
      subject: "Spring",
      text: "Hello",
      tags: [{ name: "recipient", value: id }],
    })),
    seqs: ids.map((_, index) => index as Seq),
    timeoutMilliseconds: CALL_MILLISECONDS,
  });
  if (outcome.kind !== "answered") throw new Error(outcome.reason);
  return ids.filter((_, index) => outcome.results[index]?.outcome === "sent");
}

/** No ledger: send, then acknowledge. */
const noLedger: Sender = async (ids, deps) => {
  await mail(ids, deps);
};

/** Look for `sent` first: whoever has such a row is left out; the row is written afterwards. */
const lookForSent: Sender = async (ids, deps) => {
  const sent = new Set(await deps.table().sentAmong(ids));
  const open = ids.filter((id) => !sent.has(id));
  const accepted = await mail(open, deps);
  if (accepted.length > 0) await deps.table().markSent(accepted);
};

/** Reserve and skip: write a row first, and mail only those whose row is new. */
const reserveAndSkip: Sender = async (ids, deps) => {
  const mine = new Set(await deps.table().insertMissing(ids));
  const accepted = await mail(
    ids.filter((id) => mine.has(id)),
    deps,
  );
  if (accepted.length > 0) await deps.table().markSent(accepted);
};

export const SENDERS: Readonly<Record<string, Sender>> = {
  "no ledger": noLedger,
  "look for `sent` first": lookForSent,
  "reserve and skip": reserveAndSkip,
};
