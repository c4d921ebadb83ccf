/** The tarball as others get it: packed, installed in an empty project, and used by each entry. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import { transform } from "esbuild";
import { publint } from "publint";
import type { Bindings } from "../../src/bindings.ts";
import { startStandIn, startWorker, temporaryFolder } from "../support/processes.ts";
import { StandInControl } from "../support/stand-in-client.ts";
import { nodes, pack, Project, type Packed } from "./project.ts";

const OWN_WORKER = `export { default, AccountObject, CampaignObject } from "sendonce/worker";
`;

/** The README's own example of the client. */
const FROM_YOUR_CODE = (() => {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const [, code] = /\*\*From your code\.\*\*.*?```ts\n(.*?)```/s.exec(readme) ?? [];
  if (code === undefined) throw new Error("the README has no example of the client");
  return code;
})();

/** A caller that exhausts what may go wrong, for the compiler. */
const EXHAUSTIVE = `
    import { resultOf, SendonceClient, type SendonceError } from "sendonce/client";
    const api = new SendonceClient({ url: "https://mail.example.org" });
    function told(error: SendonceError): string {
      switch (error.kind) {
        case "problem":
          return error.code === "wrongState" ? "too late" : error.code;
        case "unreachable":
          switch (error.reason) {
            case "noAnswer":
            case "timedOut":
            case "unreadable":
              return error.detail;
          }
      }
    }
    export async function start(): Promise<string> {
      const result = await resultOf(api.start("spring", { local: "2027-03-01T09:00", zone: "Europe/Berlin" }));
      return result.ok ? result.value.state : told(result.error);
    }
    // @ts-expect-error -- a code that there is not
    export const isTypo = (error: SendonceError): boolean => error.kind === "problem" && error.code === "wrongStat";
    // @ts-expect-error -- a file has to say what it is
    void api.upload("spring", { body: "email\\n" });
    export async function mails(): Promise<string[]> {
      const found: string[] = [];
      for await (const { email } of api.recipients("spring", { status: "failed" })) found.push(email);
      return found;
    }
  `;

const USES = {
  "client.ts": `
    import { SendonceClient } from "sendonce/client";
    const api = new SendonceClient({ url: "https://mail.example.org", token: "t" });
    export const state: Promise<"draft" | "finished" | string> =
      api.deliveryStatus("spring").then((status) => status.state);
    // @ts-expect-error -- there is no such setting
    void api.create({ name: "Spring", settings: { batchSzie: 1 } });
  `,
  "exhaustive.ts": EXHAUSTIVE,
  "from-your-code.ts": FROM_YOUR_CODE,
  "consumer.ts": `
    import { createConsumer, httpCampaign, NotAccepted, type Decision } from "sendonce/consumer";
    const campaign = httpCampaign({ url: "https://m.example.org", token: "t", campaignId: "spring" });
    const consumer = createConsumer({
      campaign,
      send: async ({ recipients, idempotencyKey, signal, deadline }) => {
        if (signal.aborted) throw new NotAccepted(idempotencyKey + deadline.toISOString());
        return recipients.map(({ id }) => ({ id, outcome: "sent", providerId: "x" }));
      },
    });
    export const handled: Promise<Decision> = consumer.handle({ id: "m1", limit: 1 });
    // @ts-expect-error -- an outcome that there is not
    createConsumer({ campaign, send: async () => [{ id: "a", outcome: "done" }] });
  `,
  "worker.ts": `
    import worker, { CampaignObject } from "sendonce/worker";
    import { createConsumer, rpcCampaign } from "sendonce/consumer";
    type Env = { CAMPAIGNS: DurableObjectNamespace<CampaignObject> };
    export { AccountObject, CampaignObject } from "sendonce/worker";
    export default {
      fetch: worker.fetch,
      async queue(batch: MessageBatch<{ limit: number }>, env: Env) {
        const stub = env.CAMPAIGNS.getByName("spring");
        // @ts-expect-error -- a reservation names itself
        void stub.reserve({ by: "limit", limit: 1 });
        const campaign = rpcCampaign(() => env.CAMPAIGNS.getByName("spring"));
        const consumer = createConsumer({ campaign, send: async () => [] });
        for (const { id, body } of batch.messages) await consumer.handle({ id, limit: body.limit });
      },
    };
  `,
};

const CONFIG = `name = "my-sendonce"
main = "own-worker.ts"
compatibility_date = "2026-10-15"
[assets]
directory = "node_modules/sendonce/dist/dashboard"
[[durable_objects.bindings]]
name = "CAMPAIGNS"
class_name = "CampaignObject"
[[durable_objects.bindings]]
name = "ACCOUNT"
class_name = "AccountObject"
[[migrations]]
tag = "v1"
new_sqlite_classes = ["CampaignObject", "AccountObject"]
`;

const IMPORTS = `
  const client = await import("sendonce/client");
  const consumer = await import("sendonce/consumer");
  const api = new client.SendonceClient({ url: "http://127.0.0.1:9", token: "t" });
  const campaign = consumer.httpCampaign({ url: "http://127.0.0.1:9", token: "t", campaignId: "c" });
  const { handle } = consumer.createConsumer({ campaign, send: async () => [] });
  const { action, reason, detail } = await handle({ id: "m", recipients: [{ email: "a@b.example" }] });
  console.log(JSON.stringify([typeof api.create, action, reason, detail.split(":")[0]]));
`;

let packed: Packed;
let project: Project;

beforeAll(() => {
  packed = pack();
  project = Project.install(packed.tarball);
});

describe("the package", () => {
  it("holds what is built, the README and the licence, and nothing else", () => {
    const beside = packed.files.filter((path) => !path.startsWith("dist/"));
    expect(beside.toSorted()).toEqual(["LICENSE", "README.md", "package.json"]);
    expect(packed.files).toContain("dist/dashboard/index.html");
    expect(packed.files.length).toBeLessThan(100);
  });

  it("has nothing that publint objects to", async () => {
    const { messages } = await publint({ pkgDir: `${import.meta.dirname}/../..`, strict: true });
    expect(messages).toEqual([]);
  });

  it.each(nodes())("is used by its entries on plain Node: %s", (node) => {
    project.write("use.mjs", IMPORTS);
    const { output, status } = project.run(node, ["use.mjs"]);
    expect(output).toBe('["function","retry","trouble","unreachable"]\n');
    expect(status).toBe(0);
  });

  it.each(nodes())("brings the command line: %s", (node) => {
    const command = "node_modules/sendonce/dist/cli.js";
    const version = project.run(node, [command, "--version"]);
    expect(version).toEqual({ status: 0, output: "0.1.0\n" });
    const linked = project.run("node_modules/.bin/sendonce", ["--help"]);
    expect(linked.status).toBe(0);
    expect(linked.output).toMatch(/^Usage: sendonce/m);
  });

  it.each(Object.entries(USES))(
    "has types for %s, and no declaration is at fault",
    (file, text) => {
      for (const name of ["@cloudflare/workers-types", "@types/node", "undici-types"]) {
        project.link(name);
      }
      project.write(file, text);
      const isWorker = file === "worker.ts";
      const types = isWorker ? "@cloudflare/workers-types" : "node";
      for (const [module, lib] of [
        ["nodenext", "es2024"],
        ["preserve", isWorker ? "es2024" : "es2024,dom"],
      ] as const) {
        const args = [
          "--noEmit",
          "--strict",
          "--exactOptionalPropertyTypes",
          "--skipLibCheck",
          "false",
        ];
        const how = [
          "--target",
          "es2024",
          "--module",
          module,
          "--lib",
          lib,
          "--types",
          types,
          file,
        ];
        const { output } = project.tool("typescript/bin/tsc", [...args, ...how]);
        expect(output).toBe("");
      }
    },
  );

  it("G1: runs the README's example on plain Node, against the whole stack", async () => {
    const [standIn, token] = [await startStandIn(), "operator-token-of-the-package"];
    const worker = await startWorker({
      config: "wrangler.toml",
      vars: {
        RESEND_BASE_URL: standIn.url,
        RESEND_API_KEY: "re_package",
        RESEND_WEBHOOK_SECRET: "whsec_dGVzdA==",
        OPERATOR_TOKEN: token,
        SIGNING_KEY: "a key",
      },
      persistTo: temporaryFolder("package"),
      readyPath: "/healthz",
    });
    try {
      const { code } = await transform(FROM_YOUR_CODE, { loader: "ts", format: "esm" });
      const control = new StandInControl(standIn.url);
      for (const [number, node] of nodes().entries()) {
        // Each Node has a campaign of its own, and starts it once.
        const id = `autumn-${number}`;
        project.write("from-your-code.mjs", code.replaceAll('"autumn"', JSON.stringify(id)));
        const env = { SENDONCE_URL: worker.url, SENDONCE_TOKEN: token };
        const { output, status } = project.run(node, ["from-your-code.mjs"], env);
        expect({ output, status, node }).toMatchObject({ status: 0 });
        expect(output.trimEnd().split("\n").at(-1)).toBe("finished 1");
        expect(await control.get(`counts?campaign=${id}`)).toMatchObject({ accepted: 1 });
      }
    } finally {
      await Promise.all([worker.stop(), standIn.stop()]);
    }
  });

  it("gives its objects to a Worker of one's own", () => {
    project.write("own-worker.ts", OWN_WORKER);
    project.write("wrangler.toml", CONFIG);
    const args = ["deploy", "--dry-run", "--outdir", "out"];
    const { output, status } = project.tool("wrangler/bin/wrangler.js", args);
    expect(output).toMatch(/env\.CAMPAIGNS \(CampaignObject\)/);
    expect(output).toMatch(/--dry-run: exiting now/);
    expect(status).toBe(0);
  });

  it("says of its bindings what wrangler says of them", () => {
    expectTypeOf<Env>().toExtend<Bindings>();
    expectTypeOf<keyof Env>().exclude<keyof Bindings | "ASSETS">().toBeNever();
  });

  it("is made of ES modules that ask for no other package: client and consumer", () => {
    for (const file of ["client.js", "consumer.js"]) {
      const path = join(project.folder, "node_modules/sendonce/dist", file);
      const module = readFileSync(path, "utf8");
      expect(module).not.toMatch(/^\s*import\b|^export .* from|\bimport\(|\brequire\(/m);
      // What a page loads of it: small, without a tool that would make it smaller.
      expect(module.length).toBeLessThan(file === "client.js" ? 60_000 : 100_000);
    }
  });
});
