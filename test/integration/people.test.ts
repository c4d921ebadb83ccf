/**
 * People's data in the real objects: what is held about one person and its erasure, everybody's end
 * after RETENTION_DAYS, and the end of a whole campaign. Each is looked for in every row of every table.
 */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { api, done } from "./harness/api.ts";
import { account, campaign, type TestCampaign } from "./harness/campaign.ts";
import { deliver, drive, orphansAnswered } from "./harness/drive.ts";
import { TIME } from "./harness/shapes.ts";
import { stage } from "./harness/stage.ts";
import { standIn } from "./harness/stand-in.ts";

const WRITTEN = "Ada.Lovelace@Mail.Example.org";
const ADDRESS = WRITTEN.toLowerCase();
const PATH = `/api/people/${encodeURIComponent(WRITTEN)}`;
const ADA = { id: "lovelace-1815", email: WRITTEN, data: { nickname: "Countess" } };
const BOB = { id: "bob", email: "bob@mail.example.org", data: { nickname: "Bobby" } };
/** Whatever would lead to her. */
const TRACES = [ADDRESS, "lovelace", "1815", "countess"];
const DAY_MILLISECONDS = 86_400_000;

type Erasure = {
  readonly erased: number;
  readonly pending: readonly { readonly campaignId: string; readonly until: string }[];
};

/** Every row of every table of the campaigns and the account, but the lists of suppressions. */
async function everything(...campaigns: readonly TestCampaign[]): Promise<string> {
  const objects = [account(), ...campaigns.map(({ stub }) => stub)];
  const dumps = objects.map((each) =>
    runInDurableObject(each as DurableObjectStub, (_, { storage }) => {
      const tables = storage.sql
        .exec("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        .toArray()
        .map((row) => row["name"] as string)
        .filter((name) => !name.startsWith("_cf_") && name !== "suppressions");
      expect(tables.length).toBeGreaterThan(2);
      return tables.map((name) => storage.sql.exec(`SELECT * FROM ${name}`).toArray());
    }),
  );
  return JSON.stringify(await Promise.all(dumps)).toLowerCase();
}

const tracesIn = (text: string) => TRACES.filter((trace) => text.includes(trace));

/** A campaign that has mailed both, by the stage's stopped clock. */
async function mailed(): Promise<TestCampaign> {
  stage.clock.stop();
  stage.queue.mood = () => "keep";
  const one = await campaign({ recipients: [ADA, BOB] });
  await one.start();
  await drive(one);
  return one;
}

/** The alarm's work, whether one was set or not. */
const ringAnyway = (one: TestCampaign) => runInDurableObject(one.stub, (object) => object.alarm());

describe("one person", () => {
  it("R-erase, G5, G6: is exported, then is nowhere, with every number as it was", async () => {
    const sent = await mailed();
    const draft = await campaign({ recipients: [ADA, BOB] });
    const held = await done<{ campaigns: { campaignId: string; recipient: object }[] }>(
      "GET",
      PATH,
    );
    expect(held).toMatchObject({ address: ADDRESS, suppression: null, erasedAt: null });
    const story = await sent.recipient(ADA.id);
    expect(story).toMatchObject({ email: WRITTEN, data: ADA.data, status: "sent" });
    const found = new Map(held.campaigns.map((each) => [each.campaignId, each.recipient]));
    expect(found.get(sent.id)).toEqual(story);
    expect([...found.keys()].toSorted()).toEqual([draft.id, sent.id].toSorted());
    expect(tracesIn(await everything(sent, draft))).toEqual(TRACES);
    const { stats } = await sent.status();
    const providerId = String(story.providerId);
    expect(await everything(sent)).toContain(providerId.toLowerCase());

    expect(await done("DELETE", PATH)).toEqual({ address: ADDRESS, erased: 2, pending: [] });
    const left = await everything(sent, draft);
    expect(tracesIn(left)).toEqual([]);
    expect(left).not.toContain(providerId.toLowerCase());
    expect(left).toContain("bobby");
    expect((await sent.status()).stats).toEqual(stats);
    expect(await draft.stats()).toEqual({ remaining: 1, suppressed: 1 });
    expect(await done("GET", PATH)).toEqual({
      address: ADDRESS,
      suppression: { reason: "operator", at: TIME },
      erasedAt: TIME,
      campaigns: [],
    });

    const rows = [await sent.rows(), await draft.rows()];
    expect(await done("DELETE", PATH)).toEqual({ address: ADDRESS, erased: 0, pending: [] });
    expect([await sent.rows(), await draft.rows()]).toEqual(rows);

    // Uploaded again, here and to a campaign that is made later, nobody is enrolled or mailed.
    const again = await draft.enrol([ADA, { ...ADA, id: "other" }, BOB]);
    expect(again).toMatchObject({ added: 0, suppressed: 2, duplicates: 1, total: 2 });
    const later = await campaign({ recipients: [ADA, BOB] });
    for (const one of [draft, later]) {
      await one.start();
      await drive(one);
      await one.expectMailedOnce([BOB.email]);
      await one.check();
    }
    expect(tracesIn(await everything(sent, draft, later))).toEqual([]);
    expect(await done("GET", "/api/suppressions")).toMatchObject({
      items: [{ address: ADDRESS, reason: "operator" }],
    });
  });

  it("R-erase, C10: who is in a call whose answer is lost is mailed once, and then erased", async () => {
    stage.clock.stop();
    stage.queue.mood = () => "keep";
    const one = await campaign({ recipients: [ADA, BOB] });
    await one.start();
    await one.ring();
    const [dispatch = 0] = stage.queue.take(one.id);
    expect(await deliver(one, dispatch, { killAt: "afterAcceptance" })).toBe("killed");
    const answer = await done<Erasure>("DELETE", PATH);
    expect(answer).toMatchObject({ erased: 0, pending: [{ campaignId: one.id, until: TIME }] });
    expect(tracesIn(await everything(one))).toEqual(TRACES);
    await drive(one);
    await orphansAnswered();
    // The same key with other bytes would have been refused, and left both in doubt.
    expect(await one.stats()).toEqual({ sent: 2 });
    await one.expectMailedOnce([WRITTEN, BOB.email]);
    expect(tracesIn(await everything(one))).toEqual([]);
    await one.check();
    expect(await done("DELETE", PATH)).toMatchObject({ erased: 0, pending: [] });
  });

  it("keeps the reason of an earlier suppression, and can be let in again by hand", async () => {
    const one = await mailed();
    const body = { addresses: [ADDRESS], reason: "complaint" };
    await done("PUT", "/api/suppressions", { body });
    await done("DELETE", PATH);
    expect(await done("GET", PATH)).toMatchObject({ suppression: { reason: "complaint" } });
    await done("DELETE", `/api/suppressions/${encodeURIComponent(ADDRESS)}`);
    const later = await campaign({ recipients: [ADA] });
    expect(await later.stats()).toEqual({ remaining: 1 });
    expect(tracesIn(await everything(one))).toEqual([]);
  });
});

describe("RETENTION_DAYS", () => {
  it("R-retention, G5: a campaign forgets everybody by its alarm, once, also after a restart", async () => {
    stage.retentionDays = "30";
    const one = await mailed();
    const { stats } = await one.status();
    const due = stage.clock.now() + 30 * DAY_MILLISECONDS;
    const alarmOf = () => one.inside((_, _storage, { storage }) => storage.getAlarm());
    const set = await alarmOf();
    expect(Math.abs((set ?? 0) - Date.now() - 30 * DAY_MILLISECONDS)).toBeLessThan(
      DAY_MILLISECONDS,
    );

    await evictDurableObject(one.stub);
    stage.clock.advance(due - stage.clock.now() - 1);
    await one.ring();
    expect(tracesIn(await everything(one))).toEqual(TRACES);
    stage.clock.advance(1);
    await one.ring();
    const left = await everything(one);
    expect([...tracesIn(left), ...["bob"].filter((each) => left.includes(each))]).toEqual([]);
    expect((await one.status()).stats).toEqual(stats);
    await one.check();
    const { items } = await done<{ items: object[] }>("GET", `${one.path}/events`);
    expect(items[0]).toMatchObject({
      type: "erased",
      detail: { why: "retention", recipients: 2, days: 30 },
    });
    const replay = { body: { recipients: "failed" } };
    expect(await api("POST", `${one.path}/replay`, replay)).toMatchObject({
      status: 409,
      body: { code: "wrongState" },
    });
    const rows = await one.rows();
    expect(await alarmOf()).toBeNull();
    stage.clock.advance(90 * DAY_MILLISECONDS);
    await evictDurableObject(one.stub);
    await ringAnyway(one);
    expect(await one.rows()).toBe(rows);
    expect(await alarmOf()).toBeNull();
  });

  it("R-retention: goes by the days that are set when the alarm rings, and keeps all without", async () => {
    const one = await mailed();
    expect(await one.inside((_, _storage, { storage }) => storage.getAlarm())).toBeNull();
    stage.clock.advance(400 * DAY_MILLISECONDS);
    await ringAnyway(one);
    expect(tracesIn(await everything(one))).toEqual(TRACES);
    // The next life of the object is given the days; whoever looks has its alarm set.
    stage.retentionDays = "7";
    await evictDurableObject(one.stub);
    await one.status();
    await one.ring();
    expect(tracesIn(await everything(one))).toEqual([]);
  });
});

describe("a whole campaign", () => {
  it("is erased with its storage, its alarm and its entry in the directory", async () => {
    stage.clock.stop();
    stage.queue.mood = () => "lose";
    const one = await campaign({ recipients: [ADA, BOB] });
    await one.start();
    await one.pause();
    const inside = () =>
      runInDurableObject(one.stub, async (_, { storage }) => ({
        alarm: await storage.getAlarm(),
        tables: storage.sql
          .exec("SELECT name FROM sqlite_master WHERE type = 'table'")
          .toArray()
          .map((row) => row["name"] as string)
          .filter((name) => !name.startsWith("_cf_")),
      }));
    const before = await inside();
    expect(before.alarm).not.toBeNull();
    expect(before.tables).toContain("recipients");
    expect(await api("DELETE", one.path)).toMatchObject({ status: 204 });
    // The number that the id goes on with names nobody (ledger/erased.ts).
    const { alarm, tables } = await inside();
    expect([alarm, tables.filter((name) => name !== "_erased")]).toEqual([null, []]);
    const listed = await runInDurableObject(account(), (_, { storage }) =>
      ["campaigns", "watch"].flatMap((name) =>
        storage.sql.exec(`SELECT id FROM ${name} WHERE id = ?`, one.id).toArray(),
      ),
    );
    expect(listed).toEqual([]);
    expect(await api("GET", one.path)).toMatchObject({ status: 404 });
    expect(await standIn.perAddress(one.id)).toEqual({});
  });
});
