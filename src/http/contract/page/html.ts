/** Text into html. Nothing gets onto the page but through here. */

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

export function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

/** A sentence; what stands between backticks is code. */
export function prose(text: string): string {
  return escaped(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");
}

export function paragraphs(text: string): string {
  return text
    .split("\n\n")
    .map((each) => `<p>${prose(each)}</p>`)
    .join("");
}

export function code(text: string): string {
  return `<pre class="code"><code>${escaped(text)}</code></pre>`;
}

/** A piece that opens by a key or a click, without a script. */
export function foldable(summary: string, content: string): string {
  return `<details><summary>${summary}</summary>${content}</details>`;
}
