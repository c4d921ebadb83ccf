/** Runs the two naive pipelines, one after the other, in one `wrangler dev`. */
import { startWorker, temporaryFolder, type Running } from "../support/processes.ts";
import type { Pipeline } from "./naive/message.ts";
import type { NaiveProgress } from "./naive/worker.ts";
import { countAccepted, openForRun } from "./provider-count.ts";
import { follow, type RunResult } from "./run.ts";
import { count, ProgressBar } from "./terminal.ts";

/** Starts the naive Worker, with the segment in its D1. */
export async function startNaive(standIn: Running): Promise<Running> {
  const worker = await startWorker({
    config: "test/demo/naive/wrangler.toml",
    vars: { RESEND_BASE_URL: standIn.url, RESEND_API_KEY: "re_demo" },
    persistTo: temporaryFolder("naive"),
    readyPath: "/healthz",
  });
  await ask(worker, "/audience", "POST");
  return worker;
}

export async function runNaive(
  worker: Running,
  standIn: Running,
  pipeline: Pipeline,
  name: string,
): Promise<RunResult> {
  await openForRun(standIn.url);
  const bar = new ProgressBar(name);
  await ask(worker, `/start?pipeline=${pipeline}`, "POST");
  let tally: NaiveProgress["tally"] | null = null;
  let mails = 0;
  const seconds = await follow([worker, standIn], async () => {
    const progress = await naiveProgress(worker, pipeline);
    ({ tally } = progress);
    mails = (await countAccepted(standIn.url)).accepted;
    const where = `${progress.acknowledged} of ${progress.messages} messages acknowledged`;
    bar.update(progress.acknowledged / progress.messages, `${count(mails)} mails accepted`);
    return { over: progress.acknowledged === progress.messages, where };
  });
  bar.end(`${count(mails)} mails accepted`);
  if (tally === null) throw new Error("a run without a single look at it");
  return { name, seconds, tally, count: await countAccepted(standIn.url) };
}

async function naiveProgress(worker: Running, pipeline: Pipeline): Promise<NaiveProgress> {
  const response = await ask(worker, `/progress?pipeline=${pipeline}`, "GET");
  return response.json<NaiveProgress>();
}

async function ask(worker: Running, path: string, method: string): Promise<Response> {
  const response = await fetch(worker.url + path, { method });
  if (response.ok) return response;
  throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
}
