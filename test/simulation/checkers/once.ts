/** G1: the provider accepts at most one mail for a recipient and for an address of a campaign. */
import type { Checker } from "./checker.ts";

export function once(): Checker {
  const byAddress = new Map<string, string>();
  return {
    name: "once",
    see(occurrence) {
      if (occurrence.type !== "accepted") return null;
      const { twin, recipient, address, key } = occurrence;
      if (twin.excused.has(recipient)) return null;
      const count = twin.accepted.get(recipient)?.length ?? 0;
      if (count > 1) return `${twin.id} ${recipient} has ${count} mails, the last under ${key}`;
      const other = byAddress.get(`${twin.id} ${address}`);
      if (other !== undefined) return `${twin.id} ${address} has mails under ${other} and ${key}`;
      byAddress.set(`${twin.id} ${address}`, key);
      return null;
    },
  };
}
