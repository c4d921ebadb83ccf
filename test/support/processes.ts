/**
 * The processes of a local stack: the provider stand-in and `wrangler dev`, for the demo, `npm
 * start` and the end-to-end tests.
 *
 * Each is started as the leader of a process group of its own, since `wrangler dev` is three
 * processes deep and a signal to its first one leaves the others running. Whatever ends this
 * process, short of SIGKILL, ends every group that it started.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const READY_WITHIN_MILLISECONDS = 90_000;
const STOP_WITHIN_MILLISECONDS = 5_000;
const STAND_IN = "the provider stand-in";
const WRANGLER = "wrangler dev";
const LOG_CHARACTERS = 64_000;

/** A running process group. `stop` and `kill` may be called again, and after it has ended. */
export type Running = {
  readonly url: string;
  readonly port: number;
  /** The leader, whose id is the id of the group. */
  readonly pid: number;
  /** The end of what it wrote to stdout and stderr. */
  log(): string;
  /** Throws, with the end of its log, once the leader has ended by itself. */
  assertRunning(): void;
  /** Whether the leader has ended by itself, or by a signal. */
  hasEnded(): boolean;
  /** SIGINT, and SIGKILL for whoever is left of the group after five seconds. */
  stop(): Promise<void>;
  /** SIGKILL for the whole group, as a crash of the machine would be. */
  kill(): Promise<void>;
};

const groups = new Set<number>();
const folders = new Set<string>();
process.on("exit", endEverything);

/** Ends what is left, synchronously: it also runs when the process exits by an error. */
function endEverything(): void {
  for (const pid of groups) signalGroup(pid, "SIGKILL");
  for (const folder of folders) removeFolder(folder);
}

/** A killed process may need a moment until it has closed its files. */
function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    folders.delete(folder);
  } catch (error) {
    console.error(`could not remove ${folder}: ${String(error)}`);
  }
}

/** A folder of its own under the system's temporary one, gone when this process ends. */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `sendonce-${name}-`));
  folders.add(folder);
  return folder;
}

/** A TCP port of 127.0.0.1 that was free a moment ago. */
export async function freePort(): Promise<number> {
  return (await listenBriefly(0)) ?? Promise.reject(new Error("no free port on 127.0.0.1"));
}

/** Whether nobody listens on this port of 127.0.0.1. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await listenBriefly(port)) !== null;
}

async function listenBriefly(port: number): Promise<number | null> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(null));
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      const found = typeof address === "object" && address !== null ? address.port : null;
      server.close(() => resolve(found));
    });
  });
}

/** False once no process of the group is left. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

/**
 * Whether a process of the group still runs. The killed are counted as members until their parent
 * has reaped them, which an init of a container may do seconds later; their files and ports are
 * free before that. Where there is no /proc the group has to be reaped.
 */
function livesGroup(pid: number): boolean {
  if (!signalGroup(pid, 0)) return false;
  if (process.platform !== "linux") return true;
  return readdirSync("/proc").some((entry) => /^\d+$/.test(entry) && runsIn(entry, pid));
}

/** By proc_pid_stat(5): after the name in brackets come the state, the parent and the group. */
function runsIn(process: string, group: number): boolean {
  try {
    const stat = readFileSync(`/proc/${process}/stat`, "utf8");
    const [state, , pgrp] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(pgrp) === group && state !== "Z" && state !== "X";
  } catch {
    return false; // It has ended meanwhile.
  }
}

export type Group = Omit<Running, "url" | "port">;

/**
 * @param name how errors call it
 * @param command none: Node
 */
export function startGroup(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  command = process.execPath,
): Group {
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const pid = child.pid;
  if (pid === undefined) throw new Error(`could not start ${args.join(" ")}`);
  groups.add(pid);
  let written = "";
  const keep = (chunk: Buffer): void => {
    written = (written + chunk.toString("utf8")).slice(-LOG_CHARACTERS);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const end = async (signal: NodeJS.Signals, within: number): Promise<void> => {
    if (!groups.has(pid)) return;
    signalGroup(pid, signal);
    const until = Date.now() + within;
    while (signalGroup(pid, 0) && Date.now() < until) await sleep(20);
    signalGroup(pid, "SIGKILL");
    while (livesGroup(pid)) await sleep(5);
    groups.delete(pid);
  };
  return {
    pid,
    log: () => stripVTControlCharacters(written),
    assertRunning: () => {
      const ending = child.exitCode ?? child.signalCode;
      if (ending === null) return;
      const words = lastWords(stripVTControlCharacters(written));
      throw new Error(`${name} ended with ${ending}. ${words}`);
    },
    hasEnded: () => (child.exitCode ?? child.signalCode) !== null,
    stop: () => end("SIGINT", STOP_WITHIN_MILLISECONDS),
    kill: () => end("SIGKILL", 0),
  };
}

/** Waits until `probe` gives something, and fails with the process's own last words. */
export async function untilReady<T>(
  name: string,
  group: Group,
  probe: () => Promise<T | null>,
): Promise<T> {
  const until = Date.now() + READY_WITHIN_MILLISECONDS;
  try {
    while (Date.now() < until) {
      const found = await probe();
      if (found !== null) return found;
      group.assertRunning();
      await sleep(50);
    }
    const seconds = READY_WITHIN_MILLISECONDS / 1000;
    throw new Error(`${name} was not ready within ${seconds} seconds. ${lastWords(group.log())}`);
  } catch (error) {
    await group.kill();
    throw error;
  }
}

/** The end of a log, for an error message. */
export function lastWords(log: string): string {
  return `The end of its log:\n${log.trimEnd().split("\n").slice(-30).join("\n")}`;
}

/**
 * Starts the provider stand-in (test/stand-in/PROTOCOL.md).
 *
 * @param options.log file for its append-only log of accepted mails; none: memory only
 * @param options.port none: a free one
 */
export async function startStandIn(
  options: { readonly log?: string; readonly port?: number } = {},
): Promise<Running> {
  const log = options.log === undefined ? [] : ["--log", options.log];
  const args = ["test/stand-in/main.ts", "--port", String(options.port ?? 0), ...log];
  const group = startGroup(STAND_IN, args, { NODE_NO_WARNINGS: "1" });
  const port = await untilReady(STAND_IN, group, () => Promise.resolve(announcedPort(group.log())));
  return { ...group, port, url: `http://127.0.0.1:${port}` };
}

function announcedPort(log: string): number | null {
  const found = /^\{"port":(\d+)/m.exec(log)?.[1];
  return found === undefined ? null : Number(found);
}

export type WorkerOptions = {
  /**
   * Path of a wrangler.toml, from the root of the repository. Several run side by side, and the first
   * of them has the port.
   */
  readonly config: string | readonly string[];
  /** Runs this module instead of the `main` that the config names. */
  readonly script?: string;
  /** Vars and secrets. They travel in a file of mode 0600, all but VIEWER_TOKEN and ALERT_URL. */
  readonly vars: Readonly<Record<string, string>>;
  /** Folder for the objects, databases and queues of this run. */
  readonly persistTo: string;
  /** None: a free one. */
  readonly port?: number;
  /** For the inspector protocol. None: a free one. */
  readonly inspectorPort?: number;
  /** A path that answers once the Worker is up. */
  readonly readyPath?: string;
};

/** Starts `wrangler dev` on 127.0.0.1 and waits until the Worker answers. */
export async function startWorker(options: WorkerOptions): Promise<Running> {
  const port = options.port ?? (await freePort());
  const folder = temporaryFolder("worker");
  const group = startGroup(WRANGLER, wranglerArguments(options, port, folder), {
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_LOG_PATH: folder,
    // Neither asks the network for anything: no location data, no check for a newer version.
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    WRANGLER_HIDE_BANNER: "true",
    // Else it records every statement and call as a span for its own trace viewer, which no deployed
    // Worker does, and which takes a third of the time of a reserve and a report.
    X_LOCAL_OBSERVABILITY: process.env["X_LOCAL_OBSERVABILITY"] ?? "false",
    // Wrangler would take a secret from the environment, and not the one that was asked for.
    ...Object.fromEntries(Object.keys(options.vars).map((name) => [name, undefined])),
  });
  const url = `http://127.0.0.1:${port}`;
  const forget = (): void => removeFolder(folder);
  try {
    await untilReady(WRANGLER, group, () => {
      // It stays up after a failed build and waits for a change of the source.
      if (/✘ \[ERROR\]/.test(group.log())) throw new Error(lastWords(group.log()));
      return answers(`${url}${options.readyPath ?? "/"}`);
    });
  } catch (error) {
    forget();
    throw error;
  }
  return {
    ...group,
    port,
    url,
    stop: () => group.stop().finally(forget),
    kill: () => group.kill().finally(forget),
  };
}

/** Wrangler takes from an env file only what its configuration declares; these may be absent. */
const UNDECLARED = ["VIEWER_TOKEN", "ALERT_URL"];

function wranglerArguments(options: WorkerOptions, port: number, folder: string): string[] {
  const variables = join(folder, "vars.env");
  const lines = Object.entries(options.vars).map(([name, value]) => `${name}=${quoted(value)}`);
  writeFileSync(variables, `${lines.join("\n")}\n`, { mode: 0o600 });
  return [
    "node_modules/wrangler/bin/wrangler.js",
    "dev",
    ...(options.script === undefined ? [] : [options.script]),
    ...[options.config].flat().map((config) => `--config=${config}`),
    `--env-file=${variables}`,
    ...UNDECLARED.flatMap((name) => {
      const value = options.vars[name];
      return value === undefined ? [] : ["--var", `${name}:${value}`];
    }),
    `--persist-to=${options.persistTo}`,
    "--ip=127.0.0.1",
    `--port=${port}`,
    `--inspector-port=${options.inspectorPort ?? 0}`,
    "--show-interactive-dev-session=false",
  ];
}

/** A value for an env file. Single quotes keep everything but themselves as it is. */
function quoted(value: string): string {
  if (/['\n\r]/.test(value)) throw new Error("a var may hold neither a quote nor a line break");
  return `'${value}'`;
}

async function answers(url: string): Promise<true | null> {
  try {
    // Held back for as long as the Worker is being built, so a failed build shows by time-out.
    await (await fetch(url, { signal: AbortSignal.timeout(2_000) })).body?.cancel();
    return true;
  } catch {
    return null;
  }
}
