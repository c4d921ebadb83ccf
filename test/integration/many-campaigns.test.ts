/** Many campaigns beside each other, and campaigns with nobody to mail. */
import { describe, expect, it } from "vitest";
import { done } from "./harness/api.ts";
import { campaign, finished, people } from "./harness/campaign.ts";
import { standIn } from "./harness/stand-in.ts";

describe("C40: many at once", () => {
  it("C40, G2: twelve campaigns of 500 start in the same second and all finish", async () => {
    const all = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        campaign({ recipients: people(500, `d${at}.example.org`) }),
      ),
    );
    await Promise.all(all.map((one) => one.start()));
    const ends = await Promise.all(all.map((one) => finished(one)));
    expect(ends.map(({ state, stats }) => [state, stats.sent])).toEqual(
      all.map(() => ["finished", 500]),
    );
    for (const [at, one] of all.entries()) {
      await one.check();
      await one.expectMailedOnce(people(500, `d${at}.example.org`).map(({ email }) => email));
    }
    expect(await standIn.totals()).toMatchObject({ accepted: 6_000, duplicates: 0 });
  });
});

describe("C41: nobody to mail", () => {
  it("C41: started with no recipients it is finished with 0 sent, and says so", async () => {
    const one = await campaign();
    expect(await one.start()).toMatchObject({
      state: "finished",
      stats: { total: 0, sent: 0 },
      finishedAt: expect.any(String),
    });
    const { items } = await done<{ items: { type: string; detail: object }[] }>(
      "GET",
      `${one.path}/events`,
    );
    expect(items[0]).toMatchObject({ type: "finished", detail: { total: 0, sent: 0 } });
  });

  it("C41, G6: started with everybody suppressed it is finished with 0 sent", async () => {
    const list = people(5, "gone.example.org");
    await done("PUT", "/api/suppressions", { body: { addresses: list.map(({ email }) => email) } });
    const one = await campaign();
    expect(await one.enrol(list)).toMatchObject({ added: 0, suppressed: 5, total: 5 });
    expect(await one.start()).toMatchObject({
      state: "finished",
      stats: { total: 5, sent: 0, suppressed: 5 },
    });
    expect(await standIn.counts(one.id)).toMatchObject({ accepted: 0 });
  });
});
