/** Liveness. It asks nobody: that the Worker answers is all it says. */
import type { Call } from "../route.ts";
import { json } from "../wire.ts";

export function getHealth(_call: Call): Response {
  return json({ ok: true });
}
