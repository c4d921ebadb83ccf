/** Values that programs have stumbled over: of the wrong type, too large, or not what they look like. */
import * as fc from "fast-check";

/** Objects and arrays inside one another; built from text, since a recursion would not get there. */
function nested(levels: number): string {
  return `${'{"a":['.repeat(levels / 2)}0${"]}".repeat(levels / 2)}`;
}

/** What is too long to be printed stands in a plan in short. */
export function writtenOut(json: string): string {
  const [, kind, size] = /^(levels|entries|keys|characters) (\d+)$/.exec(json) ?? [];
  const count = Number(size);
  const each = (one: (at: number) => string) => Array.from({ length: count }, (_, at) => one(at));
  switch (kind) {
    case "levels":
      return nested(count);
    case "entries":
      return `[${each(() => "0").join(",")}]`;
    case "keys":
      return `{${each((at) => `"k${at}":${at}`).join(",")}}`;
    case "characters":
      return JSON.stringify("x".repeat(count));
    case undefined:
    default:
      return json;
  }
}

/** Text of a JSON value, as it will stand in the body. */
const ODD_JSON = [
  "null",
  "true",
  "0",
  "-1",
  "-0",
  "1.5",
  "1e308",
  "1e999",
  "9007199254740993",
  "123456789012345678901234567890",
  '""',
  '" "',
  '"\\u0000"',
  '"\\ud800"',
  '"a\\udc00b"',
  '"\\u202e\\ufeff"',
  '"a\\r\\nBcc: b@a.example"',
  '"__proto__"',
  '"constructor"',
  '"{{ now }}"',
  '"{% for i in (1..999999999) %}{{ i }}{% endfor %}"',
  "\"{{ 'x' | append: 'y'\"",
  '"a@b"',
  '"a@b@c.example"',
  '"\\uff41@a.example"',
  `"${"a".repeat(65)}@a.example"`,
  '"2026-02-30T25:61:61Z"',
  '"+275760-09-13T00:00:00.001Z"',
  '"spring:1"',
  "[]",
  "{}",
  "[[]]",
  "[null]",
  '{"length":3}',
  '{"toString":1,"valueOf":2}',
  '{"__proto__":{"isAdmin":true}}',
  '{"constructor":{"prototype":{"x":1}}}',
  "levels 20",
  "levels 1000",
  "levels 10000",
  "entries 2000",
  "keys 500",
  "characters 257",
  "characters 1025",
  "characters 20000",
  "characters 70000",
  JSON.stringify("\u{1f4a9}".repeat(300)),
];

export const oddJson = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...ODD_JSON) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 4 }) },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)) },
  { weight: 1, arbitrary: fc.double().map((number) => String(number)) },
);

/** Names of fields that are known nowhere. */
export const oddName = fc.constantFrom(
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "",
  "a.b",
  "ID",
  "x".repeat(5_000),
  "\ud800",
  "\u0000",
  "0",
);

/** What a whole body may be instead. */
export const ODD_BODIES: Readonly<Record<string, Uint8Array>> = {
  empty: new Uint8Array(),
  space: bytes(" \n\t"),
  nothing: bytes("null"),
  text: bytes('"text"'),
  list: bytes("[1,2,3]"),
  deepObjects: bytes(nested(10_000)),
  deepArrays: bytes("[".repeat(10_000) + "]".repeat(10_000)),
  deepUnclosed: bytes("[".repeat(100_000)),
  deepRecipients: bytes(`{"recipients":${"[".repeat(10_000)}`),
  deepData: bytes(`{"recipients":[{"email":"a@a.example","data":${nested(10_000)}}]}`),
  proto: bytes('{"__proto__":{"name":"x"},"constructor":1}'),
  notANumber: bytes('{"token":NaN,"limit":Infinity}'),
  comments: bytes('{/* x */"name":"x",}'),
  quotes: bytes("{'name':'x'}"),
  manyKeys: bytes(`{${Array.from({ length: 50_000 }, (_, at) => `"k${at}":0`).join(",")}}`),
  byteOrderMark: new Uint8Array([0xef, 0xbb, 0xbf, ...bytes('{"name":1}')]),
  utf16: new Uint8Array([
    0xff,
    0xfe,
    ...Array.from(bytes('{"name":"x"}')).flatMap((byte) => [byte, 0]),
  ]),
  utf32: new Uint8Array([0, 0, 0xfe, 0xff, 0, 0, 0, 0x7b]),
  latin1: new Uint8Array([...bytes('{"name":"'), 0xe4, 0xf6, ...bytes('"}')]),
  overlong: new Uint8Array([...bytes('{"name":"'), 0xc0, 0xaf, ...bytes('"}')]),
  surrogateBytes: new Uint8Array([...bytes('{"name":"'), 0xed, 0xa0, 0x80, ...bytes('"}')]),
  cutCharacter: new Uint8Array([...bytes('{"name":"'), 0xf0, 0x9f]),
  zeros: new Uint8Array(64),
  gzip: new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xab, 0x56, 0xca]),
  form: bytes("name=x&from=%zz&html=%ff%00"),
  multipart: bytes('--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--'),
  xml: bytes(
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
  ),
  csvQuote: bytes('email,id\n"a@a.example,1\nb@a.example,2\n'),
  csvHeader: bytes("email,email,id,id\na@a.example,b@a.example,1,2\n"),
  csvWide: bytes(`email,${"x,".repeat(3_000)}y\na@a.example\n`),
  csvLine: bytes(`email\n${"a".repeat(70_000)}@a.example\n`),
  csvZero: bytes("email\na\u0000@a.example\n"),
  ndjsonLine: bytes(`{"email":"${"a".repeat(70_000)}"}\n`),
  ndjsonMixed: bytes('{"email":1}\n[]\nnull\n"x"\n{"email"\n'),
};

/** A body that is too large for every route that reads it whole. */
export const TOO_LARGE = bytes(`{"name":"${"x".repeat(2_200_000)}"}`);

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
