/** A campaign as a test handles it: made and moved over HTTP, looked at in its own rows. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { CampaignRpc } from "../../../src/campaign/rpc.ts";
import type { Settings } from "../../../src/domain/settings.ts";
import { Ledger } from "../../../src/ledger/ledger.ts";
import type { Storage } from "../../../src/ledger/sql.ts";
import { checkLedger } from "../../contract/checked-ledger.ts";
import type { AccountObject, CampaignObject } from "../worker.ts";
import { done } from "./api.ts";
import { stage } from "./stage.ts";
import { standIn } from "./stand-in.ts";

let idsGiven = 0;

/** A name that no other campaign of this run has. */
export function newId(prefix = "c"): string {
  idsGiven += 1;
  return `${prefix}-${idsGiven}`;
}

export type Person = { readonly id?: string; readonly email: string; readonly data?: object };

/** `p1` … `pN`, each at an address of its own. */
export function people(count: number, domain = "mail.example.org"): Person[] {
  return Array.from({ length: count }, (_, at) => ({
    id: `p${at + 1}`,
    email: `p${at + 1}@${domain}`,
  }));
}

export type Making = {
  readonly id?: string;
  readonly settings?: Partial<Settings>;
  readonly recipients?: number | readonly Person[];
  readonly delivery?: "managed" | "external";
  readonly more?: Readonly<Record<string, unknown>>;
};

export type Status = {
  readonly state: string;
  readonly pause: { readonly reason: string; readonly detail: string } | null;
  readonly stats: Readonly<Record<string, number>>;
  readonly duplicatesPrevented: number;
  readonly deadLetters: number;
  readonly version: number;
};

export type Story = {
  readonly id: string;
  readonly email: string;
  readonly status: string;
  readonly reason: string | null;
  readonly providerId: string | null;
  readonly batch: number | null;
  readonly idempotencyKey: string | null;
  readonly attempts: readonly {
    readonly token: number;
    readonly outcome: string | null;
    readonly reason: string | null;
  }[];
};

export type EnrolAnswer = {
  readonly added: number;
  readonly duplicates: number;
  readonly suppressed: number;
  readonly invalid: number;
  readonly total: number;
  readonly problems: readonly { readonly line: number; readonly code: string }[];
};

export class TestCampaign {
  readonly id: string;
  readonly path: string;

  constructor(id: string) {
    this.id = id;
    this.path = `/api/campaigns/${id}`;
  }

  /** A new stub each time, as the product does it: one that has failed keeps failing. */
  get stub(): DurableObjectStub<CampaignObject> {
    return env.CAMPAIGNS.getByName(this.id) as DurableObjectStub<CampaignObject>;
  }

  /** The RPC of the object, as a consumer that is bound to it calls it. */
  get rpc(): CampaignRpc {
    return this.stub;
  }

  start(): Promise<Status> {
    return done("POST", `${this.path}/start`);
  }

  pause(): Promise<Status> {
    return done("POST", `${this.path}/pause`);
  }

  resume(): Promise<Status> {
    return done("POST", `${this.path}/resume`);
  }

  cancel(): Promise<Status> {
    return done("POST", `${this.path}/cancel`);
  }

  status(): Promise<Status> {
    return done("GET", `${this.path}/delivery-status`);
  }

  /** Those of the numbers that are not zero, without the total. */
  async stats(): Promise<Record<string, number>> {
    const { stats } = await this.status();
    return Object.fromEntries(
      Object.entries(stats).filter(([name, count]) => name !== "total" && count > 0),
    );
  }

  recipient(id: string): Promise<Story> {
    return done("GET", `${this.path}/recipients/${encodeURIComponent(id)}`);
  }

  enrol(recipients: readonly Person[]): Promise<EnrolAnswer> {
    return done("POST", `${this.path}/recipients`, { body: { recipients } });
  }

  /** Rings the alarm now, whenever it was to ring; false where none is set. */
  ring(): Promise<boolean> {
    return runDurableObjectAlarm(this.stub);
  }

  /** Runs inside the object, with its ledger opened anew over its rows. */
  inside<T>(look: (ledger: Ledger, storage: Storage, state: DurableObjectState) => T): Promise<T> {
    return runInDurableObject(this.stub, (_, state) =>
      // Opened at no time at all, so that it waits as long as one that was never away.
      look(new Ledger(state.storage, 0), state.storage, state),
    );
  }

  /**
   * When its next work is due. How many dispatches may be out is in the object's memory, so what is due
   * by the rows may have to wait until the object itself says so.
   */
  async deadline(): Promise<number | null> {
    const now = stage.clock.now();
    const work = await this.inside((ledger) => ledger.outlook(now)?.work ?? null);
    const due = (await this.rpc.vitals())?.dueInMilliseconds ?? 0;
    return work === null ? null : Math.max(work, now + due);
  }

  /** Every invariant that holds at all times, counted in the rows themselves. */
  async check(): Promise<void> {
    await this.inside((ledger, storage) => {
      const now = stage.clock.now();
      checkLedger(ledger, storage, now);
      const status = ledger.status(now);
      if (status?.state !== "finished") return;
      // G2: nobody may be called finished while somebody is open.
      expect(status.stats).toMatchObject({ remaining: 0, reserved: 0 });
    });
  }

  /** Every row of every table, to show that something has changed nothing. */
  rows(): Promise<string> {
    return runInDurableObject(this.stub, (_, { storage }) => JSON.stringify(allRows(storage)));
  }

  /** By the provider's own count: everybody of these once, and nobody else. */
  async expectMailedOnce(addresses: readonly string[]): Promise<void> {
    const perAddress = await standIn.perAddress(this.id);
    const wanted = Object.fromEntries(addresses.map((each) => [each.toLowerCase(), 1]));
    expect(perAddress).toEqual(wanted);
  }
}

function allRows(storage: DurableObjectStorage): Record<string, unknown> {
  const tables = storage.sql
    .exec("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .toArray()
    .map((row) => row["name"] as string)
    .filter((name) => !name.startsWith("_cf_"));
  return Object.fromEntries(
    tables.map((name) => [name, storage.sql.exec(`SELECT * FROM ${name} ORDER BY 1, 2`).toArray()]),
  );
}

/** Those of the running test, which are laid to rest behind it. */
const standing: TestCampaign[] = [];

/**
 * Ends what a test has left under way, and empties the account: the next test must find neither a
 * message nor an alarm, a hold or a suppression of this one.
 */
export async function retireCampaigns(): Promise<void> {
  for (const each of standing.splice(0)) {
    await each.stub.cancel();
    await runInDurableObject(each.stub, (_, { storage }) => storage.deleteAlarm());
  }
  await runInDurableObject(account(), (_, { storage }) => {
    storage.sql.exec("DELETE FROM campaigns; DELETE FROM suppressions");
    storage.sql.exec("UPDATE gate SET next = 0, held_until = 0");
  });
  // Built anew, so that a limit of this test is forgotten.
  await evictDurableObject(account());
}

export function account(): DurableObjectStub<AccountObject> {
  return env.ACCOUNT.getByName("account") as DurableObjectStub<AccountObject>;
}

/** Creates a campaign and enrols its recipients, over HTTP. */
export async function campaign(making: Making = {}): Promise<TestCampaign> {
  const { id = newId(), settings, recipients = 0, delivery = "managed", more = {} } = making;
  const content = { from: "Shop <shop@mail.example.org>", subject: "Hello", text: "Hi {{ id }}" };
  await done("POST", "/api/campaigns", {
    body: {
      id,
      name: `Campaign ${id}`,
      delivery,
      ...(delivery === "managed" ? content : {}),
      ...(settings === undefined ? {} : { settings }),
      ...more,
    },
  });
  const made = new TestCampaign(id);
  standing.push(made);
  const list = typeof recipients === "number" ? people(recipients) : recipients;
  if (list.length > 0) await made.enrol(list);
  return made;
}

const PATIENCE_MILLISECONDS = 60_000;

/**
 * Waits until `look` gives something that passes. For what the platform does by itself; how long it
 * takes says nothing.
 */
export async function until<T>(
  look: () => Promise<T>,
  passes: (seen: T) => boolean,
  every = 25,
): Promise<T> {
  const giveUpAt = Date.now() + PATIENCE_MILLISECONDS;
  for (;;) {
    const seen = await look();
    if (passes(seen)) return seen;
    if (Date.now() > giveUpAt) throw new Error(`never came to pass: ${JSON.stringify(seen)}`);
    await scheduler.wait(every);
  }
}

/** Waits until the campaign is over, by the platform's own queue and alarms. */
export function finished(one: TestCampaign): Promise<Status> {
  return until(
    () => one.status(),
    ({ state }) => state === "finished" || state === "cancelled",
  );
}
