/** Runs around each integration test, so that none depends on what ran before it. */
import { afterEach, beforeEach } from "vitest";
import { retireCampaigns } from "./campaign.ts";
import { stage } from "./stage.ts";
import { standIn } from "./stand-in.ts";

beforeEach(async () => {
  stage.reset();
  await standIn.reset();
});

afterEach(async () => {
  stage.reset();
  await standIn.release();
  await retireCampaigns();
});
