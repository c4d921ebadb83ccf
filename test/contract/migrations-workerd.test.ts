/** Migrations on the platform, and an object that nobody has created. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { migrationsContract } from "./migrations-contract.ts";
import { withinObject } from "./within-object.ts";

migrationsContract("SqlStorage", withinObject("migrations"));

it("asking an object for a campaign that does not exist leaves no table and no alarm", async () => {
  const stub = env.CAMPAIGNS.getByName("nobody");
  expect(await stub.deliveryStatus()).toBeNull();
  expect(await stub.describe()).toBeNull();
  expect(await stub.pause("operator", "")).toEqual({ ok: false, refusal: { code: "notFound" } });
  await stub.suppress([]);
  await runInDurableObject(stub, async (_object, { storage }) => {
    const names = storage.sql.exec("SELECT name FROM sqlite_master").toArray();
    expect(names).toEqual([]);
    expect(await storage.getAlarm()).toBeNull();
  });
});
