/**
 * How much viewers of the live stream slow the campaign that they watch: the same campaign with 1,
 * 100, 1,000 and 5,000 who ask to watch, beside the same without any, in turn on one stack. The
 * viewers share the machine with it. One campaign lets MAX_VIEWERS in; the rest are told to come later.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { MAX_VIEWERS } from "../../src/domain/limits.ts";
import { aimed, figure, median, type Part, type Row } from "./measure.ts";
import { BenchStack, secondsOf } from "./stack.ts";

const WATCHING = [1, 100, 1_000, 5_000];
const ROUNDS = 2;
const RECIPIENTS = 5_000;
/** The provider's pace: as fast as a campaign of one account ever is watched. */
const REQUESTS_PER_SECOND = 10;
const CONNECT_AT_A_TIME = 50;
const SLOWER_AT_MOST = 0.05;

/** Those that were let in, and how many messages each has had on average. */
class Audience {
  refused = 0;
  readonly #sockets: WebSocket[] = [];
  #messages = 0;

  static async gather(stack: BenchStack, id: string, count: number): Promise<Audience> {
    const audience = new Audience();
    for (let at = 0; at < count; at += CONNECT_AT_A_TIME) {
      const some = Math.min(CONNECT_AT_A_TIME, count - at);
      await Promise.all(Array.from({ length: some }, () => audience.#join(stack, id)));
    }
    return audience;
  }

  async #join(stack: BenchStack, id: string): Promise<void> {
    const url = `${stack.url.replace("http", "ws")}/api/campaigns/${id}/live`;
    const headers = { authorization: `Bearer ${stack.token}` };
    // Node's WebSocket takes headers beside the standard's arguments.
    const socket = new WebSocket(url, { headers } as unknown as string[]);
    const isIn = await new Promise<boolean>((resolve) => {
      socket.addEventListener("message", () => {
        this.#messages += 1;
        resolve(true);
      });
      socket.addEventListener("error", () => resolve(false));
    });
    if (isIn) this.#sockets.push(socket);
    else this.refused += 1;
  }

  get size(): number {
    return this.#sockets.length;
  }

  perViewer(): number {
    return this.size === 0 ? 0 : this.#messages / this.size;
  }

  leave(): void {
    for (const socket of this.#sockets) socket.close();
  }
}

type Run = { readonly seconds: number; readonly size: number; readonly perViewer: number };

async function run(stack: BenchStack, id: string, watching: number): Promise<Run> {
  await stack.campaign(id, RECIPIENTS);
  const audience = await Audience.gather(stack, id, watching);
  const expected = Math.min(watching, MAX_VIEWERS);
  if (audience.size !== expected) throw new Error(`${audience.size} of ${expected} were let in`);
  await stack.api.start(id);
  const seconds = secondsOf(await stack.finished(id));
  // The last message goes out a pulse after the end, to all within a few of them.
  await sleep(1_000);
  audience.leave();
  return { seconds, size: audience.size, perViewer: audience.perViewer() };
}

function rowsOf(alone: readonly Run[], watched: ReadonlyMap<number, readonly Run[]>): Row[] {
  const without = median(alone.map(({ seconds }) => seconds));
  const samples = alone.map(({ seconds }) => seconds);
  const rows: Row[] = [{ what: "nobody watches", unit: "s a campaign", samples }];
  for (const [watching, runs] of watched) {
    const taken = runs.map(({ seconds }) => seconds);
    const slower = median(taken) / without - 1;
    const [size, perViewer] = [runs[0]?.size ?? 0, median(runs.map((each) => each.perViewer))];
    const asked = watching.toLocaleString("en-US");
    const some = size === watching ? "" : `, ${size.toLocaleString("en-US")} are let in`;
    rows.push({
      what: `${asked} ask to watch${some}`,
      unit: "s a campaign",
      samples: taken,
      ratio: `${figure(slower * 100)} % slower, ${figure(perViewer)} messages each`,
      aim: aimed("at most 5 % slower", slower <= SLOWER_AT_MOST),
    });
  }
  return rows;
}

export const watchers: Part = {
  name: "watchers",
  title: `Live viewers of a campaign of 5,000 at ${REQUESTS_PER_SECOND} requests a second`,
  async run() {
    const stack = await BenchStack.start(REQUESTS_PER_SECOND);
    try {
      await run(stack, "warm", 0);
      const alone: Run[] = [];
      const watched = new Map<number, Run[]>(WATCHING.map((count) => [count, []]));
      for (let round = 0; round < ROUNDS; round += 1) {
        alone.push(await run(stack, `alone-${round}`, 0));
        for (const [count, runs] of watched) {
          runs.push(await run(stack, `watched-${round}-${count}`, count));
        }
      }
      return rowsOf(alone, watched);
    } finally {
      await stack.stop();
    }
  },
};
