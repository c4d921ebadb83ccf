/**
 * `npm run bench:profile`: where workerd spends the time of a reserve and a report of 100 recipients.
 *
 * The kernel samples the stacks of workerd (perf_event_open(2), by Debian's linux-perf) while a
 * campaign is reserved and reported, one batch after the other. Each sample counts for the first of
 * the areas below that a frame of its stack belongs to.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { temporaryFolder } from "../support/processes.ts";
import { figure, meansOf, median } from "./measure.ts";
import { workerdOf } from "./process-usage.ts";
import { BenchStack } from "./stack.ts";

const RECIPIENTS = 40_000;
const HERTZ = 2_997;

const AREAS: readonly { readonly what: string; readonly frames: RegExp }[] = [
  { what: "SQLite: the disk has it (fsync)", frames: /\bfsync\b/ },
  { what: "SQLite: statements are planned", frames: /sqlite3(Reprepare|LockAndPrepare)/ },
  { what: "SQLite: statements run", frames: /sqlite3_step/ },
  { what: "rows become objects of JavaScript", frames: /SqlStorage::Cursor/ },
  { what: "statements are bound and looked up", frames: /SqlStorage::exec/ },
  { what: "messages of RPC are written and read", frames: /(S|Des)erializer|serializeJsValue/ },
  { what: "the ledger's own JavaScript", frames: /transactionSync|JsRpcTargetBase::invokeFn/ },
  { what: "calls and answers of RPC", frames: /JsRpc|capnp/ },
  { what: "spans of a trace viewer", frames: /TailStream|tracing::/ },
  { what: "garbage collection", frames: /Scaveng|MarkCompact|v8::internal::Heap::|cppgc/ },
];
const REST = "the rest: queue, HTTP, event loop";

async function rounds(stack: BenchStack, id: string): Promise<number[]> {
  await stack.api.start(id);
  await stack.finished(id);
  return stack.bench<number[]>("rounds");
}

/** Samples workerd for as long as `work` lasts. */
async function recorded<T>(pid: string, file: string, work: () => Promise<T>): Promise<T> {
  const how = ["record", "--quiet", "-g", "-F", String(HERTZ), "-p", pid, "-o", file];
  const perf = spawn("perf", how, { stdio: ["ignore", "ignore", "inherit"] });
  const ended = once(perf, "exit");
  try {
    return await work();
  } finally {
    perf.kill("SIGINT");
    await ended;
  }
}

/** How many samples each area has, and the rest. */
async function countAreas(file: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>(
    [...AREAS.map(({ what }) => what), REST].map((a) => [a, 0]),
  );
  const script = spawn("perf", ["script", "-i", file, "-F", "ip,sym"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  let stack = "";
  const count = (): void => {
    if (stack === "") return;
    const what = AREAS.find(({ frames }) => frames.test(stack))?.what ?? REST;
    counts.set(what, (counts.get(what) ?? 0) + 1);
    stack = "";
  };
  // A sample is a line for each frame, and an empty one behind them.
  for await (const line of createInterface({ input: script.stdout })) {
    if (line.trim() === "") count();
    else stack += `${line}\n`;
  }
  count();
  return counts;
}

async function profile(): Promise<void> {
  const stack = await BenchStack.start();
  try {
    await stack.campaign("rounds-warm", RECIPIENTS);
    await rounds(stack, "rounds-warm");
    await stack.campaign("rounds-profiled", RECIPIENTS);
    const pid = workerdOf(stack.worker.pid);
    if (pid === null) throw new Error("there is no workerd to look at");
    const file = join(temporaryFolder("profile"), "perf.data");
    const milliseconds = await recorded(pid, file, () => rounds(stack, "rounds-profiled"));
    const counts = await countAreas(file);
    const all = [...counts.values()].reduce((sum, each) => sum + each, 0);
    console.log(
      `${milliseconds.length} batches of 100, ${figure(median(meansOf(milliseconds, 10)))} ms each while ` +
        `${all.toLocaleString("en-US")} samples were taken\n`,
    );
    for (const [what, count] of counts) {
      console.log(`  ${what.padEnd(40)} ${figure((count / all) * 100).padStart(6)} %`);
    }
  } finally {
    await stack.stop();
  }
}

if (spawnSync("perf", ["--version"]).status === 0) await profile();
else {
  console.error("there is no perf here (Debian's package linux-perf, on Linux alone)");
  process.exitCode = 1;
}
process.exit();
