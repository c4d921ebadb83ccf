/** G2, G7: whoever an answered enrolment has named is in the ledger, and ends in a final state. */
import type { Enrolment } from "../../../src/campaign/rpc.ts";
import { isYes } from "../occurrence.ts";
import type { Checker } from "./checker.ts";

export function nobodyLost(): Checker {
  const enrolled = new Map<string, Set<string>>();
  return {
    name: "nobody-lost",
    see(occurrence) {
      if (occurrence.type !== "heard" || occurrence.call.method !== "enrol") return null;
      if (!isYes(occurrence.answer)) return null;
      const { object, args } = occurrence.call;
      const addresses = enrolled.get(object) ?? new Set();
      enrolled.set(object, addresses);
      for (const row of args[0] as readonly Enrolment[]) addresses.add(row.address);
      return null;
    },
    rest(world) {
      for (const twin of world.twins) {
        const there = new Set([...twin.recipients.values()].map((row) => row.address));
        for (const address of enrolled.get(twin.id) ?? []) {
          if (!there.has(address)) return `${twin.id} ${address} was enrolled and is gone`;
        }
        const open = [...twin.recipients.values()].find(
          (row) => row.status === "pending" || row.status === "reserved",
        );
        if (open !== undefined) return `${twin.id} ${open.id} is still ${open.status}`;
      }
      return null;
    },
  };
}
