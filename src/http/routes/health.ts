/**
 * `/healthz`, for everybody: whether the Worker can serve, and which part troubles it if any. What it
 * costs is bounded twice, in the isolate and in the account, so that nobody can make work by asking.
 */
import { HEALTH_KEPT_SECONDS } from "../../domain/limits.ts";
import type { Call } from "../route.ts";
import { json } from "../wire.ts";

/** 503 only where nothing can be served (domain/health.ts says why). */
export async function getHealth({ deps }: Call): Promise<Response> {
  const health = await deps.health();
  if (health.status !== "down") return json(health);
  // Whoever asks sooner is told the same again.
  return json(health, 503, { "retry-after": String(HEALTH_KEPT_SECONDS) });
}
