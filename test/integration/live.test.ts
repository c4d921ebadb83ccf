/** The live stream on real hibernating sockets, through the object's sleep. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { CampaignObject } from "../../src/campaign/campaign-object.ts";
import type { Address, RecipientId } from "../../src/domain/ids.ts";
import type { LiveMessage } from "../../src/domain/shown.ts";
import { DRAFT } from "../unit/http/api.ts";

type Stub = DurableObjectStub<CampaignObject>;

const open: WebSocket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.close();
});

async function campaign(name: string): Promise<Stub> {
  const stub = env.CAMPAIGNS.getByName(name);
  const created = await stub.create(DRAFT);
  expect(created.ok).toBe(true);
  return stub;
}

/** Somebody new, so that the status changes. */
async function enrol(stub: Stub, name: string): Promise<void> {
  const email = `${name}@example.org`;
  const row = { line: 1, id: name as RecipientId, address: email as Address, email, data: {} };
  const answer = await stub.enrol([row]);
  expect(answer.ok).toBe(true);
}

async function watch(stub: Stub) {
  const response = await stub.fetch("https://campaign/live", { headers: { upgrade: "websocket" } });
  const socket = response.webSocket;
  if (socket === null) throw new Error(`no socket but ${response.status}`);
  const heard: string[] = [];
  const closed: { code: number; reason: string }[] = [];
  socket.addEventListener("message", ({ data }) => {
    heard.push(String(data));
  });
  socket.addEventListener("close", ({ code, reason }) => {
    closed.push({ code, reason });
  });
  socket.accept();
  open.push(socket);
  const messages = (): LiveMessage[] => heard.map((text) => JSON.parse(text) as LiveMessage);
  const totals = (): number[] =>
    messages().flatMap((each) => (each.type === "event" ? [] : [each.status.stats.total]));
  return { socket, heard, closed, messages, totals };
}

describe("the live stream in workerd", () => {
  it("sends a snapshot, then what changes", async () => {
    const stub = await campaign("live-changes");
    const viewer = await watch(stub);
    await vi.waitUntil(() => viewer.heard.length === 1);
    expect(viewer.messages()[0]).toMatchObject({ type: "snapshot", status: { state: "draft" } });
    await enrol(stub, "ada");
    await vi.waitUntil(() => viewer.heard.length === 2);
    expect(viewer.messages()[1]).toMatchObject({ type: "status", status: { stats: { total: 1 } } });
  });

  it("C21: keeps its sockets and its numbers through the object's sleep", async () => {
    const stub = await campaign("live-sleep");
    const viewer = await watch(stub);
    await enrol(stub, "ada");
    await vi.waitUntil(() => viewer.heard.length === 2);
    // The pause in which each viewer's place is written down comes before any sleep.
    await new Promise((done) => setTimeout(done, 400));
    await evictDurableObject(stub, { webSockets: "hibernate" });
    await enrol(stub, "bea");
    await vi.waitUntil(() => viewer.heard.length === 3);
    await enrol(stub, "cy");
    await vi.waitUntil(() => viewer.heard.length === 4);
    expect(viewer.totals()).toEqual([0, 1, 2, 3]);
    const versions = viewer
      .messages()
      .map((each) => (each.type === "event" ? 0 : each.status.version));
    expect(versions).toEqual([...new Set(versions)].toSorted((left, right) => left - right));
  });

  it("answers a ping without waking the object", async () => {
    const stub = await campaign("live-ping");
    const viewer = await watch(stub);
    await vi.waitUntil(() => viewer.heard.length === 1);
    await evictDurableObject(stub, { webSockets: "hibernate" });
    viewer.socket.send("ping");
    await vi.waitUntil(() => viewer.heard.length === 2);
    expect(viewer.heard[1]).toBe("pong");
    // It is still asleep: only a running object can be put to sleep.
    await expect(evictDurableObject(stub)).rejects.toThrow(/not currently running/);
    await runInDurableObject(stub, (_object, state) => {
      const [socket] = state.getWebSockets();
      expect(socket && state.getWebSocketAutoResponseTimestamp(socket)).toBeInstanceOf(Date);
    });
  });

  it("closes on whoever says anything else", async () => {
    const stub = await campaign("live-talk");
    const viewer = await watch(stub);
    viewer.socket.send("hello");
    await vi.waitUntil(() => viewer.closed.length === 1);
    expect(viewer.closed[0]).toEqual({ code: 1008, reason: "send nothing but ping" });
  });

  it("tells of a pause and a resume beside the numbers", async () => {
    const stub = await campaign("live-events");
    await enrol(stub, "ada");
    const later = Date.now() + 3_600_000;
    expect((await stub.start({ at: later, publicUrl: "https://mail.test" })).ok).toBe(true);
    const viewer = await watch(stub);
    await stub.pause("operator", "a look at the list");
    await vi.waitUntil(() => viewer.heard.length === 3);
    await stub.resume();
    await vi.waitUntil(() => viewer.heard.length === 5);
    expect(
      viewer.messages().map((each) => (each.type === "event" ? each.event.type : each.type)),
    ).toEqual(["snapshot", "status", "paused", "status", "resumed"]);
  });

  it("answers a viewer's goodbye, who would wait for that for ten seconds", async () => {
    const stub = await campaign("live-goodbye");
    const [withCode, without] = [await watch(stub), await watch(stub)];
    withCode.socket.close(1000, "seen enough");
    without.socket.close();
    await vi.waitUntil(() => withCode.closed.length + without.closed.length === 2);
    expect(withCode.closed[0]).toEqual({ code: 1000, reason: "seen enough" });
    expect((await stub.reading())?.liveSockets).toBe(0);
  });

  it("closes when the campaign is erased, and writes nothing for one that is not there", async () => {
    const stub = await campaign("live-erased");
    const viewer = await watch(stub);
    await stub.erase();
    await vi.waitUntil(() => viewer.closed.length === 1);
    expect(viewer.closed[0]?.code).toBe(1000);

    const nobody = env.CAMPAIGNS.getByName("live-nobody");
    const answer = await nobody.fetch("https://campaign/live", {
      headers: { upgrade: "websocket" },
    });
    expect(answer.status).toBe(404);
    await runInDurableObject(nobody, (_object, state) => {
      expect(state.storage.sql.databaseSize).toBeLessThanOrEqual(4096);
    });
  });
});
