/**
 * G6: after a suppression was acknowledged no reservation contains the address. One exception: a
 * batch that may have been accepted is repeated with the bytes it had (DESIGN §3.4). A grant whose
 * answer was lost is answered again under its token, and is the reservation it was (R-claim).
 */
import type { Address } from "../../../src/domain/ids.ts";
import { isYes, reportOf, reserveOf } from "../occurrence.ts";
import type { Checker } from "./checker.ts";

export function suppressed(): Checker {
  const acknowledged = new Set<string>();
  /** Tokens of each batch that were granted and not reported as definitely not accepted. */
  const open = new Map<string, Set<number>>();
  return {
    name: "suppressed",
    see(occurrence) {
      if (occurrence.type === "heard" && occurrence.call.object === "account") {
        if (occurrence.call.method !== "suppress") return null;
        for (const address of occurrence.call.args[0] as Address[]) acknowledged.add(address);
        return null;
      }
      if (occurrence.type !== "done" || occurrence.twin === null) return null;
      const { call, answer, twin } = occurrence;
      const report = reportOf(call);
      if (report !== null && isYes(answer)) {
        const isNo = report.outcome.kind === "deferred" || report.outcome.kind === "rejected";
        if (isNo) open.get(`${twin.id}:${twin.batchOf(report)}`)?.delete(report.token);
      }
      const reserve = reserveOf(call, answer);
      if (reserve === null || !reserve.answer.granted) return null;
      const { batch, token, members } = reserve.answer;
      const tokens = open.get(`${twin.id}:${batch}`) ?? new Set();
      if (tokens.has(token)) return null;
      open.set(`${twin.id}:${batch}`, tokens.add(token));
      if (tokens.size > 1) return null;
      const wrong = members.find((member) =>
        acknowledged.has(twin.byId.get(member.id)?.address ?? ""),
      );
      return wrong === undefined ? null : `${twin.id} reserved ${wrong.id}, who is suppressed`;
    },
  };
}
