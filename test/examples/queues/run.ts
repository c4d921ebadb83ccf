/**
 * An existing Cloudflare Queues consumer. The provider accepts and its answer is lost three times, and
 * one mailing is put on the queue twice, as a producer does whose own answer was lost.
 */
import { mailings, type Person } from "../people.ts";
import type { Comparison, Count, ExampleStack } from "../stack.ts";

const MESSAGES = 10;
const EACH = 20;
const LOST_ANSWERS = 3;

export async function runQueues(stack: ExampleStack): Promise<Comparison> {
  const before = await run(stack, "before", "as it was");
  await stack.campaign("queues-after", { leaseSeconds: 10 });
  const after = await run(stack, "after", "with Sendonce");
  return { example: "Cloudflare Queues, answers lost", counts: [before, after] };
}

async function run(stack: ExampleStack, path: "before" | "after", how: string): Promise<Count> {
  const campaign = `queues-${path}`;
  await stack.provider.fault({ do: "acceptThenDrop", times: LOST_ANSWERS });
  const before = (await stack.provider.counts()).requests;
  const messages = mailings(campaign, MESSAGES, EACH);
  const twice = [...messages, messages[4] as Person[]];
  const body = JSON.stringify(twice.map((recipients) => ({ campaign, recipients })));
  const response = await fetch(`${stack.url}/${path}`, { method: "POST", body });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  const people = MESSAGES * EACH;
  // The consumer as it was keeps no account of its work, so its end is that every call was made.
  const calls = before + twice.length + LOST_ANSWERS;
  await stack.until(`the end of ${campaign}`, async () =>
    path === "before"
      ? (await stack.provider.counts()).requests >= calls
      : (await stack.api.deliveryStatus(campaign)).stats.sent === people,
  );
  return stack.count(how, campaign, people);
}
