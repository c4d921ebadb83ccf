import { describe, expect, it } from "vitest";
import { MAX_HEADERS, MAX_TAGS } from "../../../src/domain/limits.ts";
import { checkContent, compileContent } from "../../../src/message/compile.ts";
import { mergeFields } from "../../../src/message/merge-fields.ts";
import { previewMail } from "../../../src/message/preview.ts";
import type { Content } from "../../../src/campaign/rpc.ts";
import { contentOf, frozenOf } from "../../support/content.ts";

function faults(fields: Partial<Content>): readonly string[] {
  const checked = checkContent(contentOf(fields));
  return checked.ok ? [] : checked.refusal.map(({ path, detail }) => `${path}: ${detail}`);
}

function many(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`X-${at}`, "1"]));
}

describe("checkContent", () => {
  it("takes content with everything in it", () => {
    const content = contentOf({
      from: '"Ada, of the Shop" <shop@mail.example.org>',
      replyTo: "help@example.org",
      subject: "Hi {{ firstName | default: 'you' }}",
      html: '<p>{{ name }}</p><a href="{{ unsubscribeUrl }}">Unsubscribe</a>',
      text: "{{ name }}",
      headers: { "X-Campaign": "spring" },
      tags: { season: "spring-26" },
      unsubscribe: true,
    });
    expect(checkContent(content)).toEqual({ ok: true, value: undefined });
  });

  it("names each template fault with its part and line, all at once", () => {
    expect(faults({ subject: "{{ now }}", html: "a\n{% if %}", text: "{{ x | sample }}" })).toEqual(
      [
        'subject: line 1: "now" would differ between two attempts; write the date itself',
        expect.stringMatching(/^html: line 2: /),
        "text: line 1: undefined filter: sample; chance would differ between attempts",
      ],
    );
  });

  it.each([
    [{ html: null, text: null }, "html: give html, text or both"],
    [{ subject: " " }, "subject: is empty"],
    [{ subject: "x".repeat(999) }, "subject: has more than 998 characters"],
    [
      { html: "{{ unsubscribeUrl }}" },
      "html: unsubscribeUrl has no value unless the campaign's unsubscribe is true",
    ],
    [{ from: "shop" }, "from: An address has exactly one @; this has none."],
    [{ from: "Shop\r\n <a@x.com>" }, "from: holds a control character or a line break"],
    [{ from: "A, B <a@x.com>" }, 'from: the name holds one of " , ; : @; put it in double quotes'],
    [{ from: "Shop <a@m\u00fcnchen.de>" }, "from: write the address as a@xn--mnchen-3ya.de"],
    [{ replyTo: "a@b" }, 'replyTo: Complete the domain: "b" has no ending like .com.'],
    [
      { headers: { "X-A": "a\r\nBcc: b@x.com" } },
      "headers.X-A: holds a control character or a line break",
    ],
    [{ headers: { "X-A": "a\u2028b" } }, "headers.X-A: holds a control character or a line break"],
    [{ headers: { "X A": "a" } }, "headers.X A: is no header name (RFC 5322 §3.6.8)"],
    [{ headers: { "X-A": "1", "x-a": "2" } }, "headers.x-a: is there twice"],
    [{ headers: { BCC: "b@x.com" } }, "headers.BCC: is written by Sendonce or the provider"],
    [
      { headers: { "List-Unsubscribe": "<https://x>" } },
      "headers.List-Unsubscribe: is written by Sendonce or the provider",
    ],
    [
      { headers: { "X-A": "a".repeat(998) } },
      "headers.X-A: has more than 998 characters with its name",
    ],
    [{ tags: { recipient: "1" } }, "tags.recipient: is a tag that Sendonce sets itself"],
    [
      { tags: { who: "ada@example.org" } },
      "tags.who: name and value take ASCII letters, digits, _ and - only, at least one",
    ],
  ] as const)("%j", (fields, fault) => {
    expect(faults(fields)).toContain(fault);
  });

  it("bounds headers and tags", () => {
    expect(faults({ headers: many(MAX_HEADERS), tags: many(MAX_TAGS) })).toEqual([]);
    expect(faults({ headers: many(MAX_HEADERS + 1), tags: many(MAX_TAGS + 1) })).toEqual([
      `headers: are more than ${MAX_HEADERS}`,
      `tags: are more than ${MAX_TAGS}`,
    ]);
  });

  it("says of a template that no stack can hold what is wrong with it", () => {
    const tooDeep = "{% if a %}".repeat(20_000);
    expect(faults({ html: tooDeep, text: "x" })).toEqual(["html: line 1: nests too deep"]);
  });

  it("what it refuses, compileContent stops at", () => {
    expect(() => compileContent(frozenOf({ subject: "{{ now }}" }))).toThrow("subject: line 1");
  });
});

describe("mergeFields", () => {
  it("lists the recipient's fields, where they are and whether each may be missing", () => {
    const content = contentOf({
      subject: "{{ firstName | default: 'you' }} {{ email }} {{ id }}",
      html: "{{ firstName }}{% if plan %}{{ plan }}{% endif %}{{ user.city }}{{ unsubscribeUrl }}",
      text: "{% for item in items %}{{ item.name }}{% endfor %}{% assign x = 1 %}{{ x }}",
    });
    expect(mergeFields(content)).toEqual([
      { name: "firstName", parts: ["subject", "html"], neededIn: ["html"] },
      { name: "items", parts: ["text"], neededIn: [] },
      { name: "plan", parts: ["html"], neededIn: [] },
      { name: "user.city", parts: ["html"], neededIn: ["html"] },
    ]);
  });
});

describe("previewMail", () => {
  const recipient = { id: "u_1", email: "ada@example.org", data: { firstName: "Ada" } };

  it("renders for one recipient, with a link that leads nowhere", () => {
    const content = contentOf({
      subject: "{{ firstName }}",
      html: "<p>{{ email }}</p><a href='{{ unsubscribeUrl }}'>x</a>",
      text: null,
      unsubscribe: true,
    });
    expect(previewMail(content, recipient)).toEqual({
      subject: "Ada",
      html: "<p>ada@example.org</p><a href='https://unsubscribe.invalid/preview'>x</a>",
      text: "ada@example.org\n\nx [https://unsubscribe.invalid/preview]",
      faults: [],
    });
  });

  it("C73: names the parts that would fail, and shows the others", () => {
    const content = contentOf({ subject: "{{ nick }}", html: "{{ lastName }}", text: "ok" });
    expect(previewMail(content, recipient)).toEqual({
      subject: null,
      html: null,
      text: "ok",
      faults: [
        { path: "subject", detail: 'merge field "nick" has no value and no default (line 1)' },
        { path: "html", detail: 'merge field "lastName" has no value and no default (line 1)' },
      ],
    });
  });

  it("names template faults of a draft", () => {
    const preview = previewMail(contentOf({ subject: "{{ x", text: "ok" }), recipient);
    expect(preview).toMatchObject({ subject: null, text: "ok", faults: [{ path: "subject" }] });
    expect(preview.faults).toHaveLength(1);
  });
});
