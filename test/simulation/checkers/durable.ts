/** G7: a report that was answered is in the ledger, now and at the end. */
import { isYes, reportOf } from "../occurrence.ts";
import type { Checker } from "./checker.ts";

export function durable(): Checker {
  const promised: { readonly campaign: string; readonly seq: number }[] = [];
  return {
    name: "durable",
    see(occurrence) {
      if (occurrence.type !== "heard" || occurrence.twin === null) return null;
      const report = reportOf(occurrence.call);
      if (report === null || report.outcome.kind !== "answered" || !isYes(occurrence.answer)) {
        return null;
      }
      const { twin } = occurrence;
      for (const result of report.outcome.results) {
        if (result.outcome !== "sent") continue;
        promised.push({ campaign: twin.id, seq: result.seq });
        if (twin.recipients.get(result.seq)?.status !== "sent") {
          return `${twin.id}: the acceptance of ${result.seq} was answered and is not there`;
        }
      }
      return null;
    },
    rest(world) {
      const gone = promised.find(
        ({ campaign, seq }) => world.twin(campaign).recipients.get(seq)?.status !== "sent",
      );
      return gone === undefined ? null : `${gone.campaign}: ${gone.seq} is no longer sent`;
    },
  };
}
