/** A Redis of our own on a free port, for the examples and the benchmark that need one. */
import { spawnSync } from "node:child_process";
import {
  freePort,
  startGroup,
  temporaryFolder,
  untilReady,
  type Group,
} from "../support/processes.ts";

export const REDIS_MISSING =
  "not run: the BullMQ example, which needs redis-server (Debian: apt-get install redis-server), " +
  "then: npm run examples";

export const hasRedis = spawnSync("redis-server", ["--version"]).status === 0;

/** @param durability over what keeps nothing on disk */
export async function startRedis(
  durability: Readonly<Record<string, string>> = {},
): Promise<Group & { readonly port: number }> {
  const port = await freePort();
  const folder = temporaryFolder("redis");
  const options = {
    bind: "127.0.0.1",
    port,
    dir: folder,
    save: "",
    appendonly: "no",
    ...durability,
  };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const redis = startGroup("redis-server", args, {}, "redis-server");
  await untilReady("redis-server", redis, async () =>
    redis.log().includes("Ready to accept connections") ? true : null,
  );
  return { ...redis, port };
}
