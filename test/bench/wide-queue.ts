/**
 * A queue with as many consumers as wrangler.toml allows, where the local one hands out one batch at a
 * time and waits for its slowest message. What nobody has acknowledged is kept in D1 and handed out
 * again after a crash, as it is by Cloudflare's queues; the local one forgets it.
 *
 * A consumer is a request of the harness that stays open: what an object has put here is taken by
 * whoever is free.
 */
import { DISPATCH_QUEUE, consumeQueue } from "../../src/queue/consume.ts";
import type { ConsumerDeps, QueueMessage } from "../../src/queue/deps.ts";

/** Ids of campaigns that use it begin with this. */
export const WIDE = "wide-";
/** As in wrangler.toml: `max_batch_size`, `max_concurrency`. */
const MESSAGES_A_BATCH = 25;
export const WIDE_CONSUMERS = 20;
const LOOK_MILLISECONDS = 5;

const TABLE = `CREATE TABLE IF NOT EXISTS wide_queue (
  id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT NOT NULL
) STRICT`;
const KEPT = "SELECT id, body FROM wide_queue ORDER BY id";
const PUT = "INSERT INTO wide_queue (body) SELECT value FROM json_each(?1) RETURNING id, body";
const DROP = "DELETE FROM wide_queue WHERE id IN (SELECT value FROM json_each(?1))";

type Kept = { readonly id: number; readonly body: string };

/** Of this isolate, of which `wrangler dev` has one. */
const waiting: Kept[] = [];
let opened: Promise<void> | null = null;

/** Once in the life of an isolate: what an earlier one has left is waiting again. */
function open(db: D1Database): Promise<void> {
  opened ??= (async () => {
    await db.prepare(TABLE).run();
    waiting.push(...(await db.prepare(KEPT).all<Kept>()).results);
  })();
  return opened;
}

/** Where such a campaign's object sends its dispatches. */
export function wideQueue(db: D1Database): Queue {
  return {
    async sendBatch(messages: Iterable<MessageSendRequest>) {
      await open(db);
      const bodies = JSON.stringify([...messages].map(({ body }) => JSON.stringify(body)));
      waiting.push(...(await db.prepare(PUT).bind(bodies).all<Kept>()).results);
      return { metadata: { metrics: { backlogCount: waiting.length, backlogBytes: 0 } } };
    },
  } as unknown as Queue;
}

/** Handles what is taken, and then forgets what was acknowledged. */
async function consume(db: D1Database, taken: readonly Kept[], deps: ConsumerDeps): Promise<void> {
  const done: number[] = [];
  const messages = taken.map((kept): QueueMessage => ({
    id: `wide-${kept.id}`,
    body: JSON.parse(kept.body),
    attempts: 1,
    ack: () => void done.push(kept.id),
    retry: () => void waiting.push(kept),
  }));
  await consumeQueue({ queue: DISPATCH_QUEUE, messages }, deps);
  await db.prepare(DROP).bind(JSON.stringify(done)).run();
}

/** One consumer, until the request that it runs in is given up. */
export async function consumeWide(db: D1Database, deps: ConsumerDeps): Promise<never> {
  await open(db);
  for (;;) {
    const taken = waiting.splice(0, MESSAGES_A_BATCH);
    if (taken.length > 0) await consume(db, taken, deps);
    else await scheduler.wait(LOOK_MILLISECONDS);
  }
}
