import { describe, expect, it } from "vitest";
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
});
