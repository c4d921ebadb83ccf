import { Liquid } from "liquidjs";
import { describe, expect, it } from "vitest";
import { parseTemplate, type TemplateKind } from "../../../src/message/template.ts";

function render(
  source: string,
  values: Record<string, unknown> = {},
  kind: TemplateKind = "plain",
) {
  const parsed = parseTemplate(kind, source);
  if (!parsed.ok) return { refused: parsed.refusal };
  const result = parsed.value.render(values);
  return result.ok ? result.value : { fault: result.refusal };
}

const missing = (field: string, line = 1) => ({
  fault: { line, detail: `merge field "${field}" has no value and no default` },
});

describe("values", () => {
  const nasty = `<b>&"'\r\n{{ other }}{% if x %}`;

  it("C74: are literal in text and escaped in html, and never rendered again", () => {
    const values = { name: nasty, other: "SECRET", x: true };
    expect(render("Hi {{ name }}!", values)).toBe(`Hi ${nasty}!`);
    expect(render("Hi {{ name }}!", values, "html")).toBe(
      "Hi &lt;b&gt;&amp;&#34;&#39;\r\n{{ other }}{% if x %}!",
    );
  });

  it("C74: are escaped once where the template escapes too, and not where it says raw", () => {
    const values = { name: "<b>&" };
    expect(render("{{ name | escape }}", values, "html")).toBe("&lt;b&gt;&amp;");
    expect(render("{% echo name %}{{ name | upcase }}", values, "html")).toBe(
      "&lt;b&gt;&amp;&lt;B&gt;&amp;",
    );
    expect(render("{{ name | escape_once | escape_once }}", values, "html")).toBe("&lt;b&gt;&amp;");
    const lines = { note: "<i>\r\n2" };
    expect(render("{{ note | newline_to_br }}", lines, "html")).toBe("&lt;i&gt;<br />\n2");
    expect(render("{{ note | escape | newline_to_br }}", lines, "html")).toBe("&lt;i&gt;<br />\n2");
    expect(render("{{ note | escape | newline_to_br }}", lines, "plain")).toBe("<i>\r\n2");
    expect(render("{{ name | raw }}", values, "html")).toBe("<b>&");
    expect(render("{{ name | escape }}", values, "plain")).toBe("<b>&");
  });

  it("may be numbers, booleans, lists and deep fields, but no object", () => {
    const values = { n: 0, yes: false, list: ["a", 1, null], user: { name: "Ada" } };
    expect(render("{{ n }} {{ yes }} {{ list }} {{ user.name }}", values)).toBe("0 false a1 Ada");
    expect(render("{{ user | json }}", values)).toBe('{"name":"Ada"}');
    expect(render("{{ user }}", values)).toMatchObject({ fault: { line: 1 } });
  });

  it("are own ones: nothing of a prototype shows", () => {
    for (const field of ["constructor", "__proto__", "toString", "user.constructor.name"]) {
      expect(render(`{{ ${field} }}`, { user: {} })).toEqual(missing(field));
    }
  });
});

describe("C73: a field without a value", () => {
  const absent = [
    ["missing", {}],
    ["null", { firstName: null }],
    ["empty", { firstName: "" }],
  ] as const;

  it.each(absent)("%s: the default", (_, values) => {
    for (const kind of ["plain", "html"] as const) {
      expect(render('Hi {{ firstName | default: "you" }}', values, kind)).toBe("Hi you");
      expect(render('Hi {{ firstName | strip | default: "you" }}', values, kind)).toBe("Hi you");
      expect(render('Hi {{ firstName | default: "" }}', values, kind)).toBe("Hi ");
    }
  });

  it.each(absent)("%s: a fault without a default, named with its line", (_, values) => {
    for (const kind of ["plain", "html"] as const) {
      expect(render("Hi\n{{ firstName }}", values, kind)).toEqual(missing("firstName", 2));
      expect(render("{{ firstName | upcase }}", values, kind)).toEqual(missing("firstName"));
      expect(render("{% echo firstName %}", values, kind)).toEqual(missing("firstName"));
      expect(render('{{ "Dear " | append: firstName }}', values)).toEqual(missing("firstName"));
    }
  });

  it("0 and false are values", () => {
    expect(render('{{ n }}{{ n | default: "x" }}', { n: 0 })).toBe("00");
    expect(render("{{ yes }}", { yes: false })).toBe("false");
  });

  it("may be asked about", () => {
    const source = "{% if firstName %}{{ firstName }}{% else %}you{% endif %}";
    expect(render(source, {})).toBe("you");
    expect(render(source, { firstName: "Ada" })).toBe("Ada");
    expect(render("{% for item in items %}{{ item }}{% endfor %}.", {})).toBe(".");
  });

  it("another field as the default is needed only then", () => {
    const source = "{{ nick | default: firstName }}";
    expect(render(source, { nick: "A" })).toBe("A");
    expect(render(source, { firstName: "Ada" })).toBe("Ada");
    expect(render(source, {})).toEqual(missing("firstName"));
  });

  it("passes through an assignment", () => {
    expect(render("{% assign x = firstName %}{{ x }}", {})).toEqual(missing("x"));
    expect(render('{% assign x = firstName | default: "you" %}{{ x }}', {})).toBe("you");
  });
});

describe("the same bytes every time", () => {
  it.each([
    ["{{ now }}", '"now" would differ between two attempts; write the date itself'],
    [
      "{{ today | date: '%Y' }}",
      '"today" would differ between two attempts; write the date itself',
    ],
    ["{{ 'now' | date: '%Y' }}", '"now" would differ between two attempts; write the date itself'],
    ["{% if now %}x{% endif %}", '"now" would differ between two attempts; write the date itself'],
    [
      "{% if a %}{% assign d = 'today' %}{{ d | date: '%Y' }}{% endif %}",
      '"today" would differ between two attempts; write the date itself',
    ],
    ["{{ list | sample }}", "undefined filter: sample; chance would differ between attempts"],
    ["{{ list | shuffle }}", "undefined filter: shuffle"],
    ["{{ list | where_exp: 'x', name }}", "undefined filter: where_exp"],
    ["{% include 'x' %}", 'tag "include" not found'],
    ["{% render 'x' %}", 'tag "render" not found'],
    ["{% layout 'x' %}", 'tag "layout" not found'],
    ["{{ name | nosuch }}", "undefined filter: nosuch"],
    ["{% if x %}", "tag {% if x %} not closed"],
    ["{{ name", 'output "{{ name" not closed'],
  ])("refuses %s by name and line", (source, detail) => {
    expect(render(`\n\n${source}`)).toEqual({ refused: { line: 3, detail } });
  });

  it("refuses the clock where it comes out of data", () => {
    for (const filter of ["date: '%Y'", "date_to_string", "date_to_xmlschema", "date_to_rfc822"]) {
      expect(render(`{{ when | ${filter} }}`, { when: "now" })).toMatchObject({
        fault: { detail: 'the date "now" would differ between two attempts' },
      });
    }
    expect(render("{{ when }}", { when: "now" })).toBe("now");
  });

  it("writes dates in their own zone, and refuses formats that depend on the runtime", () => {
    const when = "2026-12-01T09:05:00+01:00";
    expect(render("{{ when | date: '%A, %B %-d, %Y at %H:%M' }}", { when })).toBe(
      "Tuesday, December 1, 2026 at 09:05",
    );
    expect(render("{{ when | date: '%H:%M', 'America/New_York' }}", { when })).toBe("03:05");
    expect(render("{{ when | date: '%c' }}", { when })).toMatchObject({ fault: { line: 1 } });
  });

  it("knows every filter of the library, so that an update can't bring in chance", () => {
    const refused = ["sample", "sha256", "hmac_sha256"];
    const expressions = ["where", "reject", "group_by", "has", "find", "find_index"];
    const all = Object.keys(new Liquid().filters);
    const known =
      "abs append array_to_sentence_string at_least at_most base64_decode base64_encode capitalize " +
      "ceil cgi_escape compact concat date date_to_long_string date_to_rfc822 date_to_string " +
      "date_to_xmlschema default divided_by downcase escape escape_once find find_index first floor " +
      "group_by has inspect join json jsonify last lstrip map minus modulo newline_to_br " +
      "normalize_whitespace number_of_words plus pop prepend push raw reject remove remove_first " +
      "remove_last replace replace_first replace_last reverse round rstrip shift size slice slugify " +
      "sort sort_natural split squish strip strip_html strip_newlines sum times to_integer truncate " +
      "truncatewords uniq unshift upcase uri_escape url_decode url_encode where xml_escape";
    const expected = [...known.split(" "), ...refused, ...expressions.map((name) => `${name}_exp`)];
    expect(all.toSorted()).toEqual(expected.toSorted());
    for (const name of [...refused, "where_exp", "find_index_exp"]) {
      expect(render(`{{ x | ${name}: 'y' }}`)).toMatchObject({ refused: { line: 1 } });
    }
  });

  it("bounds work by counting it", () => {
    const loops = "{% for a in (1..2000) %}{% for b in (1..2000) %}{% endfor %}{% endfor %}";
    expect(render(loops)).toMatchObject({ fault: { detail: "memory alloc limit exceeded" } });
    const list = Array.from({ length: 1_000 }, () => 0);
    const nested = `{% for a in l %}{% for b in l %}{% for c in l %}x{% endfor %}{% endfor %}{% endfor %}`;
    expect(render(nested, { l: list })).toMatchObject({
      fault: { detail: "memory alloc limit exceeded" },
    });
    const much = `{% for a in (1..10000) %}${"x".repeat(1_000)}{% endfor %}`;
    expect(render(much)).toMatchObject({
      fault: { detail: "the result has more than 1000000 characters" },
    });
  });
});
