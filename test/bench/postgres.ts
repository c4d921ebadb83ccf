/**
 * A PostgreSQL of our own on a free port and a folder of its own, durable as it comes (fsync and
 * synchronous_commit on). It refuses to run as root, so there it runs as the user `postgres`.
 */
import { chownSync, existsSync, globSync } from "node:fs";
import { execFileSync, spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import {
  freePort,
  startGroup,
  temporaryFolder,
  untilReady,
  type Group,
} from "../support/processes.ts";

const USER = "postgres";

/** Debian keeps its programs out of the path. */
const found = globSync("/usr/lib/postgresql/*/bin/initdb").toSorted().at(-1);
const programs = found === undefined ? null : dirname(found);
const isRoot = process.getuid?.() === 0;

export const POSTGRES_MISSING =
  "not run: PostgreSQL, which needs its server (Debian: apt-get install postgresql)";

export const hasPostgres = programs !== null && (!isRoot || idOf("-u") !== null);

function idOf(which: "-u" | "-g"): number | null {
  const { status, stdout } = spawnSync("id", [which, USER], { encoding: "utf8" });
  return status === 0 ? Number(stdout) : null;
}

/** The command line that runs a program of PostgreSQL, with another user where it has to be. */
function commandOf(program: string, args: readonly string[]): [string, string[]] {
  const path = join(programs ?? "", program);
  if (!isRoot) return [path, [...args]];
  const as = [`--reuid=${USER}`, `--regid=${USER}`, "--clear-groups"];
  return ["setpriv", as.concat(path, args)];
}

export async function startPostgres(): Promise<Group & { readonly port: number }> {
  const port = await freePort();
  const folder = temporaryFolder("postgres");
  if (isRoot) chownSync(folder, idOf("-u") ?? 0, idOf("-g") ?? 0);
  const cluster = join(folder, "cluster");
  const [initialise, options] = commandOf("initdb", ["-D", cluster, "-A", "trust", "-U", USER]);
  execFileSync(initialise, options, { stdio: "ignore", cwd: folder });
  const settings = { listen_addresses: "127.0.0.1", unix_socket_directories: "", port };
  const set = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const [command, args] = commandOf("postgres", ["-D", cluster, ...set]);
  const server = startGroup("postgres", args, {}, command);
  await untilReady("postgres", server, async () =>
    existsSync(join(cluster, "postmaster.pid")) &&
    server.log().includes("ready to accept connections")
      ? true
      : null,
  );
  return { ...server, port };
}
