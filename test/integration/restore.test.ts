/**
 * A backup of a ledger is put in its place. What point-in-time recovery does is done by hand here,
 * since the local runtime has none: every row is as it was, and the object begins another life.
 */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { ACCOUNT_NAME } from "../../src/account/rpc.ts";
import type { CampaignId } from "../../src/domain/ids.ts";
import { WITNESS_SECONDS } from "../../src/domain/limits.ts";
import { api, done } from "./harness/api.ts";
import { campaign, people, type Status, type TestCampaign } from "./harness/campaign.ts";
import { deliver, drive } from "./harness/drive.ts";
import { stage } from "./harness/stage.ts";
import { standIn } from "./harness/stand-in.ts";

const RECIPIENTS = 60;
const ADDRESSES = people(RECIPIENTS).map(({ email }) => email);
/** The provider keeps a key for a day. */
const BEYOND_THE_KEYS_SECONDS = 25 * 3_600;

type Backup = readonly (readonly [
  table: string,
  rows: readonly Record<string, SqlStorageValue>[],
])[];

function backup(one: TestCampaign): Promise<Backup> {
  return runInDurableObject(one.stub, (_, { storage: { sql } }) =>
    sql
      .exec("SELECT name FROM sqlite_master WHERE type = 'table'")
      .toArray()
      .map((row) => row["name"] as string)
      .filter((name) => !name.startsWith("_cf_"))
      .map((name) => [name, sql.exec(`SELECT * FROM ${name}`).toArray()] as const),
  );
}

async function restore(one: TestCampaign, rows: Backup): Promise<void> {
  await runInDurableObject(one.stub, (_, { storage }) =>
    storage.transactionSync(() => {
      for (const [table] of rows) storage.sql.exec(`DELETE FROM ${table}`);
      for (const [table, all] of rows) {
        for (const row of all) {
          const names = Object.keys(row);
          const places = names.map(() => "?").join(", ");
          const insert = `INSERT INTO ${table} (${names.join(", ")}) VALUES (${places})`;
          storage.sql.exec(insert, ...Object.values(row));
        }
      }
    }),
  );
  await evictDurableObject(one.stub);
}

async function wait(seconds: number): Promise<void> {
  stage.clock.advance(seconds * 1000);
  await standIn.advance(seconds);
}

type Past = {
  readonly one: TestCampaign;
  readonly backups: readonly Backup[];
  readonly end: Status;
};

/** A campaign that is over, and its ledger as it was before each of its deliveries. */
async function past(): Promise<Past> {
  stage.clock.stop();
  stage.queue.mood = () => "keep";
  const one = await campaign({ recipients: RECIPIENTS, settings: { batchSize: 10 } });
  const backups: Backup[] = [await backup(one)];
  await one.start();
  const end = await drive(one, { after: async () => void backups.push(await backup(one)) });
  // What is left to do: the directory hears of the last grants.
  await one.ring();
  expect(end).toMatchObject({ state: "finished", stats: { sent: RECIPIENTS } });
  return { one, backups, end };
}

/** The alarm and the consumers of a campaign that believes that it is in the middle of its work. */
async function goOn(one: TestCampaign): Promise<Status> {
  const { state } = await one.status();
  if (state === "draft") await one.start();
  await runInDurableObject(one.stub, (_, { storage }) => storage.setAlarm(Date.now() + 86_400_000));
  return drive(one);
}

const duplicates = async (one: TestCampaign) => (await standIn.counts(one.id)).duplicates;

describe("R-restore: a ledger that is older than its directory entry", () => {
  it("G1, R-restore: grants nothing, whenever the backup is of", async () => {
    const { one, backups } = await past();
    await wait(BEYOND_THE_KEYS_SECONDS);
    expect(backups.length).toBeGreaterThan(RECIPIENTS / 10);
    // The last of them has forgotten a report at most, and no grant.
    for (const [at, rows] of backups.slice(0, -1).entries()) {
      await restore(one, rows);
      const status = await goOn(one);
      expect(status, `backup ${at}`).toMatchObject({
        state: "paused",
        pause: { reason: "operator", detail: expect.stringContaining("restored from a backup") },
      });
      expect(await duplicates(one)).toBe(0);
      await one.check();
    }
    await one.expectMailedOnce(ADDRESSES);
  });

  it("R-restore: without the entry's mark, second mails go out", async () => {
    const { one, backups } = await past();
    await wait(BEYOND_THE_KEYS_SECONDS);
    await restore(one, backups[2] ?? []);
    const account = env.ACCOUNT.getByName(ACCOUNT_NAME);
    await runInDurableObject(account, (_, { storage: { sql } }) =>
      sql.exec("DELETE FROM campaigns WHERE id = ?", one.id).toArray(),
    );
    await account.register(one.id as CampaignId, one.id, null);
    await goOn(one);
    expect(await duplicates(one)).toBeGreaterThan(0);
  });

  it("G1, R-restore: a backup of the last seconds goes by, and the keys still protect it", async () => {
    stage.clock.stop();
    stage.queue.mood = () => "keep";
    const one = await campaign({ recipients: RECIPIENTS, settings: { batchSize: 10 } });
    await one.start();
    await one.ring();
    const [first = 0, ...others] = stage.queue.take(one.id);
    await deliver(one, first);
    const rows = await backup(one);
    for (const dispatch of others.toReversed()) await deliver(one, dispatch);
    await restore(one, rows);
    await goOn(one);
    expect(await duplicates(one)).toBe(0);
    await one.check();
  });

  it("R-restore: an operator goes on only by accepting the risk, and no key is used again", async () => {
    const { one, backups } = await past();
    await wait(BEYOND_THE_KEYS_SECONDS);
    await restore(one, backups[3] ?? []);
    await goOn(one);
    const refused = await api("POST", `${one.path}/resume`);
    expect(refused).toMatchObject({ status: 409, body: { code: "duplicateRisk" } });
    expect(await one.status()).toMatchObject({ state: "paused" });
    const keys = new Set((await standIn.requests()).map(({ key }) => key));
    const body = { acceptDuplicateRisk: true };
    const resumed = await api("POST", `${one.path}/resume`, { body });
    expect(resumed).toMatchObject({ status: 200, body: { state: "sending" } });
    expect(await drive(one)).toMatchObject({ state: "finished", stats: { sent: RECIPIENTS } });
    expect(await duplicates(one)).toBeGreaterThan(0);
    const after = (await standIn.requests()).slice(keys.size).map(({ key }) => key);
    expect(after.length).toBeGreaterThan(0);
    expect(after.filter((key) => keys.has(key))).toEqual([]);
    await one.check();
    // The catching up is on disk, so that the next life stands.
    await evictDurableObject(one.stub);
    expect(await api("POST", `${one.path}/resume`, { body: {} })).toMatchObject({ status: 409 });
  });

  it("G4, G6, R-restore: one of between grants learns who was suppressed, and is stopped for a pause", async () => {
    stage.clock.stop();
    stage.queue.mood = () => "keep";
    const one = await campaign({ recipients: RECIPIENTS, settings: { batchSize: 10 } });
    await one.start();
    await one.ring();
    const [first = 0, second = 0, third = 0] = stage.queue.take(one.id);
    await deliver(one, first);
    await wait(WITNESS_SECONDS);
    await one.ring();
    const rows = await backup(one);
    const [left = ""] = ADDRESSES.slice(15);
    await done("PUT", "/api/suppressions", { body: { addresses: [left] } });
    await restore(one, rows);
    await deliver(one, second);
    expect(await one.status()).toMatchObject({ state: "sending", stats: { suppressed: 1 } });
    const mailed = Object.keys(await standIn.perAddress(one.id));
    expect(mailed.length).toBeGreaterThan(10);
    expect(mailed).not.toContain(left);
    const later = await backup(one);
    await done("POST", `${one.path}/pause`);
    await wait(WITNESS_SECONDS);
    await one.ring();
    await restore(one, later);
    await deliver(one, third);
    expect(await one.status()).toMatchObject({ state: "paused" });
    expect(Object.keys(await standIn.perAddress(one.id))).toHaveLength(mailed.length);
    const refused = await api("POST", `${one.path}/resume`);
    expect(refused).toMatchObject({ status: 409, body: { code: "duplicateRisk" } });
    await one.check();
  });

  it("R-restore: ordinary restarts are never refused", async () => {
    stage.clock.stop();
    stage.queue.mood = () => "keep";
    const one = await campaign({ recipients: RECIPIENTS, settings: { batchSize: 5 } });
    await one.start();
    let deliveries = 0;
    const status = await drive(one, {
      after: async () => {
        deliveries += 1;
        // By turns with the account, and the account alone.
        if (deliveries % 3 !== 0) await evictDurableObject(one.stub);
        if (deliveries % 2 === 0) await evictDurableObject(env.ACCOUNT.getByName(ACCOUNT_NAME));
        expect((await one.status()).state).not.toBe("paused");
      },
    });
    expect(status).toMatchObject({ state: "finished", stats: { sent: RECIPIENTS } });
    await one.expectMailedOnce(ADDRESSES);
  });
});
