/** Overload and a full storage: 503 with `Retry-After` wherever it comes from, and what was taken. */
import { describe, expect, it } from "vitest";
import type { AccountRpc } from "../../../src/account/rpc.ts";
import type { CampaignRpc } from "../../../src/campaign/rpc.ts";
import { accept } from "../../../src/domain/result.ts";
import { signedHeaders, SECRET } from "../webhook/signed.ts";
import { api, NOW, problemOf } from "./api.ts";

const OVERLOADED = Object.assign(new Error("busy"), { overloaded: true, remote: true });
/** The account's, after a campaign's object has handed it on. */
const HANDED_ON = new Error("Durable Object is overloaded. Requests queued for too long.");
const FULL = new Error("database or disk is full: SQLITE_FULL");

/** Objects of which every method throws. */
function failing<Rpc extends object>(
  error: Error,
  ...methods: (keyof Rpc & string)[]
): Partial<Rpc> {
  const fail = async (): Promise<never> => {
    throw error;
  };
  return Object.fromEntries(methods.map((method) => [method, fail])) as unknown as Partial<Rpc>;
}

const campaignOf = (error: Error) =>
  failing<CampaignRpc>(
    error,
    ...(["create", "describe", "edit", "erase", "enrol", "start", "pause", "resume"] as const),
    ...(["cancel", "finish", "reserve", "report", "deliveryStatus", "recipients"] as const),
    ...(["recipient", "deadLetters", "events", "replay", "resolve", "inquire"] as const),
    ...(["recordFeedback", "linkTarget"] as const),
  );

const accountOf = (error: Error) =>
  failing<AccountRpc>(
    error,
    ...(["register", "unregister", "campaigns", "suppress", "allow", "suppressions"] as const),
    ...(["importSuppressions", "suppressedAmong", "takeSlot"] as const),
  );

const SPRING = "/api/campaigns/spring";
const CSV = { body: "email\na@x.org\n", headers: { "content-type": "text/csv" } };
const DRAFT = { id: "spring", name: "Spring", from: "a@x.org", subject: "Hello", text: "Hello" };

const ON_CAMPAIGN: [method: string, path: string, ask?: object][] = [
  ["POST", "/api/campaigns", { body: DRAFT }],
  ["GET", SPRING],
  ["PATCH", SPRING, { body: { name: "Other" } }],
  ["DELETE", SPRING],
  ["POST", `${SPRING}/recipients`, CSV],
  ["GET", `${SPRING}/recipients`],
  ["GET", `${SPRING}/recipients/u_1`],
  ["POST", `${SPRING}/start`, { body: {} }],
  ["POST", `${SPRING}/pause`],
  ["POST", `${SPRING}/resume`],
  ["POST", `${SPRING}/cancel`],
  ["POST", `${SPRING}/finish`],
  ["POST", `${SPRING}/replay`, { body: { recipients: "failed" } }],
  ["POST", `${SPRING}/resolve`, { body: { ids: ["u_1"], as: "sent" } }],
  ["POST", `${SPRING}/reservations`, { body: { reservationId: "m-1", limit: 5 } }],
  [
    "POST",
    `${SPRING}/reservations/m-1/report`,
    { body: { token: 1, outcome: "unknown", reason: "no answer" } },
  ],
  ["GET", `${SPRING}/delivery-status`],
  ["GET", `${SPRING}/dead-letters`],
  ["GET", `${SPRING}/events`],
];

const ON_ACCOUNT: [method: string, path: string, ask?: object][] = [
  ["POST", "/api/campaigns", { body: DRAFT }],
  ["GET", "/api/campaigns"],
  ["GET", "/api/suppressions"],
  ["PUT", "/api/suppressions", { body: { addresses: ["a@x.org"] } }],
  ["DELETE", "/api/suppressions/a%40x.org"],
];

describe("an object that has too much to do", () => {
  it.each(ON_CAMPAIGN)("R-overload: %s %s of its campaign is 503", async (method, path, how) => {
    const { ask } = api({ campaign: campaignOf(OVERLOADED) });
    await expectBusy(await ask(method, path, how));
  });

  it.each(ON_ACCOUNT)("R-overload: %s %s of the account is 503", async (method, path, how) => {
    // A campaign that is there already is not entered again.
    const campaign = { describe: async () => null };
    const { ask } = api({ campaign, account: accountOf(OVERLOADED) });
    await expectBusy(await ask(method, path, how));
  });

  it("R-overload: the account's trouble, handed on by a campaign without its flags", async () => {
    const { ask, calls } = api({ campaign: campaignOf(HANDED_ON) });
    await expectBusy(await ask("POST", `${SPRING}/resume`));
    // Asking again at once would only add to it.
    expect(calls).toHaveLength(1);
  });

  it("R-overload: a webhook is 503, so that the provider sends it again", async () => {
    const body = JSON.stringify({
      type: "email.delivered",
      created_at: new Date(NOW).toISOString(),
      data: {
        email_id: "re_1",
        created_at: new Date(NOW).toISOString(),
        to: ["a@x.org"],
        tags: { campaign: "spring", recipient: "1" },
      },
    });
    const { ask } = api({ campaign: campaignOf(OVERLOADED), deps: { webhookSecret: SECRET } });
    const headers = signedHeaders(body, NOW);
    await expectBusy(await ask("POST", "/webhooks/resend", { token: null, body, headers }));
  });

  it("R-overload: as many as may are watching", async () => {
    const { ask } = api({ deps: { watch: async () => new Response(null, { status: 503 }) } });
    const headers = { upgrade: "websocket" };
    const response = await ask("GET", `${SPRING}/live`, { headers });
    expect(response.status).toBe(503);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  it("R-overload: the object behind the stream is overloaded", async () => {
    const { ask } = api({ deps: { watch: () => Promise.reject(OVERLOADED) } });
    await expectBusy(await ask("GET", `${SPRING}/live`, { headers: { upgrade: "websocket" } }));
  });
});

async function expectBusy(response: Response): Promise<void> {
  const { status, headers } = response;
  expect(await problemOf(response)).toMatchObject({ code: "overloaded", status: 503 });
  expect([status, headers.get("retry-after")]).toEqual([503, "5"]);
}

describe("a storage without room", () => {
  it.each(ON_CAMPAIGN.filter(([method]) => method !== "GET"))(
    "R-overload: %s %s is 503, and is not asked again",
    async (method, path, how) => {
      const { ask, calls } = api({ campaign: campaignOf(FULL) });
      const response = await ask(method, path, how);
      expect(response.status).toBe(503);
      expect(response.headers.get("retry-after")).toBe("300");
      expect((await problemOf(response)).code).toBe("storageFull");
      expect(calls.filter((call) => call.method !== "register")).toHaveLength(1);
    },
  );
});

describe("an upload that meets it in the middle", () => {
  const rows = Array.from({ length: 2_500 }, (_, at) => `p${at}@x.org`);
  const body = `email\n${rows.join("\n")}\n`;
  const headers = { "content-type": "text/csv" };

  it.each([
    ["overloaded", OVERLOADED],
    ["overloaded", HANDED_ON],
    ["storageFull", FULL],
  ])("G7, R-overload: %s tells what was taken before", async (code, error) => {
    let pages = 0;
    const enrol: CampaignRpc["enrol"] = async (page) => {
      if (page.length > 0) pages += 1;
      if (pages === 2) throw error;
      return accept({
        added: page.length,
        duplicates: 0,
        suppressed: 0,
        total: page.length,
        problems: [],
      });
    };
    const { ask, calls } = api({ campaign: { enrol } });
    const response = await ask("POST", `${SPRING}/recipients`, { body, headers });
    expect(response.status).toBe(503);
    expect(response.headers.has("retry-after")).toBe(true);
    expect(await problemOf(response)).toMatchObject({ code, added: 1_000, total: 1_000 });
    // The page that failed is asked for once: its rows would count as duplicates of themselves.
    const asked = calls.filter(({ method, args }) => {
      return method === "enrol" && (args[0] as readonly unknown[]).length > 0;
    });
    expect(asked).toHaveLength(2);
  });
});
