/**
 * Every command of the documents, typed as it stands: wrangler against a stand-in of Cloudflare, the
 * rest against a stack that runs here. And every transcript of the guides, against a fresh run.
 */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASE_ID, flagsIn, ruleFor, scriptsIn } from "./commands.ts";
import { commandsOf, DOCUMENTS, ROOT, textOf, transcriptsOf } from "./document.ts";
import { rerun } from "./run-transcripts.ts";
import { Session, type Printed } from "./session.ts";
import { Stage } from "./stage.ts";

const DEPLOY = "src/guide/deploy.md";
const MOVING = "src/guide/moving.md";
const OPERATING = "src/guide/operating.md";
/** What a document says in place of the reader's own deployment. */
const PLACEHOLDERS = /https:\/\/sendonce\.example\.workers\.dev|http:\/\/127\.0\.0\.1:8787/g;

let stage: Stage;
const sessions: Session[] = [];

async function open(): Promise<Session> {
  const session = await Session.open(stage.env);
  sessions.push(session);
  return session;
}

beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(async () => {
  await Promise.all([...sessions.map((session) => session.close()), stage?.close()]);
});

/** Types what is to be run of a document. */
async function walk(document: string, session: Session): Promise<Printed[]> {
  const commands = commandsOf(textOf(document)).flatMap((command) => {
    const rule = ruleFor(command);
    if (rule?.how !== "run") return [];
    return [{ ...rule, command: command.replaceAll(PLACEHOLDERS, stage.url) }];
  });
  const printed = await session.type(commands);
  expect(printed.filter(({ code }) => code !== 0)).toEqual([]);
  return printed;
}

const outputOf = (printed: readonly Printed[], beginning: string): string =>
  printed.find(({ command }) => command.startsWith(beginning))?.output ?? `no ${beginning}`;

describe("the commands of the documents", () => {
  const all = DOCUMENTS.flatMap((document) => commandsOf(textOf(document)));

  it("are found, and each is known to a rule of commands.ts", () => {
    expect(all.length).toBeGreaterThan(40);
    expect(all.filter((command) => ruleFor(command) === null)).toEqual([]);
  });

  it("name scripts that package.json has", () => {
    const { scripts } = JSON.parse(readFileSync(new URL("package.json", ROOT), "utf8")) as {
      scripts: Record<string, string>;
    };
    // Not only in `sh` blocks: a script may be named in the middle of a sentence.
    const named = DOCUMENTS.flatMap((document) => scriptsIn(textOf(document)));
    expect(named).toContain("demo");
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  it("that can't be run here have flags that their own help knows", async () => {
    const unrun = all.filter((command) => ruleFor(command)?.how === "help");
    expect(unrun).toHaveLength(2);
    for (const command of unrun) {
      const [, name = "", ...words] = command.split(" ");
      const bin = fileURLToPath(new URL(join("node_modules/.bin", name), ROOT));
      const { stdout } = await promisify(execFile)(bin, [words[0] ?? "", "--help"]);
      expect(stdout).toContain(`${name} ${words[0] ?? ""}`);
      expect(flagsIn(command).filter((flag) => !stdout.includes(flag))).toEqual([]);
    }
  });

  it("README.md: a campaign by curl", async () => {
    const printed = await walk("README.md", await open());
    expect(outputOf(printed, "curl -sH \"$AUTH\" -H 'content-type: text/csv'")).toContain(
      '"added":2',
    );
    expect(outputOf(printed, 'curl -sH "$AUTH" $SENDONCE/spring/delivery-status')).toContain(
      '"total": 2',
    );
  });
});

describe("deploy.md", () => {
  it("from nothing to a first campaign and back, wrangler's commands and all", async () => {
    const session = await open();
    const { account } = session.cloudflare;
    const { uploads } = account;
    const printed = await walk(DEPLOY, session);

    // The first upload is the empty Worker that holds the first secret.
    const [empty, first, upgraded] = account.history;
    expect(account.history).toHaveLength(3);
    expect(empty?.metadata["bindings"]).toEqual([]);
    expect(upgraded?.metadata["bindings"]).toEqual(first?.metadata["bindings"]);
    expect(first?.metadata).toMatchObject({
      main_module: "worker.js",
      migrations: { steps: [{ new_sqlite_classes: ["CampaignObject", "AccountObject"] }] },
      keep_bindings: expect.arrayContaining(["secret_text"]),
    });
    expect(first?.modules.get("worker.js")).toBeGreaterThan(100_000);
    expect(first?.metadata["bindings"]).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: "DISPATCH", queue_name: "sendonce-dispatch" }),
        expect.objectContaining({ name: "AUDIENCE", type: "d1", id: DATABASE_ID }),
        expect.objectContaining({ name: "CAMPAIGNS", class_name: "CampaignObject" }),
        expect.objectContaining({ name: "ACCOUNT", class_name: "AccountObject" }),
      ]),
    );
    expect([...account.assets]).toContain("/index.html");
    expect(account.consumed).toMatchObject({
      "sendonce-dispatch": { dead_letter_queue: "sendonce-dead-letters" },
      "sendonce-dead-letters": { type: "worker" },
    });
    expect(account.secretsPut).toMatchObject({
      OPERATOR_TOKEN: expect.stringMatching(/^[0-9a-f]{64}$/),
      SIGNING_KEY: expect.stringMatching(/^[0-9a-f]{64}$/),
      RESEND_API_KEY: "re_typed",
      RESEND_WEBHOOK_SECRET: "whsec_dHlwZWQ=",
    });
    // The last commands of the page have taken everything away again.
    expect([uploads, [...account.queues], [...account.databases]]).toEqual([[], [], []]);

    const [deployed] = transcriptsOf(textOf(DEPLOY)).filter(({ name }) => name === "deployed");
    const deploy = outputOf(printed, "npx wrangler deploy");
    expect(deploy).toContain(deployed?.text);
    expect(deploy).not.toMatch(/workers_dev|preview_urls/);
    expect(outputOf(printed, "sendonce watch first")).toContain("first finished: 4 sent in ");
    expect(await rerun(textOf(DEPLOY), stage, session)).toBe(textOf(DEPLOY));
  });

  it("a deploy is refused while a secret is missing", async () => {
    const session = await open();
    for (const queue of ["sendonce-dispatch", "sendonce-dead-letters"]) {
      session.cloudflare.account.addQueue(queue);
    }
    const [deploy] = await session.type([{ command: "npx wrangler deploy" }]);
    expect(deploy?.code).not.toBe(0);
    expect(deploy?.output).toContain("SIGNING_KEY");
    expect(session.cloudflare.account.history).toEqual([]);
  });
});

describe("operating.md", () => {
  it("shows what its commands print (npm run guide)", async () => {
    expect(await rerun(textOf(OPERATING), stage, await open())).toBe(textOf(OPERATING));
  });
});

/** What the guide takes for granted: a shop with its tables, and the pipeline of before. */
const SHOP = `
  CREATE TABLE customers (id TEXT PRIMARY KEY, email TEXT, firstName TEXT, active INTEGER);
  CREATE VIEW active_customers AS SELECT id, email, firstName FROM customers WHERE active = 1;
  INSERT INTO customers VALUES ('u_1', 'ada@rest.example', 'Ada', 1),
    ('u_2', 'grace@rest.example', 'Grace', 1), ('u_3', 'alan@rest.example', 'Alan', 1),
    ('u_4', 'tony@rest.example', 'Tony', 1), ('u_5', 'radia@rest.example', 'Radia', 0);
  CREATE TABLE sent (campaign TEXT, recipient_id TEXT);
  INSERT INTO sent VALUES ('spring', 'u_1'), ('autumn', 'u_2');
  CREATE TABLE perhaps (campaign TEXT, recipient_id TEXT);
  INSERT INTO perhaps VALUES ('spring', 'u_3')`;

describe("moving.md", () => {
  it("the rest of a campaign: who was certainly not mailed, and nobody else", async () => {
    const session = await open();
    const { account } = session.cloudflare;
    account.onSql = (sql) => (/^\s*SELECT/.test(sql) ? Promise.resolve() : stage.front("sql", sql));
    account.addQueue("mailings");
    const id = account.addDatabase("sendonce-audience");
    account.databases.get(id)?.sql.exec(SHOP);
    await stage.front("sql", SHOP);
    session.write("wrangler.toml", (text) => text.replace(/0{8}(-0{4}){3}-0{12}/, id));
    session.write("unsubscribed.csv", () => "email\ngone@rest.example\n");
    session.write("spring.txt", () => "Spring has come.\n");
    // The way back begins with a campaign that has not got far.
    await stage.refuseAll(429, "rate_limit_exceeded", "Too many requests");
    const printed = await walk(MOVING, session);
    await stage.provider.configure({ answer: null });

    expect(account.queues.get("mailings")).toMatchObject({ isPaused: true, purges: 1 });
    expect(
      outputOf(printed, 'npx wrangler d1 execute sendonce-audience --remote --command "S'),
    ).toMatch(/"rest": 2\b/);
    expect(outputOf(printed, "sendonce segment")).toContain("2 recipients added");
    const rest = session.read("to-mail.csv");
    expect(rest.match(/u_\d/g)?.toSorted()).toEqual(["u_2", "u_4"]);
    expect(session.read("perhaps.csv").trim().split("\n")).toHaveLength(1);
    expect(outputOf(printed, "sendonce finish news")).toContain("news: finished");
  });

  it("shows the consumer of the example", () => {
    const [, file = "", code = ""] =
      /<!-- source: (.+) -->\n```ts\n([\s\S]*?)```/.exec(textOf(MOVING)) ?? [];
    expect(code.split("\n").length).toBeGreaterThan(5);
    expect(readFileSync(new URL(file, ROOT), "utf8")).toContain(code);
  });
});
