/**
 * Where a text stops being JSON. The engine's own message names the place for some faults only, so
 * that a second look is taken at a text which `JSON.parse` has refused already. One pass, no
 * recursion and no backtracking: the text comes from outside and may be made to hurt.
 */

/** What may come next. `first…` is right after an opening bracket, where it may close again. */
type Expected = "value" | "firstValue" | "key" | "firstKey" | "colon" | "commaOrEnd" | "end";
type Token = { readonly kind: "mark" | "string" | "scalar"; readonly text: string };
type Scan = { readonly text: string; at: number; readonly open: string[] };

const SPACE = /[ \t\n\r]*/y;
// RFC 8259 §2, §3 and §6: structural characters, and the values that are no strings.
const MARK = /[{}[\],:]/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
// §7: a run without quote, backslash and control characters; then one escape.
const PLAIN = /[^"\\\p{Cc}\u007f-\u009f]*[\u007f-\u009f]?/uy;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** The place of the first fault: offset from 0 in UTF-16 units, line and column from 1. */
export function jsonFault(text: string): { offset: number; line: number; column: number } {
  const offset = faultOffset(text);
  const before = text.slice(0, offset);
  return { offset, line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

function faultOffset(text: string): number {
  const scan: Scan = { text, at: 0, open: [] };
  let expected: Expected = "value";
  for (;;) {
    take(scan, SPACE);
    const start = scan.at;
    const token = nextToken(scan);
    if (token === null) return scan.at;
    const next = behind(expected, token, scan.open);
    if (next === null) return start;
    expected = next;
  }
}

/** Null where no token begins or a string breaks off; `at` is then the place of the fault. */
function nextToken(scan: Scan): Token | null {
  if (scan.text[scan.at] === '"') {
    return takeString(scan) ? { kind: "string", text: "" } : null;
  }
  const mark = take(scan, MARK);
  if (mark !== "") return { kind: "mark", text: mark };
  const scalar = take(scan, SCALAR);
  return scalar === "" ? null : { kind: "scalar", text: scalar };
}

function takeString(scan: Scan): boolean {
  scan.at += 1;
  while (take(scan, PLAIN) !== "" || take(scan, ESCAPE) !== "");
  if (scan.text[scan.at] !== '"') return false;
  scan.at += 1;
  return true;
}

function take(scan: Scan, pattern: RegExp): string {
  pattern.lastIndex = scan.at;
  const found = pattern.exec(scan.text)?.[0] ?? "";
  scan.at += found.length;
  return found;
}

/** What is expected behind this token, or null where the token itself was not. */
function behind(expected: Expected, token: Token, open: string[]): Expected | null {
  const wantsValue = expected === "value" || expected === "firstValue";
  if (token.kind === "string" && (expected === "key" || expected === "firstKey")) return "colon";
  if (token.kind !== "mark") return wantsValue ? behindValue(open) : null;
  switch (token.text) {
    case ":":
      return expected === "colon" ? "value" : null;
    case ",":
      if (expected !== "commaOrEnd") return null;
      return open.at(-1) === "{" ? "key" : "value";
    case "{":
    case "[":
      if (!wantsValue) return null;
      open.push(token.text);
      return token.text === "{" ? "firstKey" : "firstValue";
    default:
      return closes(expected, token.text, open) ? behindValue(open) : null;
  }
}

function closes(expected: Expected, mark: string, open: string[]): boolean {
  const opening = mark === "}" ? "{" : "[";
  const empty = mark === "}" ? "firstKey" : "firstValue";
  if (open.at(-1) !== opening || (expected !== empty && expected !== "commaOrEnd")) return false;
  open.pop();
  return true;
}

function behindValue(open: readonly string[]): Expected {
  return open.length === 0 ? "end" : "commaOrEnd";
}
