import { describe, expect, it } from "vitest";
import {
  ENROL_PAGE,
  MAX_DATA_BYTES,
  MAX_DATA_DEPTH,
  MAX_JSON_BODY_BYTES,
  MAX_RECORD_BYTES,
} from "../../../src/domain/limits.ts";
import { faults, taken, upload, type Options } from "../../support/upload.ts";

const json = (content: string | Uint8Array, options?: Options) => upload("json", content, options);
const ndjson = (content: string | Uint8Array, options?: Options) =>
  upload("ndjson", content, options);

function nested(levels: number): unknown {
  return levels === 0 ? 1 : { n: nested(levels - 1) };
}

const ROWS: readonly (readonly [fault: string | null, value: unknown])[] = [
  [null, { email: "Ada@X.com" }],
  [null, { id: "u_1", email: "b@x.com", data: { firstName: "Bo", n: 0, list: [1, { a: null }] } }],
  [null, { id: null, email: "c@x.com", data: null }],
  ["notAnObject", "d@x.com"],
  ["notAnObject", null],
  ["notAnObject", ["d@x.com"]],
  ["badEmail", { id: "u_2" }],
  ["badEmail", { email: 7 }],
  ["badId", { id: 81, email: "e@x.com" }],
  ["badId", { id: "\ud800", email: "e@x.com" }],
  ["badId", { id: "a\0b", email: "e@x.com" }],
  ["badData", { email: "e@x.com", data: [] }],
  ["badData", { email: "e@x.com", data: "x" }],
  ["unknownField", { email: "e@x.com", firstName: "Eve" }],
  ["dataTooDeep", { email: "e@x.com", data: nested(MAX_DATA_DEPTH + 1) }],
  [null, { email: "f@x.com", data: nested(MAX_DATA_DEPTH) }],
  ["dataTooLarge", { email: "e@x.com", data: { n: "x".repeat(MAX_DATA_BYTES) } }],
  ["notOneAtSign", { email: "bob@@x" }],
];
const TAKEN = ["1 ada@x.com", "2 b@x.com", "3 c@x.com", "16 f@x.com"];
const FAULTS = ROWS.flatMap(([fault], at) => (fault === null ? [] : [`${at + 1} ${fault}`]));
/** So many recipients that the body is beyond what is parsed whole, and is read as it comes. */
const CROWD = 2_100;
const PADDING = `{"email":"p@x.com","data":{"n":"${"x".repeat(1_000)}"}},`.repeat(CROWD);

describe("JSON", () => {
  const body = JSON.stringify({ recipients: ROWS.map(([, value]) => value) });

  it("takes the good recipients and names the others by their place", async () => {
    const read = await json(body);
    expect(taken(read)).toEqual(TAKEN);
    expect(faults(read)).toEqual(FAULTS);
    expect(read.enrolments[1]).toEqual({
      line: 2,
      id: "u_1",
      address: "b@x.com",
      email: "b@x.com",
      data: { firstName: "Bo", n: 0, list: [1, { a: null }] },
    });
  });

  it("reads a large body as it comes, to the same result", async () => {
    expect(PADDING.length).toBeGreaterThan(MAX_JSON_BODY_BYTES);
    const whole = await json(body);
    const read = await json(body.replace("[", `[${PADDING}`), { chunk: 10_007 });
    const moved = { enrolments: read.enrolments.slice(CROWD), invalid: read.invalid };
    const back = <Row extends { readonly line: number }>(rows: readonly Row[]) =>
      rows.map((row) => ({ ...row, line: row.line - CROWD }));
    expect(back(moved.enrolments)).toEqual(whole.enrolments);
    expect(back(moved.invalid)).toEqual(whole.invalid);
  });

  it("pages a large body", async () => {
    const recipients = Array.from({ length: 62_000 }, (_, at) => ({
      email: `a${at}@x.com`,
      data: {},
    }));
    const text = JSON.stringify({ recipients });
    expect(text.length).toBeGreaterThan(MAX_JSON_BODY_BYTES);
    const read = await json(text);
    expect(read.enrolments.map(({ email }) => email)).toEqual(recipients.map(({ email }) => email));
    expect(read.pages).toBe(recipients.length / ENROL_PAGE);
  });

  it.each([
    ["malformedJson", '{"recipients":[{"email":"a@x.com"},\n{"email":}]}', 2],
    ["malformedJson", '{"recipients":[{"email":"a@x.com"}]', 1],
    ["malformedJson", '{"recipients":[]}x', 1],
    ["notRecipients", '[{"email":"a@x.com"}]', null],
    ["notRecipients", '{"recipients":{"email":"a@x.com"}}', null],
    ["notRecipients", '{"recipients":7}', null],
    ["notRecipients", "{}", null],
    ["notRecipients", "7", null],
    ["unknownField", '{"recipients":[],"segment":"x"}', null],
    ["unknownField", '{"listName":"x","recipients":[]}', null],
    ["emptyUpload", "", null],
    ["notUtf8", Buffer.from('{"recipients":[{"email":"a@x.com","id":"\xff"}]}', "latin1"), null],
  ] as const)("%s: %s", async (code, content, line) => {
    const read = await json(content);
    expect(read.refusal).toMatchObject({ code, line });
    expect(read.pages).toBe(0);
  });

  it.each([
    ["malformedJson", `{"recipients":[${PADDING}{"email":}]}`],
    ["malformedJson", `{"recipients":[${PADDING}{"email":"a@x.com"}]`],
    ["malformedJson", `{"recipients":[${PADDING}{"email":"a@x.com"}]}x`],
    ["malformedJson", `{"recipients":[${PADDING}{"email":"a@x.c`],
    ["notRecipients", `[${PADDING}7]`],
    ["notRecipients", `{"recipients":{"a":7,"b":[${PADDING}7]}}`],
    ["unknownField", `{"recipients":[${PADDING}{}],"segment":{"a":[1]}}`],
    ["unknownField", `{"listName":["x"],"recipients":[${PADDING}{}]}`],
    ["recordTooLong", `{"recipients":[${PADDING}{"email":"${"x".repeat(2 * MAX_RECORD_BYTES)}"}]}`],
    ["recordTooLong", `{"listName":[${PADDING}{}],"recipients":[]}`],
    ["notUtf8", Buffer.from(`{"recipients":[${PADDING}{"email":"\xff"}]}`, "latin1")],
  ] as const)("%s in a large body, case %#", async (code, content) => {
    expect((await json(content)).refusal?.code).toBe(code);
  });

  it.each([
    ['{"recipients":[\n{"email":"a@x.com"},\n  maybe,\n{"email":"b@x.com"}]}', 3, "column 3"],
    ['{"recipients":\n["at position 1"]]}', 2, "column 18"],
    ['{"recipients":[', 1, "ends too early"],
  ])("names the place where %j is not JSON", async (content, line, place) => {
    const { refusal } = await json(content);
    expect(refusal).toMatchObject({ code: "malformedJson", line });
    expect(refusal?.detail).toContain(place);
  });

  it("enrols nobody of a small malformed body, and says where a large one stopped", async () => {
    const small = await json(`{"recipients":[${'{"email":"a@x.com"},'.repeat(3_000)}!]}`);
    expect(small).toMatchObject({ pages: 0, refusal: { code: "malformedJson" } });
    const large = await json(`{"recipients":[${PADDING}!]}`);
    expect(large.pages).toBe(Math.floor(CROWD / ENROL_PAGE));
    expect(large.refusal).toMatchObject({ code: "malformedJson", line: CROWD + 1 });
    expect(large.refusal?.detail).toContain(`after recipient ${CROWD}`);
  });

  it("keeps __proto__ a name like any other", async () => {
    const one = '{"email":"a@x.com","data":{"__proto__":{"evil":1}}}';
    for (const content of [`{"recipients":[${one}]}`, `{"recipients":[${PADDING}${one}]}`]) {
      const data = (await json(content)).enrolments.at(-1)?.data ?? {};
      expect(Object.keys(data)).toEqual(["__proto__"]);
      expect(data.evil).toBeUndefined();
    }
  });

  it("an empty list is no error", async () => {
    expect(await json('{"recipients":[]}')).toMatchObject({ pages: 0, refusal: null });
  });
});

describe("NDJSON", () => {
  const body = ROWS.map(([, value]) => JSON.stringify(value)).join("\n");

  it("takes the good lines and names the others", async () => {
    for (const chunk of [1, 100, 1_000_000]) {
      const read = await ndjson(body, { chunk });
      expect(taken(read)).toEqual(TAKEN);
      expect(faults(read)).toEqual(FAULTS);
    }
  });

  it("goes on after lines that can't be read", async () => {
    const lines = [
      '\ufeff{"email":"a@x.com"}\r',
      "",
      '{"email":',
      '{"email":"b@x.com"}{"email":"c@x.com"}',
      `{"email":"d@x.com","data":{"n":"${"x".repeat(3 * MAX_RECORD_BYTES)}"}}`,
      '{"email":"e@x.com"}',
    ];
    for (const chunk of [1_000, 1_000_000]) {
      const read = await ndjson(lines.join("\n"), { chunk });
      expect(taken(read)).toEqual(["1 a@x.com", "6 e@x.com"]);
      expect(faults(read)).toEqual(["3 malformedJson", "4 malformedJson", "5 recordTooLong"]);
    }
  });

  it("names lines that are not UTF-8", async () => {
    const bytes = Buffer.from('{"email":"a@x.com","id":"\xfc"}\n{"email":"b@x.com"}\n', "latin1");
    const read = await ndjson(bytes);
    expect(faults(read)).toEqual(["1 notUtf8"]);
    expect(taken(read)).toEqual(["2 b@x.com"]);
  });

  it("refuses zero bytes", async () => {
    expect((await ndjson("")).refusal).toMatchObject({ code: "emptyUpload" });
  });
});
