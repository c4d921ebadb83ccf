import { describe, expect, it } from "vitest";
import { compileContent, templateFaults } from "../../../src/message/compile.ts";
import { mergeFields } from "../../../src/message/merge-fields.ts";
import { previewMail } from "../../../src/message/preview.ts";
import type { Content } from "../../../src/campaign/rpc.ts";
import { contentOf, frozenOf } from "../../support/content.ts";

function faults(fields: Partial<Content>): readonly string[] {
  return templateFaults(contentOf(fields)).map(({ path, detail }) => `${path}: ${detail}`);
}

describe("templateFaults", () => {
  it("takes content with everything in it", () => {
    const content = {
      subject: "Hi {{ firstName | default: 'you' }}",
      html: '<p>{{ name }}</p><a href="{{ unsubscribeUrl }}">Unsubscribe</a>',
      text: "{{ name }}",
      unsubscribe: true,
    };
    expect(faults(content)).toEqual([]);
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
    [{ subject: " " }, "subject: is empty"],
    [
      { html: "{{ unsubscribeUrl }}" },
      "html: unsubscribeUrl has no value unless the campaign's unsubscribe is true",
    ],
  ] as const)("%j", (fields, fault) => {
    expect(faults(fields)).toContain(fault);
  });

  it("says of a template that no stack can hold what is wrong with it", () => {
    const tooDeep = "{% if a %}".repeat(20_000);
    expect(faults({ html: tooDeep, text: "x" })).toEqual(["html: line 1: nests too deep"]);
  });

  it("where it finds some, compileContent stops", () => {
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
