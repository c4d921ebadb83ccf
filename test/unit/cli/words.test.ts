import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  bar,
  bytes,
  count,
  duration,
  percent,
  plain,
  some,
  table,
} from "../../../src/cli/format.ts";
import { serverOf } from "../../../src/cli/settings.ts";
import { storyText } from "../../../src/cli/story.ts";
import type { RecipientStory } from "../../../src/client/types.ts";
import { command } from "./capture.ts";

describe("numbers and text", () => {
  it("are written the same wherever it runs", () => {
    expect([0, 999, 1_000, 12_480, 1_234_567].map(count)).toEqual([
      "0",
      "999",
      "1,000",
      "12,480",
      "1,234,567",
    ]);
    expect([0, 59.4, 60, 3_599, 7_385].map(duration)).toEqual([
      "0 s",
      "59 s",
      "1 min 0 s",
      "59 min 59 s",
      "2 h 3 min",
    ]);
    expect([999, 1_500, 2_500_000, 3e9].map(bytes)).toEqual([
      "999 B",
      "1.5 kB",
      "2.5 MB",
      "3.0 GB",
    ]);
    expect([percent(1, 3), percent(9_999, 10_000), percent(0, 0)]).toEqual([
      "33.3 %",
      "99.9 %",
      "100.0 %",
    ]);
    expect([bar(0, 4), bar(0.5, 4), bar(1, 4), bar(2, 4)]).toEqual([
      "░░░░",
      "██░░",
      "████",
      "████",
    ]);
    expect([some(1, "doubt"), some(2, "doubt")]).toEqual(["1 doubt", "2 doubts"]);
    expect([some(1, "address"), some(3, "address")]).toEqual(["1 address", "3 addresses"]);
    expect(
      table([
        ["a", "b"],
        ["long", ""],
      ]),
    ).toBe("a     b\nlong\n");
  });

  it("of a stranger moves no cursor and turns no line around", () => {
    expect(plain("a\u001B[2Jb\u202Ec\r\n\u0007d")).toBe("a�[2Jb�c���d");
    expect(plain("Zoë Ångström 李")).toBe("Zoë Ångström 李");
  });
});

const refusing = (flags: object) => () => serverOf(flags, { env: {}, home: "/nowhere" });

describe("where the server and the token come from", () => {
  const home = mkdtempSync(join(tmpdir(), "sendonce-home-"));
  mkdirSync(join(home, ".config"));
  const usual = join(home, ".config", "sendonce.json");
  const other = join(home, "other.json");
  afterAll(() => rmSync(home, { recursive: true }));

  it("a flag wins over the environment, and that over the file", () => {
    writeFileSync(usual, '{"url":"https://file.example","token":"file"}');
    expect(serverOf({}, { env: {}, home })).toEqual({ url: "https://file.example", token: "file" });
    const env = { SENDONCE_URL: "https://env.example", SENDONCE_TOKEN: "" };
    expect(serverOf({}, { env, home })).toEqual({ url: "https://env.example", token: "file" });
    const flags = { url: "https://flag.example", token: "flag" };
    expect(serverOf(flags, { env, home })).toEqual(flags);
    writeFileSync(other, '{"url":"http://127.0.0.1:8787","token":"other"}');
    expect(serverOf({ config: other }, { env: {}, home }).token).toBe("other");
  });

  it("what is missing or wrong is said with what to give instead", () => {
    expect(refusing({ token: "x" })).toThrow("Give --url https://…, set SENDONCE_URL, or put");
    expect(refusing({ url: "https://x.example" })).toThrow("the token is missing");
    const spoilt = { url: "https://x.example", token: "se\ncret" };
    expect(refusing(spoilt)).toThrow(/^the token has to be visible ASCII/);
    const read = { url: "https://x.example", token: "secret\n" };
    expect(serverOf(read, { env: {}, home }).token).toBe("secret");
    expect(refusing({ url: "x.example", token: "x" })).toThrow("begins with https://");
    expect(refusing({ config: join(home, "none.json") })).toThrow("none.json can't be read");
    writeFileSync(other, '{"url":"https://x.example","tokn":"x"}');
    expect(refusing({ config: other })).toThrow('other.json: "tokn" is unknown');
    writeFileSync(other, '{"url":1}');
    expect(refusing({ config: other })).toThrow('"url" has to be text');
    writeFileSync(other, "url: x");
    expect(refusing({ config: other })).toThrow("other.json is not JSON");
  });
});

describe("exit codes and usage", () => {
  it("help and version are no failure; what is unknown is one of usage", async () => {
    const help = await command(["--help"]);
    expect(help).toMatchObject({ code: 0, err: "" });
    expect(help.out).toContain("Exit codes: 0 done · 1 refused by the server · 2 wrong usage");
    expect((await command(["--version"])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(await command(["help", "watch"])).toMatchObject({ code: 0, err: "" });
    const typo = await command(["statsu"]);
    expect(typo).toMatchObject({ code: 2, out: "" });
    expect(typo.err).toContain("Did you mean status?");
    for (const args of [
      [],
      ["why", "spring"],
      ["watch"],
      ["pause", "a", "b"],
      ["start", "--now"],
    ]) {
      expect(await command(args)).toMatchObject({ code: 2, out: "" });
    }
  });

  it("--json says also what is wrong with the command as JSON", async () => {
    const { code, out, err } = await command(["statsu", "--json"]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(JSON.parse(err)).toMatchObject({ error: "usage" });
    const without = await command(["status", "--json"]);
    expect(JSON.parse(without.err)).toMatchObject({ error: "usage" });
  });

  it("nobody there is 3", async () => {
    const said = await command(["status", "--url", "http://127.0.0.1:1", "--token", "x"]);
    expect(said).toMatchObject({ code: 3, out: "" });
    expect(said.err).toContain("Is the server up");
  });
});

describe("why", () => {
  const story: RecipientStory = {
    id: "u_81",
    email: "ada@example.org",
    data: { firstName: "Ada" },
    status: "sent",
    reason: null,
    providerId: "re_1",
    batch: 12,
    updatedAt: "2026-12-01T09:00:09.000Z",
    idempotencyKey: "spring:12",
    attempts: [
      {
        token: 1,
        startedAt: "2026-12-01T09:00:00.000Z",
        expiresAt: "2026-12-01T09:00:05.000Z",
        endedAt: "2026-12-01T09:00:05.000Z",
        outcome: "expired",
        reason: "the lease ran out without a report",
      },
      {
        token: 2,
        startedAt: "2026-12-01T09:00:08.000Z",
        expiresAt: "2026-12-01T09:00:13.000Z",
        endedAt: "2026-12-01T09:00:08.120Z",
        outcome: "answered",
        reason: null,
      },
    ],
    feedback: { state: "delivered", at: "2026-12-01T09:00:09.000Z" },
    suppression: { reason: "unsubscribe", at: "2026-12-01T09:30:00.000Z" },
  };

  it("tells each attempt, and what came after", () => {
    expect(storyText("spring", story).split("\n")).toEqual([
      "u_81 <ada@example.org>: was mailed. The provider accepted it as re_1.",
      "  batch 12 under the idempotency key spring:12, 2 attempts:",
      "  1. 2026-12-01 09:00:00Z  after 5 s: nobody reported before the lease ran out; it may have been accepted",
      "  2. 2026-12-01 09:00:08Z  after 120 ms: the provider answered for each recipient",
      "  delivered 2026-12-01 09:00:09Z, by a webhook",
      "  suppressed (unsubscribe) 2026-12-01 09:30:00Z; the mail went out before",
      "  last change 2026-12-01 09:00:09Z",
      "",
    ]);
  });

  it("says in each state what it means, and what may be done", () => {
    const told = (fields: Partial<RecipientStory>): string =>
      storyText("spring", { ...story, attempts: [], suppression: null, feedback: null, ...fields });
    expect(told({ status: "pending", batch: null })).toContain("Nothing was sent.");
    expect(told({ status: "pending", reason: "replayed" })).toContain("mailed again: replayed");
    expect(told({ status: "reserved" })).toContain("in a batch that is being sent");
    expect(told({ status: "sent", providerId: null })).toContain("has vouched for it");
    expect(told({ status: "suppressed" })).toContain("the address is suppressed");
    expect(told({ status: "cancelled" })).toContain("cancelled before its turn");
    const failed = told({ id: "it's me", status: "failed", reason: "bad\naddress" });
    expect(failed).toContain("was not mailed: bad�address");
    expect(failed).toContain(String.raw`sendonce replay spring --ids 'it'\''s me'`);
    const doubted = told({ status: "inDoubt", reason: "the window is over" });
    expect(doubted).toContain("may have been mailed; nobody knows: the window is over");
    expect(doubted).toContain("sendonce resolve spring --as sent u_81");
    const running = told({
      attempts: story.attempts
        .slice(0, 1)
        .map((attempt) => ({ ...attempt, endedAt: null, outcome: null })),
    });
    expect(running).toContain("under way, until 2026-12-01 09:00:05Z");
  });
});
