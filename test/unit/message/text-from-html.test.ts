import { describe, expect, it } from "vitest";
import { MAX_TEXT_FROM_DEPTH } from "../../../src/domain/limits.ts";
import { textFromHtml } from "../../../src/message/text-from-html.ts";

describe("textFromHtml", () => {
  it("keeps the Liquid, the links and the words in their case", () => {
    const html = `<html><head><title>{{ title }}</title><style>p { color: red }</style></head><body>
      <h1>Hello {{ firstName | default: "<you>" }}</h1>
      <p>Some <b>news</b> &amp; more<br>for {{ city }}.</p>
      <ul>{% for item in items %}<li>{{ item }}</li>{% endfor %}</ul>
      <img src="{{ logo }}"><a href="{{ unsubscribeUrl }}">Unsubscribe</a></body></html>`;
    expect(textFromHtml(html)).toBe(
      [
        'Hello {{ firstName | default: "<you>" }}',
        "",
        "Some news & more",
        "for {{ city }}.",
        "",
        "   {% for item in items %}",
        " * {{ item }}",
        "   {% endfor %}",
        "",
        "Unsubscribe [{{ unsubscribeUrl }}]",
      ].join("\n"),
    );
  });

  it("gives none where a tag is lost or moved", () => {
    expect(textFromHtml('<p {% if x %}class="a"{% endif %}>x</p>')).toBeNull();
    expect(textFromHtml("<style>{% if x %}p{}{% endif %}</style><p>x</p>")).toBeNull();
  });

  it("gives none where the text would spell Liquid that was none", () => {
    expect(textFromHtml("<p>&#123;&#123; email }}</p>")).toBeNull();
    expect(textFromHtml("<p>\ue0000\ue001</p>")).toBeNull();
  });

  it("gives none of html that is nested deeper than is counted, however deep the stack is", () => {
    const most = "<div>".repeat(MAX_TEXT_FROM_DEPTH);
    expect(textFromHtml(`${most}Hello`)).toBe("Hello");
    expect(textFromHtml(`${most}<div>Hello`)).toBeNull();
    const rest = `<p>The rest</p>${"<table><tr><td>".repeat(5_000)}Hello`;
    expect(textFromHtml(rest)).toBeNull();
  });
});
