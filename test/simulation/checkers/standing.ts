/**
 * R-unwritten: whoever looks finds everybody where they stand, also those whose rows have not been
 * written yet. The look is taken back, so that it doesn't do the writing of what comes later.
 */
import { undone } from "../../support/undone.ts";
import type { Twin } from "../twin.ts";
import type { Checker } from "./checker.ts";

const EVERYBODY = { status: null, limit: 1_000_000, cursor: null };

function differs(twin: Twin, now: number): string | null {
  for (const row of twin.ledger.recipients(EVERYBODY, now)?.items ?? []) {
    const known = twin.byId.get(row.id);
    if (known?.status === row.status && known.batch === row.batch) continue;
    const listed = `${row.status} in ${row.batch}`;
    return `${twin.id} ${row.id} is ${known?.status} in ${known?.batch}, and to a list ${listed}`;
  }
  return null;
}

function look(twin: Twin, now: number): string | null {
  const { node, journal } = twin.object.storage;
  const before = journal.length;
  const wrong = undone(node, () => differs(twin, now));
  journal.truncate(before);
  return wrong;
}

export function standing(): Checker {
  return {
    name: "standing",
    see(occurrence) {
      if (occurrence.type !== "committed") return null;
      const { twin, moves, now } = occurrence;
      const isFormed = moves.some((move) => move.kind === "batch" && move.from === null);
      return isFormed ? look(twin, now) : null;
    },
  };
}
