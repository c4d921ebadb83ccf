/**
 * What the platform bills beside rows (test/contract/budget-workerd.test.ts), counted on the way that
 * ships: HTTP, the object and its alarm, the queue, the consumer, the provider's stand-in.
 */
import { expect, it } from "vitest";
import { campaign, finished } from "./harness/campaign.ts";
import { stage } from "./harness/stage.ts";

it("queue operations and object requests for each 100 recipients of a managed campaign", async () => {
  const hundreds = 20;
  const one = await campaign({ recipients: hundreds * 100 });
  stage.bill.reset();
  await one.start();
  expect(await finished(one)).toMatchObject({ stats: { sent: hundreds * 100 } });
  // The last report finishes the campaign, and its message is acknowledged after that.
  const { queue } = stage.bill;
  await expect.poll(() => queue.deletes).toBeGreaterThanOrEqual(hundreds);
  // A message is written, read and deleted, and a tenth is left for hints that are sent again.
  expect(queue.writes).toBeGreaterThanOrEqual(hundreds);
  expect(stage.bill.queueOperations / hundreds, JSON.stringify(queue)).toBeLessThanOrEqual(3.3);
  const { objects } = stage.bill;
  // Decline, slot, reserve and report, and sometimes whether the slot still stands. The rest is the
  // content, once for each isolate, and the alarm, which fills the window of dispatches up.
  const named = JSON.stringify(Object.fromEntries(objects));
  expect(objects.get("campaign.report"), named).toBe(hundreds);
  for (const asked of ["campaign.decline", "campaign.reserve"]) {
    expect((objects.get(asked) ?? 0) / hundreds, named).toBeLessThanOrEqual(1.1);
  }
  expect(objects.get("campaign.alarm"), named).toBeGreaterThanOrEqual(1);
  expect(stage.bill.objectRequests / hundreds, named).toBeLessThanOrEqual(5.5);
});
