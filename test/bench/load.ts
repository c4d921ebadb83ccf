/**
 * `npm run bench:load`: what a minute of reads does to a campaign that is sent at the provider's limit.
 *
 *   npm run bench:load -- [--recipients 60000] [--readers 16] [--local-queue] [--without READ]…
 *
 * The same campaign twice on one stack, without readers and with as many reads as the machine gives:
 * each reader asks for the next thing as soon as it has the last, and looks at every answer
 * (load-reads.ts). Sendonce, provider and readers share the cores. How busy these were is told for both
 * runs: a load that leaves them idle, or a machine that does something else meanwhile, shows nothing.
 * An answer is right, wrong, an honest 503 (a problem of the contract that says when to ask again), or
 * a failure, which is anything else.
 *
 * The campaigns have the twenty consumers that wrangler.toml asks for (wide-queue.ts). The local queue
 * hands out 25 messages and waits for the slowest of them, so under load it adds the latency of a whole
 * call to each 25, which no other queue does; `--local-queue` measures it.
 */
import { availableParallelism, cpus } from "node:os";
import { parseArgs } from "node:util";
import { breaches } from "../support/contract.ts";
import { nothingSeen, TURN, type Read, type Seen, type Target } from "./load-reads.ts";
import { figure } from "./measure.ts";
import { BenchStack, secondsOf } from "./stack.ts";
import { openConsumers } from "./whole-campaign.ts";
import { WIDE } from "./wide-queue.ts";

const REQUESTS_PER_SECOND = 10;
const WARM_RECIPIENTS = 2_000;
const SLOWER_AT_MOST = 0.1;
/** Complaints that are printed; all are counted. */
const SHOWN = 10;

type Tally = { asked: number; wrong: number; failed: number; busy: number; milliseconds: number };

const emptyTally = (): Tally => ({ asked: 0, wrong: 0, failed: 0, busy: 0, milliseconds: 0 });

/** The readers of one campaign, from `begin` until `end` has answered. */
class Readers {
  readonly tallies = new Map<string, Tally>();
  readonly complaints: string[] = [];
  readonly #stack: BenchStack;
  readonly #target: Target;
  readonly #turn: readonly Read[];
  #isOver = false;
  #all: Promise<unknown> = Promise.resolve();

  constructor(stack: BenchStack, target: Target, turn: readonly Read[]) {
    this.#stack = stack;
    this.#target = target;
    this.#turn = turn;
  }

  begin(count: number): void {
    this.#all = Promise.all(Array.from({ length: count }, (_, at) => this.#reader(at, count)));
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#all;
  }

  /** Each begins at another place of the turn, so that all reads are always under way. */
  async #reader(at: number, count: number): Promise<void> {
    const seen = nothingSeen();
    const first = Math.floor((at * this.#turn.length) / count);
    for (let turn = first; !this.#isOver; turn += 1) {
      const read = this.#turn[turn % this.#turn.length];
      if (read !== undefined) await this.#ask(read, seen, turn);
    }
  }

  async #ask(read: Read, seen: Seen, turn: number): Promise<void> {
    const tally = this.tallies.get(read.name) ?? emptyTally();
    this.tallies.set(read.name, tally);
    const path = read.path(this.#target, seen, turn);
    const began = performance.now();
    tally.asked += 1;
    try {
      const headers = { authorization: `Bearer ${this.#stack.token}` };
      const response = await fetch(this.#stack.url + path, { headers });
      const text = await response.text();
      tally.milliseconds += performance.now() - began;
      this.#judge(read, path, response, text, seen);
    } catch (error) {
      tally.failed += 1;
      this.complaints.push(`failed: ${path}: ${String(error)}`);
    }
  }

  #judge(read: Read, path: string, response: Response, text: string, seen: Seen): void {
    const { status, headers } = response;
    const type = headers.get("content-type") ?? "";
    const body: unknown = type.includes("json") ? JSON.parse(text) : text;
    const faults = breaches({ method: "GET", path, status, type, body });
    const isHonest = faults.length === 0 && Number(headers.get("retry-after")) > 0;
    const tally = this.tallies.get(read.name) ?? emptyTally();
    if (status === 503 && isHonest) {
      tally.busy += 1;
    } else if (status !== 200) {
      tally.failed += 1;
      this.complaints.push(`failed: ${path}: ${status} ${text.slice(0, 300)}`);
    } else {
      if (faults.length === 0) faults.push(...read.faults(body, this.#target, seen, path));
      if (faults.length === 0) return;
      tally.wrong += 1;
      this.complaints.push(`wrong: ${path}: ${faults.slice(0, 3).join("; ")}`);
    }
  }
}

/** What all cores of the machine have done since it was started, whoever had them do it. */
type CoreTimes = { readonly idle: number; readonly all: number };

function coreTimes(): CoreTimes {
  const times = cpus().map((core) => core.times);
  const idle = times.reduce((sum, each) => sum + each.idle, 0);
  const all = times.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, idle);
  return { idle, all };
}

/** The share of the cores that was in use since then. */
function busySince(before: CoreTimes): number {
  const { idle, all } = coreTimes();
  return 1 - (idle - before.idle) / (all - before.all);
}

type Run = { readonly seconds: number; readonly coresBusy: number; readonly readers: Readers };

async function run(
  stack: BenchStack,
  target: Target,
  count: number,
  turn: readonly Read[],
): Promise<Run> {
  const { id, recipients } = target;
  await stack.provider.reset();
  await stack.campaign(id, recipients);
  const readers = new Readers(stack, target, turn);
  await stack.api.start(id);
  const before = coreTimes();
  readers.begin(count);
  const seconds = secondsOf(await stack.finished(id));
  const coresBusy = busySince(before);
  await readers.end();
  const { accepted, duplicates } = await stack.provider.counts();
  if (accepted !== recipients || duplicates !== 0) {
    throw new Error(`${accepted} of ${recipients} mails were accepted, ${duplicates} twice`);
  }
  return { seconds, coresBusy, readers };
}

function total(tallies: Iterable<Tally>): Tally {
  const sum = emptyTally();
  for (const each of tallies) {
    for (const name of Object.keys(sum) as (keyof Tally)[]) sum[name] += each[name];
  }
  return sum;
}

function print(alone: Run, loaded: Run): boolean {
  const { seconds, readers } = loaded;
  for (const line of readers.complaints.slice(0, SHOWN)) console.log(line);
  const cells = (name: string, { asked, wrong, failed, busy, milliseconds }: Tally): string =>
    [asked, asked / seconds, milliseconds / asked, wrong, failed, busy]
      .map((value) => figure(value).replace(/\.00$/, "").padStart(9))
      .join("")
      .replace(/^/, name.padEnd(18));
  const headings = ["asked", "a second", "ms each", "wrong", "failed", "503"];
  console.log(`${"".padEnd(18)}${headings.map((each) => each.padStart(9)).join("")}`);
  for (const [name, tally] of readers.tallies) console.log(cells(name, tally));
  const all = total(readers.tallies.values());
  console.log(cells("all", all));
  const slower = seconds / alone.seconds - 1;
  const isMet = all.wrong === 0 && all.failed === 0 && slower <= SLOWER_AT_MOST;
  const times = `${figure(alone.seconds)} s without readers, ${figure(seconds)} s with them`;
  console.log(`\n${times}: ${figure(slower * 100)} % slower`);
  const shares = [alone, loaded].map(({ coresBusy }) => `${figure(coresBusy * 100)} %`);
  console.log(`${availableParallelism()} cores, in use for ${shares.join(" and ")} of that time`);
  const verdict = isMet ? "met" : "MISSED";
  console.log(`none wrong, none failed but by an honest 503, at most 10 % slower: ${verdict}`);
  return isMet;
}

type Options = {
  recipients: number;
  readers: number;
  turn: readonly Read[];
  isLocalQueue: boolean;
};

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      recipients: { type: "string", default: "60000" },
      readers: { type: "string", default: "16" },
      without: { type: "string", multiple: true, default: [] },
      "local-queue": { type: "boolean", default: false },
    },
  });
  const [recipients, readers] = [Number(values.recipients), Number(values.readers)];
  for (const [name, value] of Object.entries({ recipients, readers })) {
    if (!Number.isInteger(value) || value < 1) throw new Error(`--${name}: a whole number from 1`);
  }
  const unknown = values.without.find((name) => !TURN.some((read) => read.name === name));
  if (unknown !== undefined) throw new Error(`--without ${unknown}: there is no such read`);
  const turn = TURN.filter((read) => !values.without.includes(read.name));
  return { recipients, readers, turn, isLocalQueue: values["local-queue"] };
}

async function main(): Promise<void> {
  const { recipients, readers, turn, isLocalQueue } = readOptions();
  const prefix = isLocalQueue ? "local-" : WIDE;
  const stack = await BenchStack.start(REQUESTS_PER_SECOND);
  const end = openConsumers(stack);
  try {
    await run(stack, { id: `${prefix}warm`, recipients: WARM_RECIPIENTS }, readers, turn);
    const alone = await run(stack, { id: `${prefix}alone`, recipients }, 0, turn);
    const loaded = await run(stack, { id: `${prefix}read`, recipients }, readers, turn);
    const queue = isLocalQueue ? "the local queue" : "20 consumers";
    const size = `${figure(recipients)} recipients, ${REQUESTS_PER_SECOND} requests a second`;
    console.log(`${size}, ${queue}, ${readers} readers\n`);
    if (!print(alone, loaded)) process.exitCode = 1;
  } finally {
    end();
    await stack.stop();
  }
}

await main();
process.exit();
