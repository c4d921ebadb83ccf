/** Settling doubts by the word of a person who has looked. */
import type { BatchNumber, RecipientId, Seq } from "../domain/ids.ts";
import type { RecipientStatus } from "../domain/recipient.ts";
import type { ResolveRefusal, ResolveRequest } from "../domain/replay.ts";
import { accept, refuse, type Result } from "../domain/result.ts";
import { batchByNumber, countSettled } from "./batches.ts";
import type { Book } from "./book.ts";
import { moveInBatch } from "./members.ts";
import { acceptSent } from "./report.ts";
import { all, statement } from "./sql.ts";
import { writeDownAll } from "./unwritten.ts";

type NamedRow = {
  seq: Seq;
  id: RecipientId;
  status: RecipientStatus;
  batch: BatchNumber | null;
};
const namedRows = statement<NamedRow, { ids: string }>(
  "resolve.named",
  `SELECT seq, id, status, batch FROM recipients
    WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY seq`,
);

/** All of them, or none. Whoever stands there already is left as it is. */
export function resolve(book: Book, request: ResolveRequest): Result<null, ResolveRefusal> {
  writeDownAll(book);
  const rows = all(book.storage, namedRows, { ids: JSON.stringify(request.ids) });
  const known = new Set(rows.map((row) => row.id));
  const unknown = request.ids.filter((id) => !known.has(id));
  if (unknown.length > 0) return refuse({ code: "unknownRecipients", ids: unknown });
  const others = rows.filter((row) => row.status !== "inDoubt" && row.status !== request.as);
  if (others.length > 0) {
    const recipients = others.map(({ id, status }) => ({ id, status }));
    return refuse({ code: "notInDoubt", recipients });
  }
  const open = rows.filter((row) => row.status === "inDoubt");
  if (request.as === "sent") {
    acceptSent(
      book,
      open.map(({ seq }) => ({ seq, providerId: null })),
    );
  } else {
    failByHand(book, open);
  }
  if (open.length > 0) book.decided();
  book.event("resolved", { as: request.as, recipients: open.length });
  return accept(null);
}

function failByHand(book: Book, rows: readonly NamedRow[]): void {
  for (const [number, members] of Map.groupBy(rows, (row) => row.batch)) {
    const batch = number === null ? null : batchByNumber(book.storage, number);
    if (batch === null) continue;
    const seqs = JSON.stringify(members.map((row) => row.seq));
    const moved = moveInBatch(book, batch, seqs, "inDoubt", "fail", "resolved by hand as failed");
    countSettled(book, batch, moved);
  }
}
