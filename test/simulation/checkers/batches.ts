/**
 * R-batch: what a batch says is unsettled are exactly its members that are reserved or in doubt; in
 * one that is not written down all are, and their rows still say that they are pending and fresh.
 */
import type { Twin } from "../twin.ts";
import type { Checker } from "./checker.ts";

function differs(twin: Twin, batch: number): string | null {
  const row = twin.rows<{ state: string; unsettled: number; open: number }>(
    `SELECT state, unsettled, (SELECT count(*) FROM recipients, json_each(members) AS m
        WHERE recipients.seq = m.value AND iif(unwritten,
          recipients.batch IS NULL AND status = 'pending' AND released IS NULL,
          recipients.batch = batches.batch AND status IN ('reserved', 'inDoubt'))) AS open
      FROM batches WHERE batch = ${batch}`,
  )[0];
  if (row === undefined || row.unsettled === row.open) return null;
  return `${twin.id} batch ${batch} (${row.state}): unsettled ${row.unsettled}, rows ${row.open}`;
}

export function batches(): Checker {
  return {
    name: "batches",
    see(occurrence) {
      if (occurrence.type !== "committed") return null;
      const touched = new Set<number>();
      for (const move of occurrence.moves) {
        if (move.kind !== "campaign" && move.batch !== null) touched.add(move.batch);
      }
      for (const batch of touched) {
        const wrong = differs(occurrence.twin, batch);
        if (wrong !== null) return wrong;
      }
      return null;
    },
  };
}
