import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { compileContent } from "../../../src/message/compile.ts";
import { renderBatch } from "../../../src/message/render-batch.ts";
import type { FrozenContent } from "../../../src/campaign/rpc.ts";
import type { Member } from "../../../src/domain/outcome.ts";
import {
  parseUnsubscribeToken,
  verifyUnsubscribeToken,
} from "../../../src/message/unsubscribe-link.ts";
import { frozenOf, memberOf } from "../../support/content.ts";

const EVERYTHING: Partial<FrozenContent> = {
  from: "Zoë's Shop <shop@example.org>",
  replyTo: "help@example.org",
  subject: "{{ firstName | default: 'Friend' | capitalize }}, your {{ plan | upcase }} plan",
  html:
    "<h1>Hi {{ firstName | default: 'friend' }}</h1>" +
    "{% if city %}<p>Greetings to {{ city | escape }}!</p>{% endif %}" +
    "<ul>{% for item in items %}<li>{{ forloop.index }}. {{ item.name }}: {{ item.price | round: 2 }} €</li>{% endfor %}</ul>" +
    "<p>Until {{ until | date: '%B %-d, %Y' }}, for {{ email }} ({{ id }}).</p>" +
    '<a href="{{ unsubscribeUrl }}">Unsubscribe</a>',
  text: null,
  headers: { "X-Campaign": "spring", "X-Mailer": "Sendonce" },
  tags: { season: "spring", variant: "b" },
  unsubscribe: true,
};

const MEMBERS: readonly Member[] = [
  memberOf(1, {
    firstName: "ada",
    plan: "pro",
    city: "Zürich <b>&\"'",
    items: [{ name: "Tea", price: 2.499 }],
    until: "2026-12-24T18:00:00Z",
  }),
  memberOf(7, { plan: "free {{ email }}", until: "2027-01-02", items: [], unsubscribeUrl: "mine" }),
  memberOf(3, { firstName: "Bo\r\nBcc: eve@example.org", plan: "x\u2028y", until: 1_800_000_000 }),
];

async function render(fields: Partial<FrozenContent>, ...members: readonly Member[]) {
  return await renderBatch(compileContent(frozenOf(fields)), members);
}

describe("renderBatch", () => {
  it("G1, C10: the same batch renders to the bytes it always had", async () => {
    const golden = await readFile(new URL("golden-batch.txt", import.meta.url), "utf8");
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const { emails, seqs, faults } = await render(EVERYTHING, ...MEMBERS);
      expect(faults).toEqual([]);
      expect(seqs).toEqual([1, 7, 3]);
      expect(`${JSON.stringify(emails)}\n`).toBe(golden);
    }
  });

  it("gives exactly the fields that the content has", async () => {
    const { emails } = await render({}, memberOf(1));
    expect(emails).toEqual([
      {
        from: "Shop <shop@example.org>",
        to: "Person.1@Example.org",
        subject: "Hello",
        text: "Hello",
        tags: [
          { name: "campaign", value: "spring" },
          { name: "recipient", value: "1" },
        ],
      },
    ]);
  });

  it("C61: adds the headers of RFC 8058, with a link that holds", async () => {
    const fields = { unsubscribe: true, headers: { "X-A": "1" } };
    const { emails } = await render(fields, memberOf(5));
    const headers = emails[0]?.headers ?? {};
    expect(Object.keys(headers)).toEqual(["X-A", "List-Unsubscribe", "List-Unsubscribe-Post"]);
    expect(headers["List-Unsubscribe-Post"]).toBe("List-Unsubscribe=One-Click");
    const link = /^<https:\/\/mail\.example\.org\/unsubscribe\/([^/>]+)>$/;
    const token = parseUnsubscribeToken(link.exec(headers["List-Unsubscribe"] ?? "")?.[1] ?? "");
    expect(token).toMatchObject({ campaign: "spring", seq: 5 });
    expect(token !== null && (await verifyUnsubscribeToken(frozenOf().linkSecret, token))).toBe(
      true,
    );
    expect(JSON.stringify(headers)).not.toContain("Person");
  });

  it("C73: faults the members who lack a field, by part, and renders the others", async () => {
    const fields = {
      subject: "{{ firstName }}",
      html: "<p>{{ firstName }}</p>",
      text: "{{ lastName }}",
    };
    const batch = await render(
      fields,
      memberOf(1, { firstName: "Ada", lastName: "L" }),
      memberOf(2, { firstName: "", lastName: "L" }),
      memberOf(3, { firstName: "Bo", lastName: null }),
      memberOf(4, { firstName: 0, lastName: 0 }),
    );
    expect(batch.seqs).toEqual([1, 4]);
    expect(batch.emails.map(({ subject }) => subject)).toEqual(["Ada", "0"]);
    expect(batch.faults).toEqual([
      {
        seq: 2,
        reason:
          'subject: merge field "firstName" has no value and no default (line 1); ' +
          'html: merge field "firstName" has no value and no default (line 1)',
      },
      { seq: 3, reason: 'text: merge field "lastName" has no value and no default (line 1)' },
    ]);
  });

  it("names a fault once where the text is made from the html", async () => {
    const { faults } = await render({ html: "<p>{{ x }}</p>", text: null }, memberOf(1));
    expect(faults[0]?.reason).toBe('html: merge field "x" has no value and no default (line 1)');
  });

  it("C74: no header out of a value: a subject stays one line", async () => {
    const breaks = ["\r\n", "\n", "\r", "\u0000", "\u000b", "\u0085", "\u2028", "\u2029", "\u007f"];
    for (const each of breaks) {
      const name = `Ada${each}Bcc: eve@example.org${each}`;
      const { emails } = await render({ subject: "Hi {{ name }}" }, memberOf(1, { name }));
      expect(emails[0]?.subject).toBe("Hi Ada Bcc: eve@example.org");
      expect(emails[0]?.headers).toBeUndefined();
    }
  });

  it("bodies lose what no mail may hold, and keep tabs and line breaks", async () => {
    const name = "a\0b\u0007c\u007fd\te\r\nf\ud800";
    const { emails } = await render(
      { html: "{{ name }}", text: "{{ name }}" },
      memberOf(1, { name }),
    );
    expect(emails[0]).toMatchObject({ html: "abcd\te\r\nf\ufffd", text: "abcd\te\r\nf\ufffd" });
  });

  it("faults a subject that comes out empty or too long", async () => {
    const fields = { subject: "{{ s }}" };
    const batch = await render(
      fields,
      memberOf(1, { s: "\r\n" }),
      memberOf(2, { s: "x".repeat(999) }),
      memberOf(3, { s: "x".repeat(998) }),
    );
    expect(batch.seqs).toEqual([3]);
    expect(batch.faults.map(({ reason }) => reason)).toEqual([
      "subject: is empty for this recipient",
      "subject: has more than 998 characters",
    ]);
  });

  it("own values win over data, and __proto__ is a field like any other", async () => {
    const data = JSON.parse('{"email":"x","id":"y","__proto__":{"firstName":"evil"}}') as Record<
      string,
      unknown
    >;
    const fields = { text: "{{ email }} {{ id }} {{ firstName | default: 'none' }}" };
    const { emails } = await render(fields, memberOf(1, data));
    expect(emails[0]?.text).toBe("Person.1@Example.org u_1 none");
  });

  it("leaves the text out where the html gives none", async () => {
    const { emails } = await render({ html: '<img src="x">', text: null }, memberOf(1));
    expect(Object.keys(emails[0] ?? {})).toEqual(["from", "to", "subject", "html", "tags"]);
  });

  it("an empty batch is an empty request", async () => {
    expect(await render(EVERYTHING)).toEqual({ emails: [], seqs: [], faults: [] });
  });
});
