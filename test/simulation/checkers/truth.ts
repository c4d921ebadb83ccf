/** G1, G3: `sent` means accepted, and who was accepted is never called anything that is not so. */
import type { RecipientStatus } from "../../../src/domain/recipient.ts";
import type { Twin } from "../twin.ts";
import type { Checker } from "./checker.ts";

/** What may be said of somebody whose mail the provider has. */
const HONEST: ReadonlySet<RecipientStatus> = new Set(["sent", "reserved", "inDoubt"]);

function isLie(twin: Twin, id: string, status: RecipientStatus): string | null {
  if (twin.excused.has(id)) return null;
  const isAccepted = twin.accepted.has(id);
  if (status === "sent" && !isAccepted) return `${twin.id} ${id} is sent and was never accepted`;
  if (isAccepted && !HONEST.has(status)) return `${twin.id} ${id} was accepted and is ${status}`;
  return null;
}

export function truth(): Checker {
  return {
    name: "truth",
    see(occurrence) {
      if (occurrence.type === "accepted") {
        const { twin, recipient } = occurrence;
        const status = twin.byId.get(recipient)?.status;
        return status === undefined ? "a stranger was mailed" : isLie(twin, recipient, status);
      }
      if (occurrence.type !== "committed") return null;
      const { twin, moves, call } = occurrence;
      for (const move of moves) {
        if (move.kind !== "recipient") continue;
        if (move.from === "sent" && move.to !== "sent")
          return `${twin.id} ${move.id} is no longer sent`;
        // A replayed doubt leaves it by the word of an operator who has accepted the risk.
        const isReplay = call?.method === "replay" && move.from === "inDoubt";
        const byHand = call?.method === "resolve" || (isReplay && move.to !== "reserved");
        if (byHand) twin.excused.add(move.id);
        const lie = isLie(twin, move.id, move.to);
        if (lie !== null) return lie;
      }
      return null;
    },
    rest(world) {
      for (const twin of world.twins) {
        const rows = twin.rows<{ id: string; provider_id: string }>(
          "SELECT id, provider_id FROM recipients WHERE provider_id IS NOT NULL",
        );
        for (const row of rows) {
          if (twin.accepted.get(row.id)?.includes(row.provider_id) !== true) {
            return `${twin.id} ${row.id} has the id of no mail of its own`;
          }
        }
      }
      return null;
    },
  };
}
