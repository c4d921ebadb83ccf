/** G5: the numbers equal a recount of the rows, add up to the total, and their version only rises. */
import type { DeliveryStatus, Stats } from "../../../src/campaign/rpc.ts";
import type { Twin } from "../twin.ts";
import type { Checker } from "./checker.ts";

function statsOf(answer: unknown): DeliveryStatus | null {
  const holder = answer as { value?: unknown; stats?: unknown; status?: unknown } | null;
  if (holder === null || typeof holder !== "object") return null;
  if ("stats" in holder) return holder as DeliveryStatus;
  return statsOf(holder.value ?? holder.status ?? null);
}

function sum(stats: Stats): number {
  const { total, ...rest } = stats;
  return Object.values(rest).reduce((all, count) => all + count, 0) - total;
}

function differs(twin: Twin): string | null {
  const counters = twin.rows<Record<string, number>>(
    "SELECT total, pending, reserved, sent, failed, suppressed, in_doubt AS inDoubt, cancelled FROM counters",
  )[0];
  if (counters === undefined) return null;
  if (counters["total"] !== twin.recipients.size) {
    return `${twin.id}: total ${counters["total"]}, recounted ${twin.recipients.size}`;
  }
  for (const [status, count] of Object.entries(twin.counts)) {
    if (counters[status] !== count) {
      return `${twin.id}: ${status} ${counters[status]}, recounted ${count}`;
    }
  }
  return null;
}

export function numbers(): Checker {
  const versions = new Map<string, number>();
  return {
    name: "numbers",
    see(occurrence) {
      if (occurrence.type === "committed") return differs(occurrence.twin);
      if (occurrence.type !== "done" || occurrence.twin === null) return null;
      const status = statsOf(occurrence.answer);
      if (status === null) return null;
      if (sum(status.stats) !== 0) return `${status.campaignId}: ${JSON.stringify(status.stats)}`;
      const before = versions.get(status.campaignId) ?? 0;
      versions.set(status.campaignId, status.version);
      return status.version >= before
        ? null
        : `${status.campaignId}: version ${status.version} after ${before}`;
    },
    rest(world) {
      for (const twin of world.twins) {
        const stats = twin.ledger.recount(twin.object.now);
        if (stats !== null && stats.total !== twin.recipients.size)
          return `${twin.id}: rows differ`;
        const { pending: remaining, ...counts } = twin.counts;
        const mine = { ...counts, remaining };
        for (const [status, count] of Object.entries(mine)) {
          if (stats?.[status as keyof Stats] !== count)
            return `${twin.id}: ${status} by rows differs`;
        }
      }
      return null;
    },
  };
}
