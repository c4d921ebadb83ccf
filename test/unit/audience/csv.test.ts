import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readUpload } from "../../../src/audience/read-upload.ts";
import { ENROL_PAGE, MAX_DATA_BYTES, MAX_RECORD_BYTES } from "../../../src/domain/limits.ts";
import { faults, taken, upload, type Options } from "../../support/upload.ts";

const csv = (content: string | Uint8Array, options?: Options) => upload("csv", content, options);

function utf16(text: string, order: "le" | "be"): Uint8Array {
  const bytes = Buffer.from(`\ufeff${text}`, "utf16le");
  return order === "le" ? bytes : bytes.swap16();
}

/** A header and nine rows, one of them as given. */
function ten(line: number, row: string): string {
  const rows = Array.from({ length: 10 }, (_, at) => `r${at + 1}@x.com,"n${at + 1}"`);
  rows[0] = "email,name";
  rows[line - 1] = row;
  return rows.join("\n");
}

describe("good files", () => {
  it("gives id, address, email and data of each row with its line", async () => {
    const read = await csv("id,email,firstName,City\nu_1,Ada@X.com,Ada,London\n,b@x.com,,\n");
    expect(read.refusal).toBeNull();
    expect(read.enrolments).toEqual([
      {
        line: 2,
        id: "u_1",
        address: "ada@x.com",
        email: "Ada@X.com",
        data: { firstName: "Ada", City: "London" },
      },
      {
        line: 3,
        id: "b@x.com",
        address: "b@x.com",
        email: "b@x.com",
        data: { firstName: "", City: "" },
      },
    ]);
  });

  it("C70: a UTF-8 byte order mark before the header", async () => {
    const read = await csv("\ufeffemail,name\na@x.com,Ada\n");
    expect(taken(read)).toEqual(["2 a@x.com"]);
    expect(read.enrolments[0]?.data).toEqual({ name: "Ada" });
  });

  it.each(["le", "be"] as const)("C70: UTF-16 %s with its mark is decoded", async (order) => {
    const text = "email;name\r\na@x.com;Zoë 🎈\r\nb@x.com;Łukasz\r\n";
    const read = await csv(utf16(text, order), { chunk: 3 });
    expect(read.enrolments.map(({ data }) => data.name)).toEqual(["Zoë 🎈", "Łukasz"]);
    expect(read.invalid).toEqual([]);
  });

  it.each([
    ["comma", ","],
    ["semicolon", ";"],
    ["tab", "\t"],
  ])("finds the %s from the header line", async (_, delimiter) => {
    const rows = [
      ["email", "name", "note"],
      ["a@x.com", "Ada", "plain"],
    ];
    const read = await csv(rows.map((row) => row.join(delimiter)).join("\r\n"));
    expect(read.enrolments[0]?.data).toEqual({ name: "Ada", note: "plain" });
  });

  it("does not count delimiters inside a quoted name", async () => {
    const read = await csv('"a,b,c,d";email\n1;a@x.com\n');
    expect(read.enrolments[0]?.data).toEqual({ "a,b,c,d": "1" });
  });

  it("takes a file of one column", async () => {
    expect(taken(await csv("email\na@x.com\nb@x.com"))).toEqual(["2 a@x.com", "3 b@x.com"]);
  });

  it("C71: skips blank lines and still counts them", async () => {
    const read = await csv("\n\nemail,name\n\na@x.com,Ada\n   \n\r\nb@x.com,Bo\n\n");
    expect(taken(read)).toEqual(["5 a@x.com", "8 b@x.com"]);
    expect(read.invalid).toEqual([]);
  });

  it.each(["\n", "\r\n", "\r"])("C71: counts %j inside quotes as one line end", async (end) => {
    const rows = ["email,note", 'a@x.com,"one', "two", 'three"', "bad", "b@x.com,x"];
    const read = await csv(rows.join(end));
    expect(taken(read)).toEqual(["2 a@x.com", "6 b@x.com"]);
    expect(faults(read)).toEqual(["5 shortRow"]);
    expect(read.enrolments[0]?.data).toEqual({ note: `one${end}two${end}three` });
  });

  it("reads the same whatever the chunks", async () => {
    const text = '\ufeffemail;note\r\na@x.com;"é\r\n🎈 ""q"""\r\nb@x.com;5" x\r\nc@ü.de;\r\n';
    const whole = await csv(text);
    expect(faults(whole)).toEqual(["4 brokenQuote"]);
    for (const chunk of [1, 2, 3, 5, 7, 11]) expect(await csv(text, { chunk })).toEqual(whole);
  });

  it("a column called __proto__ is data like any other", async () => {
    const read = await csv("email,__proto__,constructor\na@x.com,evil,c\n");
    const data = read.enrolments[0]?.data ?? {};
    expect(Object.entries(data)).toEqual([
      ["__proto__", "evil"],
      ["constructor", "c"],
    ]);
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).evil).toBeUndefined();
  });

  it("pages hold at most ENROL_PAGE rows, whether good or bad", async () => {
    const rows = Array.from({ length: 2 * ENROL_PAGE + 1 }, (_, at) =>
      at % 2 === 0 ? `a${at}@x.com` : "nobody",
    );
    const read = await csv(`email\n${rows.join("\n")}`);
    expect(read.pages).toBe(3);
    expect(read.enrolments.length + read.invalid.length).toBe(rows.length);
  });
});

describe("columns", () => {
  it("are mapped by name", async () => {
    const read = await csv("Customer,Email Address,email\n7,a@x.com,old@x.com\n", {
      email: "Email Address",
      id: "Customer",
    });
    expect(read.enrolments[0]).toMatchObject({
      id: "7",
      address: "a@x.com",
      data: { email: "old@x.com" },
    });
  });

  it("are found in any case and with spaces around", async () => {
    const read = await csv(" E-Mail , EMAIL\u00a0,ID\nx,a@x.com,7\n");
    expect(read.enrolments[0]).toMatchObject({ id: "7", data: { "E-Mail": "x" } });
  });

  it("without a name may be empty, and a value in one is named", async () => {
    const read = await csv("email,name,,\na@x.com,Ada,,\nb@x.com,Bo,,x\n");
    expect(taken(read)).toEqual(["2 a@x.com"]);
    expect(faults(read)).toEqual(["3 unnamedColumn"]);
    expect(read.enrolments[0]?.data).toEqual({ name: "Ada" });
  });

  it.each([
    ["duplicateColumn", "email,name,name\na@x.com,1,2\n", {}],
    ["duplicateColumn", "Email,EMAIL\na@x.com,b@x.com\n", {}],
    ["duplicateColumn", "email,name\na@x.com,1\n", { id: "email" }],
    ["noEmailColumn", "mail,name\na@x.com,1\n", {}],
    ["noEmailColumn", "email,name\na@x.com,1\n", { email: "Address" }],
    ["noIdColumn", "email,name\na@x.com,1\n", { id: "Customer" }],
    ["brokenHeader", 'email,na"me\na@x.com,1\n', {}],
    ["brokenHeader", `email,${"n".repeat(2 * MAX_RECORD_BYTES)}\na@x.com,1\n`, {}],
    ["notUtf8", Buffer.from("email,stra\xdfe\na@x.com,1\n", "latin1"), {}],
    ["notUtf8", Buffer.from("email,name\na@x.com,1\n", "utf16le"), {}],
  ] as const)("%s", async (code, content, options) => {
    const read = await csv(content, options);
    expect(read.refusal).toMatchObject({ code, line: 1 });
    expect(read.pages).toBe(0);
  });

  it("a refusal lists the columns that were found", async () => {
    const read = await csv("mail;first name\nx;y\n");
    expect(read.refusal?.detail).toBe(
      'No column is called "email". Found: "mail", "first name". Name one by ?email=Name.',
    );
  });
});

describe("bad rows", () => {
  const others = [2, 3, 4, 6, 7, 8, 9, 10].map((line) => `${line} r${line}@x.com`);

  it.each([
    ["inside a field", 'r5@x.com,a "b" c'],
    ["at the start of a field, never closed", 'r5@x.com,"abc'],
    ["at the start of the row, never closed", '"r5@x.com,abc'],
    ["after a quoted field", 'r5@x.com,"a"b'],
    ["alone in a field", 'r5@x.com,"'],
    ["before a quoted field", 'r5@x.com, "a"'],
  ])("C71: a bare quote in line 5 of 10, %s", async (_, row) => {
    for (const chunk of [1, 10, 1_000]) {
      const read = await csv(ten(5, row), { chunk });
      expect(taken(read)).toEqual(others);
      expect(faults(read)).toEqual(["5 brokenQuote"]);
    }
  });

  it("C71: a bare quote in the last line", async () => {
    const read = await csv(ten(10, 'r10@x.com,"abc'));
    expect(faults(read)).toEqual(["10 brokenQuote"]);
    expect(read.enrolments).toHaveLength(8);
  });

  it("C71: short and long rows", async () => {
    const read = await csv("email,name\na@x.com\nb@x.com,B,more\nc@x.com,C\n,\n");
    expect(faults(read)).toEqual(["2 shortRow", "3 longRow", "5 emptyAddress"]);
    expect(taken(read)).toEqual(["4 c@x.com"]);
    expect(read.invalid[0]?.detail).toBe("The row has 1 field, the header 2 columns.");
  });

  it("C06: spellings of one mailbox have one address; a full-width @ is refused", async () => {
    const spellings = ["a@x.com", "A@X.com", " a@x.com ", "a@x.com\u200b", "a@x.com\u00a0"];
    const read = await csv(["email", ...spellings, "a\uff20x.com"].join("\n"));
    expect(new Set(read.enrolments.map(({ address }) => address))).toEqual(new Set(["a@x.com"]));
    expect(read.enrolments.map(({ line }) => line)).toEqual([2, 3, 4, 5, 6]);
    expect(faults(read)).toEqual(["7 notOneAtSign"]);
  });

  it("C50: bad addresses among good ones, by line", async () => {
    const rows = [
      "a@x.com,1",
      "bob@@x,2",
      ",3",
      "a@b,4",
      `${"l".repeat(300)}@x.com,5`,
      "z@x.com,6",
    ];
    const read = await csv(`email,n\n${rows.join("\n")}`);
    expect(taken(read)).toEqual(["2 a@x.com", "7 z@x.com"]);
    expect(faults(read)).toEqual([
      "3 notOneAtSign",
      "4 emptyAddress",
      "5 domainWithoutDot",
      "6 localPartTooLong",
    ]);
  });

  it("names rows with bytes that are not UTF-8", async () => {
    const bytes = Buffer.from("email,name\na@x.com,J\xfcrgen\nb@x.com,Bo\n", "latin1");
    const read = await csv(bytes);
    expect(faults(read)).toEqual(["2 notUtf8"]);
    expect(read.invalid[0]?.detail).toContain("Field 2");
    expect(taken(read)).toEqual(["3 b@x.com"]);
  });

  it.each([1_000, 65_536, 1_000_000])("bounds a row, in chunks of %i", async (chunk) => {
    const long = "x".repeat(3 * MAX_RECORD_BYTES);
    const commas = ",".repeat(3 * MAX_RECORD_BYTES);
    const read = await csv(`email,n\na@x.com,${long}\nb@x.com,1\nc@x.com${commas}\nd@x.com,1\n`, {
      chunk,
    });
    expect(faults(read)).toEqual(["2 recordTooLong", "4 recordTooLong"]);
    expect(taken(read)).toEqual(["3 b@x.com", "5 d@x.com"]);
  });

  it("bounds the data of a recipient, and its id", async () => {
    const most = MAX_DATA_BYTES - '{"n":""}'.length;
    const rows = [
      `${"i".repeat(256)},a@x.com,${"x".repeat(most)}`,
      `2,b@x.com,${"x".repeat(most + 1)}`,
      `${"i".repeat(257)},c@x.com,1`,
      `4,d@x.com,${"ü".repeat(most / 2 + 1)}`,
    ];
    const read = await csv(`id,email,n\n${rows.join("\n")}`);
    expect(taken(read)).toEqual(["2 a@x.com"]);
    expect(faults(read)).toEqual(["3 dataTooLarge", "4 badId", "5 dataTooLarge"]);
  });

  it("takes the good rows and names the bad ones of any mixture", async () => {
    const good = fc.constantFrom('g@x.com,"a,b"', "g@x.com,a", 'g@x.com,"say ""hi"""', "g@x.com,");
    const bad = fc.constantFrom('g@x.com,a"b', "g@x.com", "g@x.com,a,b", "@,x", 'g@x.com,"a"b');
    const row = fc.oneof(
      good.map((text) => ({ text, isGood: true })),
      bad.map((text) => ({ text, isGood: false })),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1 }),
        fc.integer({ min: 1, max: 40 }),
        async (rows, chunk) => {
          const read = await csv(["email,n", ...rows.map(({ text }) => text)].join("\r\n"), {
            chunk,
          });
          const lines = (isGood: boolean) =>
            rows.flatMap((each, at) => (each.isGood === isGood ? [at + 2] : []));
          expect(read.enrolments.map(({ line }) => line)).toEqual(lines(true));
          expect(read.invalid.map(({ line }) => line)).toEqual(lines(false));
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe("whole uploads that can't be read", () => {
  it("C71: zero bytes", async () => {
    expect((await csv("")).refusal).toMatchObject({ code: "emptyUpload", line: null });
  });

  it("C71: header only", async () => {
    for (const text of ["email,name", "email,name\n", "\ufeffemail,name\r\n\r\n  \r\n"]) {
      expect((await csv(text)).refusal).toMatchObject({ code: "noRecipients", line: 1 });
    }
  });

  it("blank lines only, or only a mark", async () => {
    expect((await csv("\n \n\r\n")).refusal).toMatchObject({ code: "emptyUpload" });
    expect((await csv("\ufeff")).refusal).toMatchObject({ code: "emptyUpload" });
  });

  it("open quotes without end stop it, with what was read before", async () => {
    const rows = Array.from({ length: 3_000 }, (_, at) => `a${at}@x.com,"open\n\n`);
    const read = await csv(`email,n\n${rows.join("")}`);
    expect(read.refusal).toMatchObject({ code: "brokenQuotes" });
  });
});

describe("the stream", () => {
  it("C72: is asked for no more than the page in making needs, and given up on return", async () => {
    let given = 0;
    let cancelled = false;
    const row = new TextEncoder().encode("a@x.com\n".repeat(ENROL_PAGE));
    const body = new ReadableStream<Uint8Array>(
      {
        start(controller) {
          controller.enqueue(new TextEncoder().encode("email\n"));
        },
        pull(controller) {
          given += 1;
          controller.enqueue(row);
        },
        cancel() {
          cancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
    for await (const page of readUpload(body, "csv", {})) {
      expect(page.enrolments).toHaveLength(ENROL_PAGE);
      if (given >= 5) break;
      expect(given).toBeLessThanOrEqual(5);
    }
    expect(given).toBe(5);
    // What becomes of the rest is for whoever has the body (http/body.ts).
    expect([cancelled, body.locked]).toEqual([false, false]);
  });

  it("refuses a body that breaks off, in words of its own", async () => {
    let pulls = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulls += 1;
        if (pulls === 1) controller.enqueue(new TextEncoder().encode("email\na@x.com\n"));
        else controller.error(new Error("connection reset"));
      },
    });
    const next = readUpload(body, "csv", {})[Symbol.asyncIterator]().next();
    await expect(next).rejects.toMatchObject({ code: "interrupted", line: null });
  });
});
