/**
 * `npm run bench:peers`: the usual audit (a row for each recipient before the call, its update after it)
 * on Redis, BullMQ and PostgreSQL, beside Sendonce's reserve and report of the same 100 recipients.
 *
 * Each peer is a private server on this machine and as durable as Sendonce is: what it has answered is
 * on disk. They do less: no lease, no token, no counters, no suppression, no frozen batch.
 */
import { Queue, QueueEvents, Worker } from "bullmq";
import { Redis } from "ioredis";
import postgres, { type Sql } from "postgres";
import { hasRedis, REDIS_MISSING, startRedis } from "../examples/redis.ts";
import { figure, median, timed, type Row } from "./measure.ts";
import { hasPostgres, POSTGRES_MISSING, startPostgres } from "./postgres.ts";
import { reserveReport } from "./reserve-report.ts";
import { printHeadings, printPart } from "./table.ts";

const RECIPIENTS = 100;
const ROUNDS = 30;
const UNIT = "ms a batch of 100";

type Way = { readonly what: string; round(ids: readonly string[]): Promise<unknown> };

async function measure(ways: readonly Way[]): Promise<Row[]> {
  const samples = new Map<Way, number[]>(ways.map((way) => [way, []]));
  // The first round of each warms it up. The ways take turns, so that none has the quiet machine.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [way, milliseconds] of samples) {
      const ids = Array.from({ length: RECIPIENTS }, (_, at) => `${way.what}-${round}-${at}`);
      const taken = await timed(1, () => way.round(ids));
      if (round > 0) milliseconds.push(...taken);
    }
  }
  return ways.map((way) => ({ what: way.what, unit: UNIT, samples: samples.get(way) ?? [] }));
}

const sentAs = (id: string): string => JSON.stringify({ status: "sent", providerId: `mail-${id}` });

function redisWays(redis: Redis): Way[] {
  return [
    {
      what: "Redis, a key set and updated each",
      async round(ids) {
        for (const id of ids) await redis.set(id, "reserved", "NX");
        for (const id of ids) await redis.set(id, sentAs(id), "XX");
      },
    },
    {
      what: "Redis, the same in two pipelines",
      async round(ids) {
        await exec(ids.reduce((line, id) => line.set(id, "reserved", "NX"), redis.pipeline()));
        await exec(ids.reduce((line, id) => line.set(id, sentAs(id), "XX"), redis.pipeline()));
      },
    },
  ];
}

async function exec(pipeline: ReturnType<Redis["pipeline"]>): Promise<void> {
  for (const [error] of (await pipeline.exec()) ?? []) if (error !== null) throw error;
}

/** A job for each recipient, told apart by its id, whose worker keeps the audit in Redis. */
function bullWay(redis: Redis, queue: Queue, events: QueueEvents): Way {
  return {
    what: "BullMQ, a job each with its audit in Redis",
    async round(ids) {
      const jobs = await queue.addBulk(
        ids.map((id) => ({ name: "mail", data: { id }, opts: { jobId: id } })),
      );
      await Promise.all(jobs.map((job) => job.waitUntilFinished(events)));
      if ((await redis.exists(...ids)) !== ids.length) throw new Error("an audit is missing");
    },
  };
}

async function withRedis(): Promise<Row[]> {
  const server = await startRedis({ appendonly: "yes", appendfsync: "always" });
  const connection = { host: "127.0.0.1", port: server.port, maxRetriesPerRequest: null };
  const redis = new Redis(connection);
  const queue = new Queue("audit", { connection });
  const events = new QueueEvents("audit", { connection });
  // Each job that is waited for listens for the end of its queue.
  for (const each of [queue, events]) each.setMaxListeners(RECIPIENTS * 2);
  const audit = async ({ data: { id } }: { data: { id: string } }): Promise<void> => {
    await redis.set(id, "reserved", "NX");
    await redis.set(id, sentAs(id), "XX");
  };
  const worker = new Worker<{ id: string }>("audit", audit, { connection, concurrency: 25 });
  try {
    await events.waitUntilReady();
    return await measure([...redisWays(redis), bullWay(redis, queue, events)]);
  } finally {
    await Promise.all([worker.close(), events.close(), queue.close()]);
    redis.disconnect();
    await server.stop();
  }
}

const TABLE = `CREATE TABLE ledger (
  recipient text PRIMARY KEY, status text NOT NULL, provider_id text, updated_at timestamptz NOT NULL
)`;

function postgresWays(sql: Sql): Way[] {
  return [
    {
      what: "PostgreSQL, a row inserted and updated each",
      async round(ids) {
        for (const id of ids) {
          await sql`INSERT INTO ledger VALUES (${id}, 'reserved', NULL, now()) ON CONFLICT DO NOTHING`;
        }
        for (const id of ids) {
          await sql`UPDATE ledger SET status = 'sent', provider_id = ${`mail-${id}`},
            updated_at = now() WHERE recipient = ${id}`;
        }
      },
    },
    {
      what: "PostgreSQL, the same in two statements",
      async round(ids) {
        await sql`INSERT INTO ledger SELECT id, 'reserved', NULL, now()
          FROM unnest(${sql.array([...ids])}::text[]) AS id ON CONFLICT DO NOTHING`;
        await sql`UPDATE ledger SET status = 'sent', provider_id = 'mail-' || recipient,
          updated_at = now() WHERE recipient = ANY(${sql.array([...ids])}::text[])`;
      },
    },
  ];
}

async function withPostgres(): Promise<Row[]> {
  const server = await startPostgres();
  const options = { host: "127.0.0.1", port: server.port, user: "postgres", max: 1 };
  const sql = postgres({ ...options, database: "postgres" });
  try {
    await sql.unsafe(TABLE);
    return await measure(postgresWays(sql));
  } finally {
    await sql.end();
    await server.stop();
  }
}

async function main(): Promise<void> {
  printHeadings();
  const [ours] = await reserveReport.run();
  if (ours === undefined) throw new Error("nothing to compare with");
  const peers = [
    ...(hasRedis ? await withRedis() : []),
    ...(hasPostgres ? await withPostgres() : []),
  ];
  const compared = peers.map((row) => {
    const times = median(row.samples) / median(ours.samples);
    return { ...row, ratio: `${figure(times)} × Sendonce's time` };
  });
  printPart("The audit of 100 recipients, each on disk", [ours, ...compared], process.uptime());
  if (!hasRedis) console.log(`\n${REDIS_MISSING}`);
  if (!hasPostgres) console.log(`\n${POSTGRES_MISSING}`);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
process.exit();
