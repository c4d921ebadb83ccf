import { describe, expect, it } from "vitest";
import type { CampaignId, Seq } from "../../../src/domain/ids.ts";
import {
  importLinkSecret,
  parseUnsubscribeToken,
  unsubscribeToken,
  unsubscribeUrl,
  verifyUnsubscribeToken,
} from "../../../src/message/unsubscribe-link.ts";

const SECRET = "0123456789abcdef".repeat(4);
const OTHER_SECRET = "fedcba9876543210".repeat(4);
const CAMPAIGN = "Spring_26-a" as CampaignId;

async function token(seq = 42, campaign = CAMPAIGN, secret = SECRET): Promise<string> {
  return await unsubscribeToken(await importLinkSecret(secret), campaign, seq as Seq);
}

async function holds(text: string, secret = SECRET): Promise<boolean> {
  const parsed = parseUnsubscribeToken(text);
  return parsed !== null && (await verifyUnsubscribeToken(secret, parsed));
}

describe("unsubscribe tokens", () => {
  it("C61: name a campaign and a place in it, and are the same every time", async () => {
    const first = await token();
    expect(first).toBe(await token());
    expect(first).toMatch(/^Spring_26-a\.42\.[A-Za-z0-9_-]{43}$/);
    expect(parseUnsubscribeToken(first)).toMatchObject({ campaign: CAMPAIGN, seq: 42 });
    expect(unsubscribeUrl("https://mail.example.org", first)).toBe(
      `https://mail.example.org/unsubscribe/${first}`,
    );
    expect(new URL(unsubscribeUrl("https://mail.example.org", first)).pathname).toContain(first);
  });

  it("hold under the campaign's secret only", async () => {
    expect(await holds(await token())).toBe(true);
    expect(await holds(await token(), OTHER_SECRET)).toBe(false);
  });

  it("can't be turned into another's", async () => {
    const [campaign, seq, signature] = (await token()).split(".");
    expect(await holds(`${campaign}.43.${signature}`)).toBe(false);
    expect(await holds(`Spring.${seq}.${signature}`)).toBe(false);
    expect(await holds(`${campaign}.4.${signature}`)).toBe(false);
    // The last character carries two bits that are no part of the 32 bytes.
    const flipped = signature?.startsWith("A")
      ? `B${signature.slice(1)}`
      : `A${signature?.slice(1)}`;
    expect(await holds(`${campaign}.${seq}.${flipped}`)).toBe(false);
  });

  it.each([
    "",
    "x",
    "a.1",
    "a.1.",
    `a.01.${"A".repeat(43)}`,
    `a.0.${"A".repeat(43)}`,
    `a.-1.${"A".repeat(43)}`,
    `a.9999999999999999.${"A".repeat(43)}`,
    `a.1.${"A".repeat(42)}`,
    `a.1.${"A".repeat(44)}`,
    `a b.1.${"A".repeat(43)}`,
    `${"a".repeat(65)}.1.${"A".repeat(43)}`,
    `a.1.${"A".repeat(43)}\n`,
    `a.1.${"A".repeat(43)}/x`,
  ])("%j is none", (text) => {
    expect(parseUnsubscribeToken(text)).toBeNull();
  });

  it("need a secret of 32 bytes", async () => {
    await expect(importLinkSecret("abc")).rejects.toThrow("invariant broken");
  });
});
