/** The ledger counts people in places (`seq`), consumers of other queues name them by their ids. */
import type { RecipientId, Seq } from "../domain/ids.ts";
import type { AttemptOutcome, MemberOutcome } from "../domain/outcome.ts";
import type { ReportRefusal, ReportRequest } from "../domain/reservation.ts";
import { accept, refuse, type Result } from "../domain/result.ts";
import { all, statement, type Storage } from "./sql.ts";

const placesOf = statement<{ seq: Seq; id: RecipientId }, { ids: string }>(
  "inPlaces.ofIds",
  "SELECT seq, id FROM recipients WHERE id IN (SELECT value FROM json_each(:ids))",
);

/** The outcome with places for ids; ids that nobody has are refused by name. */
export function inPlaces(
  storage: Storage,
  outcome: ReportRequest["outcome"],
): Result<AttemptOutcome, ReportRefusal> {
  if (outcome.kind !== "results") return accept(outcome);
  const ids = JSON.stringify(outcome.results.map((result) => result.id));
  const places = new Map(all(storage, placesOf, { ids }).map((row) => [row.id, row.seq]));
  const strangers: string[] = [];
  const results: MemberOutcome[] = [];
  for (const result of outcome.results) {
    const seq = places.get(result.id);
    if (seq === undefined) strangers.push(result.id);
    else if (result.outcome === "sent") {
      results.push({ seq, outcome: "sent", providerId: result.providerId });
    } else results.push({ seq, outcome: "failed", reason: result.reason });
  }
  if (strangers.length > 0) return refuse({ code: "notInBatch", ids: strangers });
  return accept({ kind: "answered", results });
}
