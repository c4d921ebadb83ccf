/** R-token: a report under an old token changes nothing, except that who was accepted is `sent`. */
import type { Move } from "../journal.ts";
import { reportOf, reserveOf, type Call } from "../occurrence.ts";
import type { Checker } from "./checker.ts";

const keyOf = (call: Call, batch: number): string => `${call.object}:${batch}`;

function isAllowed(move: Move, sent: ReadonlySet<number>): boolean {
  if (move.kind === "recipient") return move.to === "sent" && sent.has(move.seq);
  if (move.kind === "batch") return move.to === "settled" && sent.size > 0;
  return move.to === "finished" && sent.size > 0;
}

export function staleToken(): Checker {
  const newest = new Map<string, number>();

  return {
    name: "stale-token",
    see(occurrence) {
      if (occurrence.type === "done") {
        const reserve = reserveOf(occurrence.call, occurrence.answer);
        if (reserve === null || !reserve.answer.granted) return null;
        const { batch, token } = reserve.answer;
        newest.set(keyOf(occurrence.call, batch), token);
        return null;
      }
      if (occurrence.type !== "committed" || occurrence.call === null) return null;
      const report = reportOf(occurrence.call);
      if (report === null) return null;
      const name = occurrence.twin.batchOf(report) ?? 0;
      const current = newest.get(keyOf(occurrence.call, name));
      if (current === undefined || report.token >= current) return null;
      const { outcome } = report;
      const sent = new Set<number>();
      if (outcome.kind === "answered") {
        for (const result of outcome.results) if (result.outcome === "sent") sent.add(result.seq);
      } else if (outcome.kind === "results") {
        for (const result of outcome.results) {
          const row = occurrence.twin.byId.get(result.id);
          if (result.outcome === "sent" && row !== undefined) sent.add(row.seq);
        }
      }
      const wrong = occurrence.moves.find((move) => !isAllowed(move, sent));
      if (wrong === undefined) return null;
      return `token ${report.token} of ${keyOf(occurrence.call, name)} is old and made ${JSON.stringify(wrong)}`;
    },
  };
}
