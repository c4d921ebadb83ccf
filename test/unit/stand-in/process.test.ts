/** The stand-in as a process of its own: its truth survives a kill at any moment. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Resend } from "resend";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { StandInControl } from "../../support/stand-in-client.ts";
import { mails } from "./fixture.ts";

const MAIN = fileURLToPath(new URL("../../stand-in/main.ts", import.meta.url));
const TIME_LIMIT = { timeout: 60_000 };
let folder = "";
let running: ChildProcess | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "stand-in-process-"));
});
afterEach(() => running?.kill("SIGKILL"));
afterAll(() => rm(folder, { recursive: true }));

type Started = { readonly url: string; readonly stdout: () => string; kill(): Promise<void> };

async function start(...args: readonly string[]): Promise<Started> {
  const child = spawn(process.execPath, [MAIN, "--port", "0", ...args], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  running = child;
  const exited = new Promise<void>((done) => child.once("exit", () => done()));
  let stdout = "";
  const port = await new Promise<number>((listening, failed) => {
    child.once("exit", () => failed(new Error("the stand-in ended before it listened")));
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString("utf8");
      if (stdout.includes("\n")) listening((JSON.parse(stdout) as { port: number }).port);
    });
  });
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
  };
  return { url: `http://127.0.0.1:${port}`, stdout: () => stdout, kill };
}

function send(url: string, batch: number) {
  const resend = new Resend("re_test", { baseUrl: url });
  const list = mails(100, `b${batch}_`);
  return resend.batch.send(list, { idempotencyKey: `c:${batch}`, batchValidation: "permissive" });
}

it("prints one line of JSON and nothing else", TIME_LIMIT, async () => {
  const standIn = await start();
  await send(standIn.url, 1);
  expect(standIn.stdout()).toMatch(/^\{"port":\d+\}\n$/u);
});

it(
  "G7: killed under load, it still gives each answered key its first answer",
  TIME_LIMIT,
  async () => {
    const log = ["--log", join(folder, "log.ndjson")];
    const first = await start(...log);
    const answered = new Map<number, unknown>();
    const batches = Array.from({ length: 60 }, (_, batch) => batch);
    await Promise.all(
      batches.map(async (batch) => {
        const { data } = await send(first.url, batch);
        if (data !== null) answered.set(batch, data);
        // Some have been answered, others are on their way.
        if (answered.size === 20) await first.kill();
      }),
    );
    expect(answered.size).toBeGreaterThanOrEqual(20);
    const second = await start(...log);
    for (const batch of batches) {
      const { data } = await send(second.url, batch);
      expect(data?.data).toHaveLength(100);
      if (answered.has(batch)) expect(data).toEqual(answered.get(batch));
    }
    expect(await new StandInControl(second.url).counts()).toMatchObject({
      accepted: 6000,
      duplicates: 0,
    });
  },
);
