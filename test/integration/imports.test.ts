/** Uploads through the whole worker: what is taken, what is named by its line, and what is sent. */
import { describe, expect, it } from "vitest";
import { api, done, type Answer } from "./harness/api.ts";
import { campaign, finished, type TestCampaign } from "./harness/campaign.ts";
import { standIn } from "./harness/stand-in.ts";

const csv = (one: TestCampaign, body: string | Uint8Array, type = "text/csv"): Promise<Answer> =>
  api("POST", `${one.path}/recipients`, { body, type });

async function sendsTo(one: TestCampaign, addresses: readonly string[]): Promise<void> {
  await one.start();
  await finished(one);
  await one.expectMailedOnce(addresses);
}

describe("addresses", () => {
  it("C50: what is no address is refused at the door by line, and the rest is sent", async () => {
    const good = Array.from({ length: 96 }, (_, at) => `good${at}@mail.example.org`);
    const bad = ["bob@@x", "", "a@b", `${"x".repeat(300)}@mail.example.org`];
    const rows = [...good.slice(0, 50), ...bad, ...good.slice(50)];
    const one = await campaign();
    const body = `id,email\n${rows.map((email, at) => `u${at},${email}`).join("\n")}\n`;
    expect(await csv(one, body)).toMatchObject({
      status: 200,
      body: {
        added: 96,
        invalid: 4,
        total: 96,
        problems: [
          { line: 52, code: "notOneAtSign" },
          { line: 53, code: "emptyAddress" },
          { line: 54, code: "domainWithoutDot" },
          { line: 55 },
        ],
      },
    });
    await sendsTo(one, good);
  });

  it("C06: one mailbox in six spellings is sent once, the others are named by line", async () => {
    const spellings = [
      "a@x.example.org",
      "A@X.example.org",
      " a@x.example.org ",
      "a@x.example.org\u200b",
      "a@x.example.org\u00a0",
      "a\uff20x.example.org",
    ];
    const one = await campaign();
    const answer = await csv(one, `email\n${spellings.join("\n")}\n`);
    expect(answer).toMatchObject({ status: 200, body: { added: 1, duplicates: 4, invalid: 1 } });
    const { problems } = answer.body as { problems: { line: number }[] };
    expect(problems.map(({ line }) => line)).toEqual([3, 4, 5, 6, 7]);
    await sendsTo(one, ["a@x.example.org"]);
  });
});

/** 1,021 bytes at a time, which is no multiple of anything. */
function inPieces(text: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(bytes.slice(at, at + 1_021));
      at += 1_021;
      if (at >= bytes.length) controller.close();
    },
  });
}

describe("files", () => {
  it("C70: a byte order mark before the header", async () => {
    const one = await campaign({ more: { text: "Hi {{ name }}" } });
    expect(await csv(one, "\ufeffemail,name\nada@mail.example.org,Ada\n")).toMatchObject({
      status: 200,
      body: { added: 1, invalid: 0 },
    });
    await standIn.config({ keepContent: true });
    await sendsTo(one, ["ada@mail.example.org"]);
    expect((await standIn.accepted())[0]?.text).toContain("Hi Ada");
  });

  it("C71: good rows are in, bad rows are named by their line", async () => {
    const one = await campaign();
    const body = [
      "id,email,name",
      "1,one@mail.example.org,One",
      "2,two@mail.example.org",
      "3,three@mail.example.org,Three,and more",
      "",
      '5,five@mail.example.org,a"bare quote',
      '6,six@mail.example.org,"quoted',
      'newline"',
      "7,seven@mail.example.org,Seven",
      "",
    ].join("\r\n");
    const answer = await csv(one, body);
    const { added, invalid, problems } = answer.body as {
      added: number;
      invalid: number;
      problems: { line: number; code: string }[];
    };
    expect(answer.status).toBe(200);
    expect(added + invalid).toBe(6);
    expect(problems).toHaveLength(invalid);
    const { items } = await done<{ items: { id: string }[] }>("GET", `${one.path}/recipients`);
    expect(items).toHaveLength(added);
    expect(items.map(({ id }) => id)).toEqual(expect.arrayContaining(["1", "6", "7"]));
    expect(await one.recipient("6")).toMatchObject({ data: { name: "quoted\r\nnewline" } });
    for (const { line } of problems) expect([3, 4, 6]).toContain(line);
  });

  it.each([
    ["only a header", "email,name\n"],
    ["zero bytes", ""],
    ["a header without email", "mail,name\nada@mail.example.org,Ada\n"],
    ["the same column twice", "email,email\na@mail.example.org,b@mail.example.org\n"],
  ])("C71: %s gets a clear answer and adds nobody", async (_, body) => {
    const one = await campaign();
    const before = await one.rows();
    expect(await csv(one, body)).toMatchObject({
      status: 400,
      body: { code: "invalidUpload", detail: expect.any(String) },
    });
    expect(await one.rows()).toBe(before);
  });

  it("a file in pieces, with characters cut in two, in all three formats", async () => {
    const one = await campaign();
    const rows = Array.from({ length: 1_200 }, (_, at) => ({
      id: `ü${at}`,
      email: `u${at}@mail.example.org`,
      name: `Zoë ${at}`,
    }));
    const bodies = {
      "text/csv": `id,email,name\n${rows.map((row) => Object.values(row).join(",")).join("\n")}`,
      "application/x-ndjson": rows
        .map(({ id, email, name }) => JSON.stringify({ id, email, data: { name } }))
        .join("\n"),
      "application/json": JSON.stringify({
        recipients: rows.map(({ id, email, name }) => ({ id, email, data: { name } })),
      }),
    };
    for (const [type, body] of Object.entries(bodies)) {
      const answer = await api("POST", `${one.path}/recipients`, { body: inPieces(body), type });
      expect(answer, type).toMatchObject({
        status: 200,
        body: { added: type === "text/csv" ? 1_200 : 0, invalid: 0, total: 1_200 },
      });
    }
    expect(await one.recipient("ü7")).toMatchObject({ data: { name: "Zoë 7" } });
  });

  it("C24, G7: an upload that breaks off has stored what it says, and a repeat completes it", async () => {
    const one = await campaign();
    const whole = JSON.stringify({
      recipients: Array.from({ length: 2_500 }, (_, at) => ({
        email: `u${at}@mail.example.org`,
        // Large enough that it is taken page by page and not as a whole.
        data: { note: "x".repeat(2_000) },
      })),
    });
    const broken = whole.slice(0, Math.floor(whole.length * 0.9));
    const answer = await csv(one, broken, "application/json");
    expect(answer).toMatchObject({ status: 400, body: { code: "uploadInterrupted" } });
    const { added, total } = answer.body as { added: number; total: number };
    expect(added).toBeGreaterThan(0);
    expect(await one.stats()).toEqual({ remaining: added });
    expect(total).toBe(added);
    expect(await csv(one, whole, "application/json")).toMatchObject({
      status: 200,
      body: { added: 2_500 - added, duplicates: added, total: 2_500 },
    });
    await one.check();
  });
});

describe("merge fields on the wire", () => {
  it("C74: a hostile name is literal in text, escaped in html, and in no header", async () => {
    await standIn.config({ keepContent: true });
    const name = `<b>&"'\r\nBcc: x@mail.example.org {{ other }}`;
    const one = await campaign({
      recipients: [{ id: "u1", email: "ada@mail.example.org", data: { name, other: "secret" } }],
      more: {
        subject: "For {{ name }}",
        html: "<p>{{ name }}</p>",
        text: "Hi {{ name }}",
      },
    });
    await one.start();
    await finished(one);
    const [mail] = await standIn.accepted();
    // A subject is one line, so that the break in the name is a space there.
    expect(mail?.subject).toBe(`For <b>&"' Bcc: x@mail.example.org {{ other }}`);
    expect(Object.keys(mail?.headers ?? {})).toEqual(["List-Unsubscribe", "List-Unsubscribe-Post"]);
    expect(mail?.html).toContain("&lt;b&gt;&amp;");
    expect(mail?.html).not.toContain("<b>");
    expect(mail?.text).toContain(`<b>&"'`);
    expect(mail?.text).toContain("{{ other }}");
    expect(JSON.stringify(mail)).not.toContain("secret");
  });
});
