/** The ledger counts people in places (`seq`), consumers of other queues name them by their ids. */
import type { RecipientId, Seq } from "../domain/ids.ts";
import type { AttemptOutcome, MemberOutcome } from "../domain/outcome.ts";
import type { ReportRefusal, ReportRequest } from "../domain/reservation.ts";
import { accept, refuse, type Result } from "../domain/result.ts";
import { all, one, statement, type Storage } from "./sql.ts";

const placesOf = statement<{ seq: Seq; id: RecipientId }, { ids: string }>(
  "inPlaces.ofIds",
  "SELECT seq, id FROM recipients WHERE id IN (SELECT value FROM json_each(:ids))",
);

const erasedMembers = statement<{ count: number }, { seqs: string }>(
  "inPlaces.erasedMembers",
  `SELECT count(*) AS count FROM recipients
    WHERE seq IN (SELECT value FROM json_each(:seqs)) AND erased_at IS NOT NULL`,
);

/**
 * The outcome with places for ids; ids that nobody has are refused by name.
 *
 * As many as there are erased members may be theirs: a consumer that reports late still calls them
 * by the ids that the ledger has forgotten. Those results are left out, so that the facts about
 * all the others are taken (SPEC R-fact).
 *
 * @param members of the batch, as it froze them
 */
export function inPlaces(
  storage: Storage,
  members: string,
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
  const forgotten =
    strangers.length === 0 ? 0 : one(storage, erasedMembers, { seqs: members }).count;
  if (strangers.length > forgotten) return refuse({ code: "notInBatch", ids: strangers });
  return accept({ kind: "answered", results });
}
