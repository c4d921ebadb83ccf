/**
 * The two naive pipelines, each on a queue of its own, and three routes for the demo that runs
 * them. A message is acknowledged when its handler has returned and goes back to the queue when it
 * threw, as in any consumer.
 */
import { fillAudience, readAudience } from "../audience.ts";
import { Faults, messageSizes, type Tally } from "../faults.ts";
import { createMailer, type Mailer } from "./mailer.ts";
import { parsePipeline, type MailMessage, type NaiveEnv, type Pipeline } from "./message.ts";
import { sendWithoutLedger } from "./no-ledger.ts";
import { createRows, sendRowFirst } from "./row-first.ts";

const SEND_AT_ONCE = 20; // Messages of 100 recipients: well below the 256 KB of one sendBatch.

/** What the demo asks for while a pipeline runs. */
export type NaiveProgress = {
  readonly messages: number;
  readonly acknowledged: number;
  readonly tally: Tally;
};

/** One run. It lives in the isolate: `wrangler dev` has one, and the demo runs each once. */
class Run {
  readonly faults = new Faults();
  readonly mailer: Mailer;
  readonly acknowledged = new Set<number>();
  constructor(pipeline: Pipeline, env: NaiveEnv) {
    const options = {
      apiKey: env.RESEND_API_KEY,
      baseUrl: env.RESEND_BASE_URL,
      campaign: pipeline,
    };
    this.mailer = createMailer(options, this.faults);
  }
}
const runs = new Map<Pipeline, Run>();

function runOf(pipeline: Pipeline, env: NaiveEnv): Run {
  const run = runs.get(pipeline) ?? new Run(pipeline, env);
  runs.set(pipeline, run);
  return run;
}

async function start(pipeline: Pipeline, env: NaiveEnv): Promise<void> {
  await createRows(env.AUDIENCE);
  const customers = await readAudience(env.AUDIENCE);
  let from = 0;
  const messages = messageSizes().map((size, index): MailMessage => {
    from += size;
    return { batch: index + 1, recipients: customers.slice(from - size, from) };
  });
  const queue = pipeline === "no-ledger" ? env.NO_LEDGER : env.ROW_FIRST;
  for (let first = 0; first < messages.length; first += SEND_AT_ONCE) {
    const some = messages.slice(first, first + SEND_AT_ONCE);
    await queue.sendBatch(some.map((body) => ({ body, contentType: "json" })));
  }
}

async function handle(message: Message<MailMessage>, pipeline: Pipeline, env: NaiveEnv) {
  const run = runOf(pipeline, env);
  try {
    if (pipeline === "no-ledger") await sendWithoutLedger(message.body, run.mailer);
    else await sendRowFirst(message.body, run.mailer, env.AUDIENCE);
    message.ack();
    run.acknowledged.add(message.body.batch);
  } catch (error) {
    console.warn(`${pipeline}: batch ${message.body.batch} goes back: ${String(error)}`);
    message.retry();
  }
}

async function answer(request: Request, env: NaiveEnv): Promise<Response> {
  const url = new URL(request.url);
  if (url.pathname === "/healthz") return new Response("up");
  if (url.pathname === "/audience") {
    await fillAudience(env.AUDIENCE);
    return Response.json({ filled: true });
  }
  const pipeline = parsePipeline(url.searchParams.get("pipeline"));
  if (pipeline === null) return new Response("no such pipeline", { status: 404 });
  if (url.pathname === "/start") await start(pipeline, env);
  const run = runOf(pipeline, env);
  const progress: NaiveProgress = {
    messages: messageSizes().length,
    acknowledged: run.acknowledged.size,
    tally: run.faults.tally(),
  };
  return Response.json(progress);
}

export default {
  fetch: answer,
  async queue(batch, env) {
    const pipeline = parsePipeline(batch.queue);
    if (pipeline === null) throw new Error(`no pipeline reads the queue ${batch.queue}`);
    await Promise.all(batch.messages.map((message) => handle(message, pipeline, env)));
  },
} satisfies ExportedHandler<NaiveEnv, MailMessage>;
