/** Puts work orders on the queue, and marks them as out only when the queue has taken them. */
import { faultOf } from "../domain/fault-text.ts";
import { BACKOFF_FIRST_SECONDS, QUEUE_SEND_TIMEOUT_SECONDS } from "../domain/limits.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { CampaignPorts } from "./ports.ts";
import type { DispatchMessage } from "./dispatch-message.ts";
import { MESSAGE_VERSION } from "./message-version.ts";
import { within } from "./within.ts";

/**
 * Sends what is due, one send's worth. What the queue refuses, or holds for too long (workerd#6053:
 * 57 s), is put back and sent later; it may then arrive twice, which a hint may.
 * @returns whether anything was sent
 */
export async function sendDispatches(
  ledger: Ledger,
  ports: Pick<CampaignPorts, "id" | "queue" | "clock" | "log">,
): Promise<boolean> {
  const campaignId = ports.id;
  const dispatches = ledger.dueDispatches(ports.clock().now());
  if (dispatches.length === 0) return false;
  const messages = dispatches.map((dispatch) => ({
    body: { v: MESSAGE_VERSION, campaignId, dispatch } satisfies DispatchMessage,
  }));
  try {
    await within(QUEUE_SEND_TIMEOUT_SECONDS, ports.queue.sendBatch(messages));
  } catch (error) {
    const now = ports.clock().now();
    ports.log("queueSendFailed", { campaignId, ...faultOf(error) });
    ledger.postpone({ dispatches, at: now + BACKOFF_FIRST_SECONDS * 1000, room: null }, now);
    return false;
  }
  ledger.dispatchesSent(dispatches, ports.clock().now());
  ports.log("dispatchesSent", { campaignId, dispatches });
  return true;
}
