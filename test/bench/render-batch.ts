/**
 * How long the mails of one batch take: 100 members, an html template of 20 kB with a dozen fields,
 * text made from it, unsubscribe links signed.
 *
 *   node test/bench/render-batch.ts [members]
 */
import { compileContent } from "../../src/message/compile.ts";
import { renderBatch } from "../../src/message/render-batch.ts";
import { frozenOf, memberOf } from "../support/content.ts";

const ROUNDS = 50;

const count = Number(process.argv[2] ?? 100);
const paragraph = `<p style="margin:0">${"Words that fill a paragraph. ".repeat(172)}</p>`;
const fields =
  "{{ firstName | default: 'you' }} {{ lastName }} {% if city %}from {{ city | upcase }}{% endif %}";
const html = `<body>${`<h2>${fields}</h2>${paragraph}`.repeat(4)}<a href="{{ unsubscribeUrl }}">Stop</a></body>`;
const began = performance.now();
const compiled = compileContent(
  frozenOf({ subject: "Hi {{ firstName }}", html, text: null, unsubscribe: true }),
);
await compiled.linkKey;
const compileMilliseconds = performance.now() - began;
const members = Array.from({ length: count }, (_, at) =>
  memberOf(at + 1, { firstName: "Ada", lastName: "Lovelace", city: "London" }),
);

const milliseconds: number[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  const start = performance.now();
  await renderBatch(compiled, members);
  milliseconds.push(performance.now() - start);
}
const inOrder = milliseconds.toSorted((a, b) => a - b);
console.log(
  JSON.stringify({
    members: count,
    htmlBytes: html.length,
    compileMilliseconds: Number(compileMilliseconds.toFixed(1)),
    firstMilliseconds: Number(milliseconds[0]?.toFixed(1)),
    medianMilliseconds: Number(inOrder[ROUNDS / 2]?.toFixed(1)),
  }),
);
