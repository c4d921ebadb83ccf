import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PREFLIGHT_RENDERS } from "../../../src/domain/limits.ts";
import { compileParts } from "../../../src/message/compile.ts";
import { MergeCheck } from "../../../src/message/merge-check.ts";
import { renderMail, type Recipient } from "../../../src/message/render-mail.ts";
import { looksOf, shapeOf } from "../../../src/message/shapes.ts";
import { contentOf } from "../../support/content.ts";

function recipientWith(data: Record<string, unknown>): Recipient {
  return { id: "u_1", email: "ada@x.org", data };
}

function looks(text: string) {
  const { printed, valued } = looksOf(compileParts(contentOf({ text })));
  return { printed: printed.toSorted(), valued: valued.toSorted() };
}

describe("how a field counts", () => {
  it.each([
    ["{{ a }}", ["a"], []],
    ["{{ a }} {{ a }} {% echo b | upcase %}", ["a", "b"], []],
    ["{{ a | default: b }} {{ c | append: d }}", ["a", "b", "c", "d"], []],
    ["{{ email }} {{ id }}", [], []],
    ["{{ home.city }}", [], ["home"]],
    ["{{ home['city'] }}", [], ["home"]],
    ["{{ list[0] }} {{ list.size }}", [], ["list"]],
    ["{% if a == 'x' %}{{ b }}{% endif %}", ["b"], ["a"]],
    ["{% if a %}{{ a }}{% endif %}", [], ["a"]],
    ["{% for each in list %}{{ each }}{{ b }}{% endfor %}", ["b"], ["list"]],
    ["{% assign x = a %}{{ x }}", [], ["a"]],
    ["{{ x }}{% assign x = a %}", [], ["a", "x"]],
    ["{% case a %}{% when b %}{{ c }}{% endcase %}", ["c"], ["a", "b"]],
    ["{% capture x %}{{ a }}{% endcapture %}{{ x }}", ["a"], []],
    ["{% tablerow each in list limit: n %}{{ each }}{% endtablerow %}", [], ["list", "n"]],
    ["{{ a }}{% unless a %}{% endunless %}", [], ["a"]],
  ])("%s", (text, printed, valued) => {
    expect(looks(text)).toEqual({ printed, valued });
  });
});

it("recipients share a shape by what their mails would see of them", () => {
  const seen = looksOf(
    compileParts(contentOf({ text: "{% if plan == 'x' %}{{ name }}{% endif %}" })),
  );
  const shape = (data: Record<string, unknown>): string => shapeOf(seen, data);
  expect(shape({ name: "Ada", plan: "x" })).toBe(shape({ name: "Bob", plan: "x", other: 1 }));
  expect(shape({ name: 0 })).toBe(shape({ name: "Ada", plan: null }));
  expect(shape({ name: "" })).toBe(shape({ name: null }));
  expect(shape({ name: "Ada", plan: "x" })).not.toBe(shape({ name: "Ada", plan: "y" }));
  expect(shape({ name: "Ada" })).not.toBe(shape({ name: "" }));
  expect(shape({ name: "Ada" })).not.toBe(shape({ name: ["Ada"] }));
  expect(shape({ name: "Ada" })).not.toBe(shape({ name: false }));
  expect(shape({ __proto__: null, toString: "x" })).toBe(shape({}));
});

const FIELDS = ["a", "b", "c", "d"];
const field = fc.constantFrom(...FIELDS);
const path = fc.oneof(
  field,
  field.map((name) => `${name}.x`),
  fc.constantFrom("email", "id"),
);
const filter = fc.oneof(
  fc.constantFrom("", " | upcase", " | default: 'you'", " | default: 'you' | upcase"),
  field.map((name) => ` | default: ${name}`),
  field.map((name) => ` | append: ${name}`),
);
const output = fc.tuple(path, filter).map(([name, applied]) => `{{ ${name}${applied} }}`);
const condition = fc.oneof(
  field,
  field.map((name) => `${name} == 'Ada'`),
  fc.tuple(field, field).map(([left, right]) => `${left} and ${right}`),
);
const { template } = fc.letrec<{ template: string }>((tie) => ({
  template: fc
    .array(
      fc.oneof(
        { maxDepth: 3 },
        fc.constant("word "),
        output,
        fc.tuple(field, field).map(([to, from]) => `{% assign ${to} = ${from} %}`),
        fc
          .tuple(condition, tie("template"))
          .map(([asked, body]) => `{% if ${asked} %}${body}{% endif %}`),
        fc
          .tuple(condition, tie("template"), tie("template"))
          .map(([asked, yes, no]) => `{% unless ${asked} %}${yes}{% else %}${no}{% endunless %}`),
        fc
          .tuple(field, tie("template"))
          .map(([list, body]) => `{% for d in ${list} %}${body}{% endfor %}`),
      ),
      { maxLength: 4 },
    )
    .map((parts) => parts.join("")),
}));
const value = fc.constantFrom<unknown>(
  undefined,
  null,
  "",
  0,
  false,
  true,
  "Ada",
  "Bob",
  [],
  ["Ada"],
  { x: "Ada" },
  { x: "" },
);
const data = fc.record(Object.fromEntries(FIELDS.map((name) => [name, value])));

it("whoever shares a shape has the same missing fields, rendered one by one", () => {
  fc.assert(
    fc.property(template, fc.array(data, { minLength: 2, maxLength: 12 }), (source, list) => {
      const content = contentOf({ text: `x${source}` });
      const parts = compileParts(content);
      const check = new MergeCheck(content);
      for (const each of list) {
        const recipient = recipientWith(each);
        const alone = renderMail(parts, recipient, null).faults.map(({ detail }) => detail);
        const found = check.faultsOf(recipient)?.map(({ detail }) => detail) ?? [];
        expect(found.slice(0, 1)).toEqual(alone);
      }
    }),
    { numRuns: 400, seed: 20_261_129 },
  );
});

describe("a long list", () => {
  it("of one shape is rendered once", () => {
    const check = new MergeCheck(contentOf({ text: "{{ name }} {{ note | upcase }}" }));
    const faults = new Set<unknown>();
    for (let at = 0; at < 1000; at += 1) {
      faults.add(check.faultsOf(recipientWith({ name: `n${at}`, note: "x" })));
    }
    expect(faults.size).toBe(1);
  });

  it("of as many shapes as recipients is left unchecked behind a bound, and says so", () => {
    const check = new MergeCheck(contentOf({ text: "{% if name == 'x' %}{{ y }}{% endif %}" }));
    let unchecked = 0;
    for (let at = 0; at < PREFLIGHT_RENDERS + 5; at += 1) {
      if (check.faultsOf(recipientWith({ name: `n${at}` })) === null) unchecked += 1;
    }
    expect(unchecked).toBe(5);
  });
});
