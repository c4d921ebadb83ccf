import { describe, expect, it } from "vitest";
import type { DeliveryStatus } from "../../../src/campaign/rpc.ts";
import { NodeStack } from "../../support/node-stack.ts";
import { problemOf } from "./api.ts";

const SPRING = "/api/campaigns/spring";
const SEGMENT = `${SPRING}/recipients/segment`;
const CAMPAIGN = {
  id: "spring",
  name: "Spring",
  from: "Shop <news@shop.test>",
  subject: "Hello",
  text: "Hello",
};
const AUDIENCE = `CREATE TABLE people (id TEXT PRIMARY KEY, email TEXT, city TEXT);
  INSERT INTO people VALUES ('u_1', 'ada@x.org', 'London'), ('u_2', 'Bob@x.org', 'Paris'),
    ('u_3', 'eve@x.org', 'Rome'), ('u_4', 'nobody', 'Rome');
  CREATE VIEW everybody AS SELECT * FROM people;
  CREATE VIEW romans AS SELECT 'r_' || id AS id, upper(email) AS email FROM people
    WHERE city = 'Rome';
  CREATE VIEW nameless AS SELECT city FROM people`;

async function stackWith(audience = AUDIENCE): Promise<NodeStack> {
  const stack = new NodeStack(audience);
  await stack.json("POST", "/api/campaigns", CAMPAIGN);
  return stack;
}

describe("recipients from a segment", () => {
  it("are everybody in the view, answered as an upload is", async () => {
    const stack = await stackWith();
    expect(await stack.json("POST", SEGMENT, { segment: "everybody" })).toEqual({
      added: 3,
      duplicates: 0,
      suppressed: 0,
      invalid: 1,
      total: 3,
      problems: [{ line: 4, code: "notOneAtSign", detail: expect.stringContaining("none") }],
    });
    expect(await stack.json("GET", `${SPRING}/recipients/u_2`)).toMatchObject({
      email: "Bob@x.org",
      data: { city: "Paris" },
    });
  });

  it("C03: the same address in two segments and two uploads is one row", async () => {
    const stack = await stackWith();
    const csv = "email,id\nEVE@x.org,u_9\nada@x.org,u_1\n";
    const counts: { added: number; duplicates: number; invalid: number; total: number }[] = [];
    counts.push(await stack.json("POST", SEGMENT, { segment: "everybody" }));
    counts.push(await stack.json("POST", `${SPRING}/recipients`, csv, "text/csv"));
    counts.push(await stack.json("POST", SEGMENT, { segment: "romans" }));
    counts.push(await stack.json("POST", `${SPRING}/recipients`, csv, "text/csv"));
    counts.push(await stack.json("POST", SEGMENT, { segment: "everybody" }));
    expect(
      counts.map(({ added, duplicates, invalid, total }) => [added, duplicates, invalid, total]),
    ).toEqual([
      [3, 0, 1, 3],
      [0, 2, 0, 3],
      [0, 1, 1, 3],
      [0, 2, 0, 3],
      [0, 3, 1, 3],
    ]);
    const { stats } = await stack.json<DeliveryStatus>("GET", `${SPRING}/delivery-status`);
    expect(stats).toMatchObject({ total: 3, remaining: 3 });
  });

  it("are frozen at start, and what changes in the view afterwards changes nothing", async () => {
    const stack = await stackWith();
    await stack.json("POST", SEGMENT, { segment: "everybody" });
    await stack.json("POST", `${SPRING}/start`);
    stack.audience.database.exec("INSERT INTO people VALUES ('u_5', 'new@x.org', 'Oslo')");
    const asked = stack.audience.asked.length;
    const late = await stack.ask("POST", SEGMENT, { segment: "everybody" });
    expect(late.status).toBe(409);
    expect((await problemOf(late)).code).toBe("wrongState");
    expect(stack.audience.asked).toHaveLength(asked);
    const { stats } = await stack.json<DeliveryStatus>("GET", `${SPRING}/delivery-status`);
    expect(stats.total).toBe(3);
  });

  it.each([
    [404, "segmentNotFound", { segment: "people" }],
    [404, "segmentNotFound", { segment: "x; DROP TABLE people" }],
    [409, "segmentUnfit", { segment: "nameless" }],
    [409, "segmentUnfit", { segment: "everybody", email: "mail" }],
    [400, "invalidFields", { segment: "" }],
    [400, "invalidFields", { segment: "everybody", where: "1=1" }],
    [400, "invalidFields", {}],
  ])("%d %s for %j", async (status, code, body) => {
    const response = await (await stackWith()).ask("POST", SEGMENT, body);
    expect(response.status).toBe(status);
    expect((await problemOf(response)).code).toBe(code);
  });

  it("of a campaign that is not there are 404", async () => {
    const stack = new NodeStack(AUDIENCE);
    const response = await stack.ask("POST", SEGMENT, { segment: "everybody" });
    expect((await problemOf(response)).code).toBe("campaignNotFound");
    expect(stack.audience.asked).toEqual([]);
  });

  it("that stop half-way are counted, and come whole when asked for again", async () => {
    const stack = await stackWith(`CREATE TABLE n (id INTEGER PRIMARY KEY);
      INSERT INTO n WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 2500)
        SELECT i FROM c;
      CREATE VIEW everybody AS SELECT id, id || '@x.org' AS email FROM n`);
    const { audience } = stack;
    const prepare = audience.prepare.bind(audience);
    let pages = 0;
    audience.prepare = (sql: string) => {
      const isPage = sql.includes("LIMIT");
      if (isPage) pages += 1;
      return isPage && pages === 2
        ? { bind: () => ({ raw: () => Promise.reject(new Error("D1_ERROR: connection lost.")) }) }
        : prepare(sql);
    };
    const broken = await stack.ask("POST", SEGMENT, { segment: "everybody" });
    expect(broken.status).toBe(503);
    expect(broken.headers.get("retry-after")).toBe("1");
    expect(await problemOf(broken)).toMatchObject({ added: 1000, total: 1000 });
    expect(await stack.json("POST", SEGMENT, { segment: "everybody" })).toMatchObject({
      added: 1500,
      duplicates: 1000,
      total: 2500,
    });
  });
});
