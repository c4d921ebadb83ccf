/** The log, the counts over it, the reads of the provider's side, and what outlives a restart. */
import { appendFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Resend } from "resend";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startStandIn } from "../../stand-in/server.ts";
import { StandInControl } from "../../support/stand-in-client.ts";
import { mail, mails, standInFixture } from "./fixture.ts";

const fixture = standInFixture();
const permissive = (idempotencyKey: string) =>
  ({ idempotencyKey, batchValidation: "permissive" }) as const;

const tagged = (to: string, value: string) => ({
  ...mail(to),
  tags: [{ name: "campaign", value }],
});

describe("log and counts", () => {
  it("keeps one record for each accepted mail and each request", async () => {
    const tags = [{ name: "campaign", value: "spring" }];
    const headers = { "X-A": "b" };
    const { data } = await fixture.resend.batch.send(
      [{ ...mail("A@a.test"), tags, headers }, mail("bad")],
      permissive("spring:1"),
    );
    expect(await fixture.control.log("accepted")).toEqual([
      {
        kind: "accepted",
        at: expect.any(Number),
        key: "spring:1",
        endpoint: "POST /emails/batch",
        index: 0,
        id: data?.data[0]?.id,
        to: "A@a.test",
        from: "Ada <ada@acme.test>",
        subject: "Hello",
        tags,
        headers,
        replay: false,
      },
    ]);
    expect(await fixture.control.log("request")).toEqual([
      {
        kind: "request",
        at: expect.any(Number),
        key: "spring:1",
        endpoint: "POST /emails/batch",
        status: 200,
        name: null,
        count: 2,
        bodyDigest: expect.stringMatching(/^[0-9a-f]{64}$/u),
        replay: false,
        fault: null,
      },
    ]);
  });

  it("keeps content when asked", async () => {
    await fixture.control.configure({ keepContent: true });
    await fixture.resend.emails.send({ ...mail("a@a.test"), text: "Hi", replyTo: "r@r.test" });
    const [record] = await fixture.control.log("accepted");
    expect(record).toMatchObject({ html: "<p>Hello</p>", text: "Hi", replyTo: ["r@r.test"] });
  });

  it("counts duplicates over addresses in any spelling, and by campaign", async () => {
    await fixture.resend.batch.send([tagged("a@a.test", "one"), tagged("b@b.test", "one")]);
    await fixture.resend.batch.send([tagged("A@a.test", "one"), tagged("a@a.test", "two")]);
    const whole = { accepted: 4, addresses: 2, duplicates: 2, requests: 2 };
    expect(await fixture.control.counts()).toMatchObject(whole);
    const one = { accepted: 3, addresses: 2, duplicates: 1 };
    expect(await fixture.control.get("counts?campaign=one")).toEqual(one);
    expect(await fixture.control.get("counts?campaign=two&address=a@a.test")).toBe(1);
    expect(await fixture.control.get("counts?campaign=none")).toMatchObject({ accepted: 0 });
    expect(await fixture.control.get("per-address")).toEqual({ "a@a.test": 3, "b@b.test": 1 });
    expect(await fixture.control.get("per-address?campaign=none")).toEqual({});
  });

  it("streams every address of many", async () => {
    for (let n = 0; n < 21; n += 1) await fixture.resend.batch.send(mails(100, `s${n}_`));
    const map = (await fixture.control.get("per-address")) as Record<string, number>;
    expect(Object.keys(map)).toHaveLength(2100);
    expect(Object.values(map).every((count) => count === 1)).toBe(true);
  });

  it("pages the log", async () => {
    await fixture.resend.batch.send(mails(5));
    const page = (await fixture.control.get("log?after=3&limit=10")) as { records: object[] };
    expect(page).toMatchObject({ total: 5, next: 5, records: [{ index: 3 }, { index: 4 }] });
    await expect(fixture.control.get("log?kind=key")).rejects.toThrow("kind:");
  });

  it("is empty after a reset, and ids are never given again", async () => {
    const first = await fixture.resend.batch.send(mails(2));
    await fixture.control.configure({ dailyQuota: 1, latencyMilliseconds: 5 });
    await fixture.control.reset();
    expect(await fixture.control.counts()).toMatchObject({ accepted: 0, requests: 0 });
    expect(await fixture.control.get("config")).toMatchObject({
      dailyQuota: null,
      latencyMilliseconds: 0,
    });
    const second = await fixture.resend.batch.send(mails(2));
    expect(second.data?.data).not.toEqual(first.data?.data);
    expect((await fixture.resend.emails.get(first.data?.data[0]?.id ?? "")).error?.statusCode).toBe(
      404,
    );
  });

  it.each([
    ["config", { requestPerSecond: 1 }, "config.requestPerSecond: unknown"],
    ["config", { requestsPerSecond: 0 }, "config.requestsPerSecond"],
    ["config", { answer: { status: 200, name: "", message: "" } }, "config.answer"],
    ["clock", { advanceSeconds: -1 }, "clock.advanceSeconds"],
    ["nothing", {}, "no POST /control/nothing"],
  ])("refuses a wrong %s command by name", async (command, body, says) => {
    await expect(fixture.control.post(command, body)).rejects.toThrow(says);
  });
});

describe("reads", () => {
  it("give a mail with its tags as a list", async () => {
    const tags = [{ name: "rid", value: "u_1" }];
    const sent = await fixture.resend.emails.send({ ...mail("a@a.test"), tags });
    const { data } = await fixture.resend.emails.get(sent.data?.id ?? "");
    expect(data).toMatchObject({ to: ["a@a.test"], tags, last_event: "sent", object: "email" });
  });

  it("list the newest first, page after and before", async () => {
    await fixture.resend.batch.send(mails(5));
    const page = async (options: object): Promise<unknown> => {
      const { data } = await fixture.resend.emails.list(options);
      return [data?.data.map(({ to }) => to[0]?.slice(0, 2)), data?.has_more];
    };
    const { data } = await fixture.resend.emails.list();
    const idOf = (place: number): string => data?.data[place]?.id ?? "";
    expect(await page({})).toEqual([["p4", "p3", "p2", "p1", "p0"], false]);
    expect(await page({ limit: 2 })).toEqual([["p4", "p3"], true]);
    expect(await page({ limit: 2, after: idOf(1) })).toEqual([["p2", "p1"], true]);
    expect(await page({ limit: 2, after: idOf(3) })).toEqual([["p0"], false]);
    expect(await page({ limit: 2, before: idOf(3) })).toEqual([["p3", "p2"], true]);
    expect(await page({ limit: 2, before: idOf(1) })).toEqual([["p4"], false]);
    expect((await fixture.resend.emails.list({ limit: 101 })).error?.statusCode).toBe(422);
  });
});

describe("a restart with the same log", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "stand-in-test-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("keeps mails, keys, clock and counts, and cuts off a torn group", async () => {
    const logFile = join(folder, "log.ndjson");
    const first = await startStandIn({ logFile });
    const resend = new Resend("re_test", { baseUrl: first.url });
    const sent = await resend.batch.send(mails(3), permissive("c:1"));
    const control = new StandInControl(first.url);
    await control.advance(3600);
    await control.fault({ do: "acceptThenDrop" });
    await resend.batch.send(mails(2, "q"), permissive("c:2"));
    const before = await control.counts();
    await first.close();
    const whole = await readFile(logFile, "utf8");
    const torn = whole.slice(0, whole.indexOf("\n") + 1);
    await appendFile(logFile, `${torn}${torn.slice(0, 20)}`);

    const second = await startStandIn({ logFile });
    const [again, controlAgain] = [
      new Resend("re_test", { baseUrl: second.url }),
      new StandInControl(second.url),
    ];
    expect(await readFile(logFile, "utf8")).toBe(whole);
    expect(await controlAgain.counts()).toMatchObject({ ...before, mostInOneSecond: 0 });
    expect((await again.batch.send(mails(3), permissive("c:1"))).data).toEqual(sent.data);
    const repeated = await again.batch.send(mails(2, "q"), permissive("c:2"));
    const found = await again.emails.get(repeated.data?.data[1]?.id ?? "");
    expect(found.data?.to).toEqual(["q1@a.test"]);
    const other = await again.batch.send(mails(1), permissive("c:1"));
    expect(other.error?.name).toBe("invalid_idempotent_request");
    expect(await controlAgain.counts()).toMatchObject({ accepted: 5, duplicates: 0, replays: 2 });
    await controlAgain.advance(23 * 3600);
    const late = await again.batch.send(mails(3), permissive("c:1"));
    expect(late.data?.data).not.toEqual(sent.data?.data);
    await second.close();
  });
});
