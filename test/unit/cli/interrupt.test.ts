/** Ctrl-C ends a command, whatever it waits for, and a script sees that it was not done. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { command } from "./capture.ts";
import { served } from "./served.ts";

const { folder, server } = served();
const env = () => ({ SENDONCE_URL: server.url, SENDONCE_TOKEN: "secret" });

/** A network on which nothing is ever answered. */
const hangs: typeof fetch = async (_, init) => {
  init?.signal?.throwIfAborted();
  return new Promise((_resolve, reject) => {
    init?.signal?.addEventListener("abort", () => reject(init.signal?.reason as Error));
  });
};

it.each([
  ["import", "spring", "list.csv"],
  ["start", "spring"],
  ["status"],
  ["recipients", "spring", "--all"],
  ["export", "spring"],
  ["suppress", "add", "ada@mail.example"],
])("ends with 130 while the server is silent: %s %s %s", async (...args) => {
  writeFileSync(join(folder, "list.csv"), "email\nada@mail.example\n");
  const interruption = new AbortController();
  const { signal: interrupted } = interruption;
  const paths = args.map((arg) => (arg === "list.csv" ? join(folder, arg) : arg));
  const said = command(paths, { env: env(), interrupted, surroundings: { fetch: hangs } });
  interruption.abort();
  expect(await said).toEqual({
    code: 130,
    out: "",
    err: "sendonce: interrupted. What was asked before may have been carried out.\n",
  });
});

it("ends with 130 between two pages of a list, which is no whole one then", async () => {
  const page = {
    items: [{ address: "a@b.example", reason: "operator", at: "2026-12-01T09:00:00Z" }],
  };
  server.answers("GET /api/suppressions?limit=1000", { body: { ...page, cursor: "c" } });
  const interruption = new AbortController();
  const { signal: interrupted } = interruption;
  const out = async (): Promise<void> => interruption.abort();
  const said = await command(["suppress", "list", "--json"], { env: env(), interrupted, out });
  expect([said.code, said.err]).toEqual([130, '{"error":"interrupted"}\n']);
  expect(server.asked).toHaveLength(1);
});
