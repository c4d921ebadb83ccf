/**
 * `/healthz`, for everybody: whether the Worker can serve, and which part troubles it if any. What it
 * costs is bounded twice, in the isolate and in the account, so that nobody can make work by asking.
 */
import type { Call } from "../route.ts";
import { json } from "../wire.ts";

/** 503 only where nothing can be served (domain/health.ts says why). */
export async function getHealth({ deps }: Call): Promise<Response> {
  const health = await deps.health();
  const headers = health.status === "down" ? { "retry-after": "5" } : {};
  return json(health, health.status === "down" ? 503 : 200, headers);
}
