/**
 * What stands while requests come in: a draft, a campaign that hands out reservations, one that is
 * over, and the account.
 *
 * SQLite counts every row that it ever wrote (`total_changes`), so that each request can be held
 * against its own changes at little cost. The platform keeps the alarm among an object's rows as
 * well, so where the count has moved the rows themselves decide; and they are compared in the end.
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { CampaignId, Seq } from "../../../src/domain/ids.ts";
import { importLinkSecret, unsubscribeToken } from "../../../src/message/unsubscribe-link.ts";
import { api, done } from "../harness/api.ts";
import { account, campaign, newId, people, type TestCampaign } from "../harness/campaign.ts";
import { ORIGIN, type Words } from "./build.ts";

export class World {
  readonly words: Words;
  readonly #campaigns: readonly TestCampaign[];
  #written: readonly number[] = [];
  #rows: Readonly<Record<string, string>> = {};

  private constructor(words: Words, campaigns: readonly TestCampaign[]) {
    this.words = words;
    this.#campaigns = campaigns;
  }

  static async make(): Promise<World> {
    // Addresses of its own, since right requests suppress whom they know.
    const at = `${newId("world")}.example`;
    const draft = await campaign({ id: newId("draft"), recipients: people(3, at) });
    const external = await campaign({
      id: newId("ext"),
      recipients: people(5, at),
      delivery: "external",
    });
    await external.start();
    const reservation = { reservationId: "m1", limit: 2 };
    await done("POST", `${external.path}/reservations`, { body: reservation });
    const finished = await campaign({ id: newId("over"), recipients: people(1, at) });
    await finished.start();
    await finished.cancel();
    await done("PUT", "/api/suppressions", {
      body: { addresses: ["x1@a.example", "x2@a.example"] },
    });
    const words = {
      draft: draft.id,
      external: external.id,
      finished: finished.id,
      erased: newId("erased"),
      operator: env.OPERATOR_TOKEN,
      viewer: env.VIEWER_TOKEN ?? "",
      ...(await session()),
      ...(await links(finished)),
      ...(await cursors(external)),
    };
    const world = new World(words, [draft, external, finished]);
    await world.remember();
    return world;
  }

  /** Takes what there is now for what should be. */
  async remember(): Promise<void> {
    this.#written = await this.#changes();
    this.#rows = await this.#allRows();
  }

  /** Fails where something was written since. */
  async expectUnwritten(what: string): Promise<void> {
    const written = await this.#changes();
    if (written.join() === this.#written.join()) return;
    this.#written = written;
    await this.expectUntouched(what);
  }

  async expectUntouched(what: string): Promise<void> {
    const [before, now] = [this.#rows, await this.#allRows()];
    // Put down first, since what fails is asked again, only smaller.
    this.#rows = now;
    expect(now, what).toEqual(before);
  }

  /** Rows that each object has ever written. */
  #changes(): Promise<number[]> {
    const stubs = [...this.#campaigns.map(({ stub }) => stub), account()];
    const query = "SELECT total_changes() AS written";
    return Promise.all(
      stubs.map((stub) =>
        runInDurableObject<DurableObject, number>(stub, (_, { storage }) =>
          Number(storage.sql.exec(query).one()["written"]),
        ),
      ),
    );
  }

  /** All rows there are, by the table that they are in, so that a difference is found. */
  async #allRows(): Promise<Readonly<Record<string, string>>> {
    const campaigns = await Promise.all(this.#campaigns.map((each) => each.rows()));
    const shared = await runInDurableObject(account(), (_, { storage }) =>
      ["campaigns", "suppressions", "gate", "ended_sessions"].map(
        (table) =>
          [table, storage.sql.exec(`SELECT * FROM ${table} ORDER BY 1`).toArray()] as const,
      ),
    );
    const tables = campaigns.flatMap((rows, at) =>
      Object.entries(JSON.parse(rows) as object).map(
        ([table, content]) => [`${this.#campaigns[at]?.id}.${table}`, content as unknown] as const,
      ),
    );
    return Object.fromEntries(
      [...tables, ...shared].map(([table, content]) => [table, withoutMarks(content)]),
    );
  }
}

/**
 * `next_number` and `decisions` of the directory; a ledger's own stand in the numbers of its batches
 * and in its events as well.
 */
const MARKS = new Set([
  "witnessed",
  "grants",
  "look_at",
  "next_number",
  "decisions",
  "decisions_witnessed",
  "list_number",
]);

/**
 * Rows without what object and account note of each other (SPEC R-restore): they do so on the way to
 * an answer, whatever it is, and nothing of it comes from the request.
 */
function withoutMarks(rows: unknown): string {
  return JSON.stringify(rows, (name, value: unknown) => (MARKS.has(name) ? undefined : value));
}

async function session(): Promise<Words> {
  const sending = { token: null, body: { token: env.OPERATOR_TOKEN } };
  const { headers } = await api("POST", "/session", { ...sending, headers: { origin: ORIGIN } });
  return { session: /=([^;]*)/.exec(headers.get("set-cookie") ?? "")?.[1] ?? "" };
}

/** An unsubscribe link that is right, and one with another signature. */
async function links(one: TestCampaign): Promise<Words> {
  const target = await one.rpc.linkTarget(1 as Seq);
  const key = await importLinkSecret(target?.linkSecret ?? "none");
  const link = await unsubscribeToken(key, one.id as CampaignId, 1 as Seq);
  const forged = link.replace(/\.([^.])([^.]*)$/, (_, first: string, rest: string) => {
    return `.${first === "A" ? "B" : "A"}${rest}`;
  });
  return { link, forgedLink: forged };
}

async function cursor(path: string): Promise<string> {
  const page = await done<{ cursor: string | null }>("GET", `${path}?limit=1`);
  return encodeURIComponent(page.cursor ?? "none");
}

/** A cursor of each list, to be given to the others as well. */
async function cursors(one: TestCampaign): Promise<Words> {
  return {
    recipients: await cursor(`${one.path}/recipients`),
    events: await cursor(`${one.path}/events`),
    campaigns: await cursor("/api/campaigns"),
    suppressions: await cursor("/api/suppressions"),
  };
}
