/** The typed client inside workerd, against the real Worker: what a Worker with a binding would do. */
import { env, exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { resultOf, SendonceClient, type LiveMessage } from "../../src/client/client.ts";
import { campaign, newId } from "./harness/campaign.ts";
import { standIn } from "./harness/stand-in.ts";

/** Each call as its last part of the path and the status of its answer. */
const made: string[] = [];
const bound: typeof fetch = async (input, init) => {
  const response = await exports.default.fetch(new Request(input, init));
  made.push(`${new URL(input as string).pathname.split("/").at(-1)} ${response.status}`);
  return response;
};
const client = new SendonceClient({
  url: "http://sendonce.test",
  token: env.OPERATOR_TOKEN,
  fetch: bound,
});

async function* people(count: number): AsyncGenerator<{ id: string; email: string }> {
  for (let at = 1; at <= count; at += 1) {
    yield { id: `p${at}`, email: `p${at}@mail.example.org` };
  }
}

describe("the client in a Worker", () => {
  it("G1: enrols by a stream, starts, watches by an upgraded socket, and reads every page", async () => {
    const { id } = await campaign({ settings: { batchSize: 50 } });
    const report = await client.upload(id, { recipients: people(250) });
    expect(report).toMatchObject({ added: 250, total: 250, problems: [] });
    expect((await client.preflight(id)).ok).toBe(true);

    // Watched from before the start, so that all of it comes by the stream.
    made.length = 0;
    const messages: LiveMessage[] = [];
    const watching = (async () => {
      for await (const message of client.watch(id, { untilOver: true })) messages.push(message);
    })();
    await client.start(id);
    await watching;
    const statuses = messages.flatMap((each) => (each.type === "event" ? [] : [each.status]));
    const versions = statuses.map(({ version }) => version);
    expect(versions).toEqual([...new Set(versions)].toSorted((left, right) => left - right));
    expect(statuses.at(-1)).toMatchObject({ state: "finished", stats: { sent: 250 } });
    expect(statuses.length).toBeGreaterThan(2);
    // All but the first came by the stream, and that was upgraded once.
    expect(made.filter((call) => call === "live 101")).toHaveLength(1);
    expect(made.filter((call) => call === "delivery-status 200")).toHaveLength(1);

    const ids: string[] = [];
    for await (const each of client.recipients(id, { status: "sent", limit: 100 })) {
      ids.push(each.id);
    }
    expect(new Set(ids).size).toBe(250);
    expect(await standIn.counts(id)).toMatchObject({ accepted: 250, duplicates: 0 });
    const csv = await new Response(await client.exportRecipients(id)).text();
    expect(csv.trimEnd().split("\r\n")).toHaveLength(251);
    const types: string[] = [];
    for await (const { type } of client.events(id)) types.push(type);
    expect(types).toEqual(["finished", "started", "created"]);
  });

  it("creates twice the same once, and is told apart what it is refused for", async () => {
    const draft = { id: newId("client"), name: "By hand", delivery: "external" } as const;
    const [first, again] = [await client.create(draft), await client.create(draft)];
    expect(again).toEqual(first);
    const other = await resultOf(client.create({ ...draft, name: "Another" }));
    expect(other).toMatchObject({ ok: false, error: { code: "campaignExists", status: 409 } });
    const fields = await resultOf(client.start(draft.id, { at: "tomorrow" }));
    expect(fields).toMatchObject({ error: { code: "invalidFields", errors: [{ path: "at" }] } });
    await client.erase(draft.id);
    expect(await resultOf(client.campaign(draft.id))).toMatchObject({
      error: { code: "campaignNotFound" },
    });
  });

  it("reserves and reports for a queue of one's own", async () => {
    const { id } = await campaign({ delivery: "external" });
    await client.start(id);
    const recipients = [{ email: "ada@mail.example.org" }];
    const ask = { reservationId: "m1", recipients };
    const grant = await client.reserve(id, ask, { claim: "delivery-1" });
    if (!grant.granted) throw new Error(grant.reason);
    expect(await client.reserve(id, ask, { claim: "delivery-1" })).toEqual(grant);
    expect(await client.reserve(id, ask)).toMatchObject({ granted: false, reason: "inFlight" });
    const results = grant.recipients.map((each) => ({
      id: each.id,
      outcome: "sent" as const,
      providerId: "own-1",
    }));
    await client.report(id, "m1", { token: grant.token, results });
    const status = await client.finish(id);
    expect(status).toMatchObject({ state: "finished", stats: { sent: 1 } });
  });

  it("G6: suppresses, lists, exports and allows again", async () => {
    const addresses = ["a@mail.example.org", "b@mail.example.org"];
    expect(await client.suppress(addresses)).toEqual({ addresses: 2, added: 2, already: 0 });
    const csv = "address,reason\nc@mail.example.org,complaint\n";
    expect(await client.importSuppressions(csv)).toMatchObject({ added: 1, invalid: 0 });
    const { id } = await campaign();
    const list = addresses.map((email) => ({ email }));
    expect(await client.upload(id, { recipients: list })).toMatchObject({ suppressed: 2 });
    await client.allow("a@mail.example.org");
    const left: string[] = [];
    for await (const { address } of client.suppressions({ limit: 1 })) left.push(address);
    expect(left).toEqual(["b@mail.example.org", "c@mail.example.org"]);
    const file = await new Response(await client.exportSuppressions()).text();
    expect(file).toContain("c@mail.example.org,complaint,");
  });
});
