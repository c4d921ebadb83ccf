/** What has ever happened in a run: faults, moves, refusals. A run that leaves one out proves little. */
import { batchMoves } from "../../src/domain/batch.ts";
import { campaignMoves } from "../../src/domain/campaign.ts";
import { ATTEMPT_OUTCOMES } from "../../src/domain/outcome.ts";
import { recipientMoves } from "../../src/domain/recipient.ts";
import { RESERVE_REFUSAL_REASONS } from "../../src/domain/reservation.ts";
import { FAULTS } from "./faults.ts";
import { type Occurrence, reportOf, reserveOf } from "./occurrence.ts";

export class Coverage {
  readonly seen = new Set<string>();

  add(what: string): void {
    this.seen.add(what);
  }

  merge(other: Coverage): void {
    for (const what of other.seen) this.seen.add(what);
  }

  see(occurrence: Occurrence): void {
    if (occurrence.type === "committed") {
      for (const move of occurrence.moves) {
        if (move.from !== move.to) this.seen.add(`${move.kind}:${move.from}>${move.to}`);
      }
    } else if (occurrence.type === "done") {
      const reserve = reserveOf(occurrence.call, occurrence.answer);
      if (reserve !== null) {
        const { answer } = reserve;
        this.seen.add(`reserve:${answer.granted ? "granted" : answer.reason}`);
        for (const { reason } of answer.skipped) this.seen.add(`skipped:${reason}`);
      }
      const report = reportOf(occurrence.call);
      const answer = occurrence.answer as { ok: boolean; refusal?: { code: string } };
      if (report !== null) this.seen.add(`report:${answer.refusal?.code ?? "taken"}`);
    } else if (occurrence.type === "outcome") this.seen.add(`outcome:${occurrence.kind}`);
  }

  /**
   * What should have happened and has not. A dissolved batch has no open member left to settle, so
   * that one move of the domain's table leads nowhere; and a suppressed doubt stays one.
   */
  missing(): string[] {
    const never = ["batch:dissolved>settled", "recipient:inDoubt>suppressed"];
    return expected().filter((what) => !this.seen.has(what) && !never.includes(what));
  }
}

const moves = (kind: string, pairs: readonly (readonly [string, string])[]): string[] =>
  pairs.map(([from, to]) => `${kind}:${from}>${to}`);

function expected(): string[] {
  return [
    ...FAULTS.map((kind) => `fault:${kind}`),
    ...moves("recipient", recipientMoves()),
    ...moves("batch", batchMoves()),
    ...moves("campaign", campaignMoves()),
    ...RESERVE_REFUSAL_REASONS.map((reason) => `reserve:${reason}`),
    "reserve:granted",
    "report:taken",
    "report:staleToken",
    ...ATTEMPT_OUTCOMES.map((kind) => `outcome:${kind}`),
    "alarm:failed",
  ];
}
