import { describe, expect, it } from "vitest";
import {
  idempotencyKey,
  parseCampaignId,
  parseRecipientId,
  type BatchNumber,
  type CampaignId,
} from "../../../src/domain/ids.ts";

describe("ids", () => {
  it.each(["a", "A-z_0", "x".repeat(64)])("campaign id %s", (id) => {
    expect(parseCampaignId(id)).toBe(id);
  });

  it.each(["", "x".repeat(65), "a b", "ä", "a/b", "a:b", "a\n", "a.b"])(
    "no campaign id: %j",
    (id) => {
      expect(parseCampaignId(id)).toBeNull();
    },
  );

  it("a recipient id is 1 to 256 characters of anything", () => {
    expect(parseRecipientId("")).toBeNull();
    expect(parseRecipientId("x".repeat(257))).toBeNull();
    for (const id of ["x", " ", "ß🙂", "x".repeat(256)]) expect(parseRecipientId(id)).toBe(id);
  });

  it("G1: a key is of one campaign and one batch, ASCII, and fits the provider", () => {
    const longest = idempotencyKey("x".repeat(64) as CampaignId, Number.MAX_SAFE_INTEGER as never);
    expect(longest.length).toBeLessThanOrEqual(256);
    expect(longest).toMatch(/^[!-~]+$/);
    expect(idempotencyKey("a1" as CampaignId, 1 as BatchNumber)).toBe("a1:1");
    expect(idempotencyKey("a" as CampaignId, 11 as BatchNumber)).toBe("a:11");
  });
});
