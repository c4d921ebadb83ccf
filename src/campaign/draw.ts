/** The randomness a beginning needs. It is drawn here, so that the ledger stays a function. */
import type { Drawn } from "../ledger/lifecycle.ts";

export function draw(): Drawn {
  return {
    contentId: crypto.randomUUID(),
    linkSecret: hex(crypto.getRandomValues(new Uint8Array(32))),
  };
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
