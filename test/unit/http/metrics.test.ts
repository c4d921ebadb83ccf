/** `/metrics` asks whom it should and no more, and never fails because of one campaign. */
import { describe, expect, it } from "vitest";
import type { Standing, Watch } from "../../../src/account/rpc.ts";
import type { CampaignReading, CampaignRpc } from "../../../src/campaign/rpc.ts";
import type { CampaignId } from "../../../src/domain/ids.ts";
import { METRICS_CAMPAIGNS, METRICS_REST_SECONDS } from "../../../src/domain/limits.ts";
import { NodeStack } from "../../support/node-stack.ts";
import { api, NOW, SPRING, VIEWER } from "./api.ts";
import { READING } from "./reading.ts";

const watchOf = (...campaigns: Watch["campaigns"]): Watch => ({
  campaigns,
  leftOut: 0,
  gate: { requestsPerSecond: 10, waitMilliseconds: 0, heldMilliseconds: 0, holds: 0 },
});
const SPRING_AT_WORK = { id: SPRING, standing: "atWork" } as const;

function scraped(reading: CampaignRpc["reading"], watch = watchOf(SPRING_AT_WORK)) {
  return api({
    campaign: { reading },
    account: { watch: async () => watch, setStandings: async () => undefined },
  });
}

function ended(secondsAgo: number): CampaignReading {
  const finishedAt = NOW - secondsAgo * 1000;
  return { ...READING, status: { ...READING.status, state: "finished", finishedAt } };
}

describe("/metrics", () => {
  it("is text of version 0.0.4, for the viewer too", async () => {
    const { ask } = scraped(async () => READING);
    const response = await ask("GET", "/metrics", { token: VIEWER });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const text = await response.text();
    expect(text).toContain('sendonce_recipients{campaign="spring",state="sent"} 4\n');
    expect(text).toContain("sendonce_queue_backlog_messages 3\n");
    expect(text).toContain("sendonce_queue_oldest_message_age_seconds 4\n");
    expect(text.endsWith("\n")).toBe(true);
  });

  it("asks the account for a bounded list, and each campaign of it once", async () => {
    const { ask, calls } = scraped(async () => READING);
    await ask("GET", "/metrics");
    expect(calls).toEqual([
      { method: "watch", args: [METRICS_CAMPAIGNS] },
      { method: "reading", args: [] },
    ]);
  });

  it("counts a campaign that fails, and tells of the others", async () => {
    let asked = 0;
    const reading = async () => {
      asked += 1;
      if (asked === 1) throw new Error("gone");
      return READING;
    };
    const autumn = { id: "autumn" as CampaignId, standing: "atWork" } as const;
    const { ask } = scraped(reading, watchOf(autumn, SPRING_AT_WORK));
    const text = await (await ask("GET", "/metrics")).text();
    expect(text).toContain("sendonce_campaigns_silent 1\n");
    expect(text).toContain('campaign="spring"');
    expect(text).not.toContain('campaign="autumn"');
  });

  it("does without the platform's word on its queue", async () => {
    const { ask } = api({
      account: { watch: async () => watchOf() },
      deps: {
        queueBacklog: async () => {
          throw new Error("not supported");
        },
      },
    });
    const response = await ask("GET", "/metrics");
    expect(response.status).toBe(200);
    expect(await response.text()).not.toContain("backlog");
  });

  it.each<[string, CampaignReading | null, Standing]>([
    ["is sending", READING, "atWork"],
    ["has just ended", ended(10), "waiting"],
    ["ended a day ago", ended(METRICS_REST_SECONDS + 1), "atRest"],
    ["is not created yet", null, "waiting"],
  ])("teaches the watch list about one that %s", async (_, reading, standing) => {
    const believed = standing === "atWork" ? "waiting" : "atWork";
    const { ask, calls } = scraped(
      async () => reading,
      watchOf({ id: SPRING, standing: believed }),
    );
    await ask("GET", "/metrics");
    expect(calls.at(-1)).toEqual({ method: "setStandings", args: [[{ id: SPRING, standing }]] });
  });
});

describe("/metrics over real ledgers", () => {
  it("asks those at work first, forgets one that is erased, and lists a bounded number", async () => {
    const stack = new NodeStack();
    const names = Array.from({ length: METRICS_CAMPAIGNS + 5 }, (_, at) => `c${at}` as CampaignId);
    for (const name of names) {
      await stack.account.register(name, name, null);
      stack.now += 1000;
    }
    const [oldest, second, third] = names as [CampaignId, CampaignId, CampaignId];
    await stack.account.atWork(second);
    await stack.account.atWork("nobody" as CampaignId);
    const ids = async () =>
      (await stack.account.watch(METRICS_CAMPAIGNS)).campaigns.map(({ id }) => id);
    expect(await ids()).toEqual([second, ...names.slice(6).toReversed()]);
    expect(await stack.account.watch(METRICS_CAMPAIGNS)).toMatchObject({ leftOut: 5 });

    await stack.account.register(second, "renamed", null);
    expect((await ids())[0]).toBe(second);
    await stack.account.unregister(second);
    const rest = names.slice(6).map((id) => ({ id, standing: "atRest" as const }));
    await stack.account.setStandings(rest);
    expect(await ids()).toEqual([names[5], names[4], names[3], third, oldest]);
  });

  it("counts what attempts came to, in the row that is written anyway", async () => {
    const stack = new NodeStack();
    await stack.json("POST", "/api/campaigns", { id: "own", name: "Own", delivery: "external" });
    const recipients = ["a", "b"].map((name) => ({ id: name, email: `${name}@mail.example` }));
    await stack.json("POST", "/api/campaigns/own/recipients", { recipients });
    await stack.json("POST", "/api/campaigns/own/start");
    const path = "/api/campaigns/own/reservations";
    const first = await stack.json<{ token: number }>("POST", path, {
      reservationId: "m",
      limit: 1,
    });
    const unknown = { token: first.token, outcome: "unknown", reason: "silence" };
    await stack.json("POST", `${path}/m/report`, unknown);
    await stack.json("POST", path, { reservationId: "n", limit: 1 });
    await stack.advance(121_000);
    const text = await (await stack.ask("GET", "/metrics")).text();
    expect(text).toContain('sendonce_attempts_total{campaign="own",outcome="unknown"} 1\n');
    expect(text).toContain('sendonce_lease_expiries_total{campaign="own"} 1\n');
    expect(text).toContain('sendonce_provider_failing_attempts{campaign="own"} 1\n');
    expect(text).toContain('sendonce_recipients{campaign="own",state="reserved"} 2\n');
  });
});
