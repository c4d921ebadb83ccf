/**
 * R-ack: a consumer acknowledges a message only when what it was granted for it is reported.
 *
 * It may have been given the same dispatch twice, so grants are counted against deliveries: there are
 * never more unreported grants of a dispatch than deliveries of it that are not acknowledged.
 */
import { reportOf, reserveOf } from "../occurrence.ts";
import type { World } from "../world.ts";
import type { Checker } from "./checker.ts";

type Hand = { open: number; unacknowledged: number };

function dispatchOf(world: World, messageId: string): string {
  const body = world.bodyOf(messageId);
  return `${body?.campaignId}:${body?.dispatch}`;
}

export function acknowledged(): Checker {
  const hands = new Map<string, Hand>();

  function handOf(caller: string, dispatch: string): Hand {
    const name = `${caller} ${dispatch}`;
    const hand = hands.get(name) ?? { open: 0, unacknowledged: 0 };
    hands.set(name, hand);
    return hand;
  }

  return {
    name: "acknowledged",
    see(occurrence, world) {
      if (occurrence.type === "delivered") {
        handOf(occurrence.caller, dispatchOf(world, occurrence.messageId)).unacknowledged += 1;
      } else if (occurrence.type === "heard") {
        const { call, answer } = occurrence;
        const reserve = reserveOf(call, answer);
        if (reserve?.answer.granted === true && reserve.request.by === "dispatch") {
          const dispatch = `${call.object}:${reserve.answer.batch}`;
          const hand = handOf(call.caller, dispatch);
          hand.open += 1;
          if (hand.open > hand.unacknowledged) {
            return `${call.caller} was granted ${dispatch}, which it had acknowledged`;
          }
        }
        // A typed no has also been told.
        const report = reportOf(call);
        if (report !== null && "number" in report.batch) {
          handOf(call.caller, `${call.object}:${report.batch.number}`).open -= 1;
        }
      } else if (occurrence.type === "acknowledged") {
        const dispatch = dispatchOf(world, occurrence.messageId);
        const hand = handOf(occurrence.caller, dispatch);
        hand.unacknowledged -= 1;
        if (hand.open > hand.unacknowledged) {
          return `${occurrence.caller} acknowledged ${occurrence.messageId} with ${dispatch} in hand`;
        }
      }
      return null;
    },
  };
}
