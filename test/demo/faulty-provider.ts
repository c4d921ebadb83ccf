/**
 * The faults put around Sendonce's provider port, so that the code which ships stays as it is.
 *
 * Batches are numbered by whom they hold, and not by their keys: the ledger hands out recipients in
 * the order in which they were enrolled, a hundred at a time, so the n-th hundred is batch n of the
 * plan. The ledger cuts full hundreds where the naive pipelines have one message of 84: the thirteen
 * consumers that die after the acceptance leave 1,300 recipients here, 16 more than theirs.
 */
import { MAX_BATCH_SIZE } from "../../src/domain/limits.ts";
import type { EmailProvider } from "../../src/provider/port.ts";
import type { Faults } from "./faults.ts";

/** @param handOutAgain gives the message behind this idempotency key to a second consumer */
export function withFaults(
  provider: EmailProvider,
  faults: Faults,
  handOutAgain: (idempotencyKey: string) => Promise<void>,
): EmailProvider {
  return {
    async sendBatch(request) {
      const recipients = request.emails.length;
      const batch = Math.ceil((request.seqs[0] ?? 1) / MAX_BATCH_SIZE);
      faults.beforeCall(batch, recipients);
      const answer = provider.sendBatch(request);
      await faults.duringCall(batch, recipients, () => handOutAgain(request.idempotencyKey));
      const outcome = await answer;
      if (outcome.kind === "answered") faults.afterAcceptance(batch, recipients);
      return outcome;
    },
  };
}
