import { describe, expect, it } from "vitest";
import { readSegment, SegmentRefusal, type SegmentColumns } from "../../../src/audience/segment.ts";
import type { InvalidRow } from "../../../src/audience/read-upload.ts";
import type { Enrolment } from "../../../src/domain/enrolment.ts";
import { ENROL_PAGE, MAX_SEGMENT_TIES } from "../../../src/domain/limits.ts";
import { NodeD1 } from "../../support/node-d1.ts";

type Read = { enrolments: Enrolment[]; invalid: InvalidRow[]; pages: number };

async function read(database: NodeD1, segment = "v", columns: SegmentColumns = {}): Promise<Read> {
  const found: Read = { enrolments: [], invalid: [], pages: 0 };
  for await (const page of readSegment(database, segment, columns)) {
    found.pages += 1;
    found.enrolments.push(...page.enrolments);
    found.invalid.push(...page.invalid);
  }
  return found;
}

async function refusal(database: NodeD1, segment: string, columns: SegmentColumns = {}) {
  try {
    await read(database, segment, columns);
  } catch (error) {
    if (error instanceof SegmentRefusal) return error;
    throw error;
  }
  throw new Error("the segment was read");
}

/** A view over so many rows, whose columns are computed from the number `i` of each. */
function numbered(count: number, select: string): NodeD1 {
  return new NodeD1(`CREATE TABLE n (i INTEGER PRIMARY KEY);
    INSERT INTO n WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < ${count})
      SELECT i FROM c;
    CREATE VIEW v AS SELECT ${select} FROM n`);
}

const ids = ({ enrolments }: Read): string[] => enrolments.map(({ id }) => id);

describe("a segment", () => {
  it("becomes recipients with the other columns as data", async () => {
    const database =
      new NodeD1(`CREATE TABLE people (id TEXT, email TEXT, firstName TEXT, n, b BLOB);
      INSERT INTO people VALUES ('u_1', ' Ada@X.org', 'Ada', 1.5, x'00ff'),
        ('u_2', 'bob@x.org', NULL, 9007199254740993, NULL);
      CREATE VIEW v AS SELECT * FROM people`);
    expect((await read(database)).enrolments).toEqual([
      {
        line: 1,
        id: "u_1",
        address: "ada@x.org",
        email: "Ada@X.org",
        data: { firstName: "Ada", n: 1.5, b: null },
      },
      {
        line: 2,
        id: "u_2",
        address: "bob@x.org",
        email: "bob@x.org",
        data: { firstName: null, n: "9007199254740993", b: null },
      },
    ]);
  });

  it.each([
    ["text", "printf('u_%05d', i)"],
    ["whole numbers", "i"],
    ["whole numbers above 2^53", "i + 9007199254740992"],
    ["negative numbers", "-i"],
    ["text that looks like numbers", "CAST(i AS TEXT)"],
    ["numbers and texts beside each other", "CASE WHEN i % 2 THEN i ELSE printf('%d', i) END"],
    ["cases that differ", "CASE WHEN i % 2 THEN printf('A%d', i) ELSE printf('a%d', i) END"],
  ])("is read whole, each row once, along ids that are %s", async (_, id) => {
    const found = await read(numbered(3 * ENROL_PAGE + 7, `${id} AS id, i || '@x.org' AS email`));
    expect(found.enrolments).toHaveLength(3 * ENROL_PAGE + 7);
    expect(new Set(found.enrolments.map(({ address }) => address)).size).toBe(3 * ENROL_PAGE + 7);
    expect(found.invalid).toEqual([]);
  });

  it("is read in the order of bytes where the id's own order is another", async () => {
    const database = new NodeD1(`CREATE TABLE people (id TEXT COLLATE NOCASE, email TEXT);
      CREATE VIEW v AS SELECT id, email FROM people;
      INSERT INTO people WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c
        WHERE i < ${ENROL_PAGE}) SELECT 'a' || i, 'a' || i || '@x.org' FROM c;
      INSERT INTO people SELECT upper(id), 'b' || email FROM people`);
    expect(new Set(ids(await read(database))).size).toBe(2 * ENROL_PAGE);
  });

  it.each([
    ["one id for pages of rows", "'same'"],
    ["ids that stand at the seam of two pages", `(i + ${ENROL_PAGE / 2}) / ${ENROL_PAGE}`],
    ["no ids", "NULL"],
    ["some ids", `CASE WHEN i <= ${ENROL_PAGE + 3} THEN NULL ELSE i END`],
    ["empty ids", "''"],
  ])("skips nobody and ends with %s", async (_, id) => {
    const count = 2 * ENROL_PAGE + 5;
    const found = await read(numbered(count, `${id} AS id, i || '@x.org' AS email`));
    expect(new Set(found.enrolments.map(({ address }) => address)).size).toBe(count);
    expect(found.enrolments).toHaveLength(count);
  });

  it("gives rows that are the same in everything each time they stand there", async () => {
    const found = await read(numbered(ENROL_PAGE + 2, "7 AS id, 'a@x.org' AS email"));
    expect(found.enrolments).toHaveLength(ENROL_PAGE + 2);
  });

  it("is refused where so many rows have one id that it is none", async () => {
    const database = numbered(MAX_SEGMENT_TIES + ENROL_PAGE, "1 AS id, i || '@x.org' AS email");
    const { code, detail } = await refusal(database, "v");
    expect(code).toBe("unfit");
    expect(detail).toContain("Give each row an id of its own");
  });

  it("takes the address for an id that is missing", async () => {
    expect(ids(await read(numbered(1, "NULL AS id, 'Ada@X.org' AS email")))).toEqual(["ada@x.org"]);
  });

  it("names rows that are no recipients by their number", async () => {
    const database = new NodeD1(`CREATE TABLE people (id, email);
      INSERT INTO people VALUES (1, 'a@x.org'), (2, NULL), (3, 'bob@@x.org'), (4.5, 'c@x.org');
      CREATE VIEW v AS SELECT * FROM people`);
    const { enrolments, invalid } = await read(database);
    expect(enrolments).toHaveLength(1);
    expect(invalid.map(({ line, code }) => [line, code])).toEqual([
      [2, "badEmail"],
      [3, "notOneAtSign"],
      [4, "badId"],
    ]);
  });

  it("is empty where its view is", async () => {
    const database = new NodeD1("CREATE VIEW v AS SELECT 1 AS id, 'a@x.org' AS email WHERE false");
    expect(await read(database)).toEqual({ enrolments: [], invalid: [], pages: 0 });
  });

  it("finds its columns in any case, and by other names where those are given", async () => {
    const database = numbered(1, 'i AS Customer, \'a@x.org\' AS "E-""Mail", 1 AS id, 2 AS Email');
    expect((await read(database)).invalid).toHaveLength(1);
    const found = await read(database, "v", { id: "customer", email: 'e-"mail' });
    expect(found.enrolments[0]).toMatchObject({ id: "1", data: { id: 1, Email: 2 } });
  });
});

function withViews(): NodeD1 {
  return new NodeD1(`CREATE TABLE secrets (id TEXT, email TEXT); CREATE VIEW v AS SELECT * FROM secrets;
      CREATE VIEW "odd ""; DROP TABLE secrets; --" AS SELECT * FROM secrets;
      CREATE VIEW broken AS SELECT id, email FROM gone;
      CREATE VIEW halves AS SELECT email, 1 AS age FROM secrets`);
}

describe("a name", () => {
  it.each([
    "secrets",
    "nobody",
    "V",
    "v; DROP TABLE secrets",
    'v"',
    "sqlite_master",
    "v' OR '1'='1",
  ])("that is no view is not found, and is in no statement: %s", async (name) => {
    const source = withViews();
    expect((await refusal(source, name)).code).toBe("notFound");
    expect(source.asked).toEqual([
      "SELECT name FROM sqlite_master WHERE type = 'view' AND name = ?1",
    ]);
  });

  it("of a view may hold anything, and is quoted", async () => {
    const source = withViews();
    await read(source, 'odd "; DROP TABLE secrets; --');
    expect((await read(source)).enrolments).toEqual([]);
  });

  it("of a view over nothing is unfit, with the database's own words", async () => {
    const { code, detail } = await refusal(withViews(), "broken");
    expect(code).toBe("unfit");
    expect(detail).toContain("no such table");
  });

  it("of a view without the columns says which it has", async () => {
    const { code, detail } = await refusal(withViews(), "halves");
    expect(code).toBe("unfit");
    expect(detail).toBe(
      'The view "halves" needs two columns, "id" and "email". It has "email", "age".',
    );
  });

  it("of one column for both is refused", async () => {
    expect((await refusal(withViews(), "v", { id: "email" })).code).toBe("unfit");
  });
});

it("a database that does not answer may be asked again", async () => {
  const silent = {
    prepare: () => ({
      bind: () => ({ raw: () => Promise.reject(new Error("D1_ERROR: Network connection lost.")) }),
    }),
  };
  const pages = readSegment(silent, "v");
  await expect(pages.next()).rejects.toMatchObject({ code: "unavailable" });
});
