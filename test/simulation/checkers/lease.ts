/**
 * R-lease: a batch never changes, its tokens rise by one, a token has one holder, and nobody else gets
 * the batch before its lease has run out or was given back, nor after its key may be forgotten; and
 * nobody sends after the lease.
 */
import type { ReserveRequest } from "../../../src/campaign/rpc.ts";
import { STORAGE_FAILS } from "../storage.ts";
import { isYes, reportOf, reserveOf, type ReserveCall } from "../occurrence.ts";
import type { Checker } from "./checker.ts";

type Lease = {
  readonly members: string;
  readonly key: string;
  readonly firstAt: number;
  token: number;
  claim: string | null;
  until: number;
};

export function lease(): Checker {
  const leases = new Map<string, Lease>();
  /** When the lease of each consumer on each key ends, by the world's clock. */
  const ends = new Map<string, number>();
  /**
   * Grants of each batch by name, since the last that was heard of, that may be on disk although the
   * storage failed right after them.
   */
  const unheard = new Map<string, number>();

  function judge(
    name: string,
    known: Lease | undefined,
    call: ReserveCall,
    at: number,
    window: number,
  ): string | null {
    const { answer, request } = call;
    if (!answer.granted) return null;
    const lost = unheard.get(name) ?? 0;
    // A reservation of another queue goes on counting where a dissolved batch of it has stopped.
    if (known === undefined) {
      const isFirst = answer.token <= 1 + lost;
      return isFirst || request.by !== "dispatch" ? null : "the first token is not 1";
    }
    if (answer.idempotencyKey !== known.key) return "has two keys";
    // An external consumer mails one by one, and is not given again who has been settled.
    const isNamed = request.by !== "dispatch";
    if (!isNamed && answer.members.map(({ seq }) => seq).join() !== known.members)
      return "has changed";
    if (answer.token === known.token) {
      return request.claim !== null && request.claim === known.claim ? null : "has two holders";
    }
    if (answer.token < known.token || answer.token > known.token + 1 + lost) {
      return `token ${answer.token} after ${known.token}`;
    }
    if (at < known.until) return `granted again ${known.until - at} ms before its lease ends`;
    if (at >= known.firstAt + window)
      return `repeated ${at - known.firstAt - window} ms past its window`;
    return null;
  }

  return {
    name: "lease",
    see(occurrence, world) {
      if (occurrence.type === "leaves") {
        const end = ends.get(`${occurrence.caller} ${occurrence.key}`) ?? world.scheduler.now;
        const late = world.scheduler.now - end;
        return late > 0 ? `${occurrence.key} leaves ${late} ms after its lease` : null;
      }
      if (
        occurrence.type === "broke" &&
        occurrence.call.method === "reserve" &&
        String(occurrence.error).includes(STORAGE_FAILS)
      ) {
        const request = occurrence.call.args[0] as ReserveRequest;
        if (request.by === "dispatch") {
          const name = `${occurrence.call.object}:${request.dispatch}`;
          unheard.set(name, (unheard.get(name) ?? 0) + 1);
        }
      }
      if (occurrence.type !== "done" || occurrence.twin === null) return null;
      const { call, answer, twin, now } = occurrence;
      const report = reportOf(call);
      if (report !== null && isYes(answer)) {
        const known = leases.get(`${twin.id}:${twin.batchOf(report)}`);
        if (known !== undefined && known.token === report.token) known.until = 0;
      }
      const reserve = reserveOf(call, answer);
      if (reserve === null || !reserve.answer.granted) return null;
      const { batch, token, members, expiresAt, idempotencyKey } = reserve.answer;
      const name = `${twin.id}:${batch}`;
      const known = leases.get(name);
      const window = twin.plan.settings.idempotencyWindowSeconds * 1000;
      const wrong = judge(name, known, reserve, now, window);
      if (wrong !== null) return `${name} ${wrong}`;
      unheard.delete(name);
      ends.set(`${call.caller} ${idempotencyKey}`, world.scheduler.now + expiresAt - now);
      leases.set(name, {
        members: members.map((member) => member.seq).join(),
        key: known?.key ?? idempotencyKey,
        firstAt: known?.firstAt ?? now,
        token,
        claim: reserve.request.claim,
        until: expiresAt,
      });
      return null;
    },
  };
}
