/** The log: one line of JSON for each event, of a closed set, without an address in any text of it. */
import { expect, it, vi } from "vitest";
import { LOG_LEVELS, type Log } from "../../../src/domain/log-event.ts";
import { faultOf } from "../../../src/domain/fault-text.ts";
import type { CampaignId } from "../../../src/domain/ids.ts";
import { logLine, logWriter } from "../../../src/operations/log-writer.ts";

const campaignId = "spring" as CampaignId;

const log: Log = () => undefined;

it("R-no-address: texts anywhere in the fields are looked over, and the rest stays", () => {
  const fields = {
    messageId: "for-ada@mail.example",
    campaignId,
    dispatch: null,
    ...faultOf(new Error("no ada@mail.example")),
  };
  const line = logLine("dispatchFailed", fields, (address) => `[${address.length}]`);
  expect(line).not.toContain("@mail");
  expect(JSON.parse(line)).toMatchObject({
    event: "dispatchFailed",
    campaignId: "spring",
    dispatch: null,
    messageId: "[20]",
    error: "Error: no [16]",
  });
});

it("an event goes where its level says", () => {
  const out = vi.spyOn(console, "log").mockImplementation(() => undefined);
  const err = vi.spyOn(console, "error").mockImplementation(() => undefined);
  try {
    const write = logWriter(() => "-");
    write("alarmLate", { campaignId, lateSeconds: 90 });
    write("dispatchesSent", { campaignId, dispatches: [] });
    expect(err.mock.calls).toEqual([
      ['{"event":"alarmLate","campaignId":"spring","lateSeconds":90}'],
    ]);
    expect(out.mock.calls).toEqual([
      ['{"event":"dispatchesSent","campaignId":"spring","dispatches":[]}'],
    ]);
  } finally {
    out.mockRestore();
    err.mockRestore();
  }
});

it("another name, or a text as it was thrown, does not compile", () => {
  // @ts-expect-error -- no event of the set
  log("somethingElse", {});
  // @ts-expect-error -- `error` has to come from faultOf
  log("holdFailed", { error: String(new Error("raw")), stack: null });
  // @ts-expect-error -- a link of the chain is missing
  log("attemptStarted", { campaignId, recipients: 1 });
  expect(Object.values(LOG_LEVELS).every((level) => level === "info" || level === "error")).toBe(
    true,
  );
});
