/** What the shipping consumers are given: the simulated network, provider, clock and template. */
import type { AccountRpc } from "../../src/account/rpc.ts";
import type { CampaignRpc, FrozenContent } from "../../src/campaign/rpc.ts";
import type { AttemptOutcome } from "../../src/domain/outcome.ts";
import { consumeDeadLetters } from "../../src/queue/dead-letter-consumer.ts";
import type { RenderedBatch } from "../../src/provider/port.ts";
import type { ConsumerDeps, QueueMessage } from "../../src/queue/deps.ts";
import { consumeDispatches } from "../../src/queue/send-consumer.ts";
import type { EmailProvider, SendRequest } from "../../src/provider/port.ts";
import { attemptOutcome } from "./answers.ts";
import type { Process } from "./process.ts";
import type { HttpAnswer } from "./provider.ts";
import type { World } from "./world.ts";

/**
 * One HTTP client for the provider: it gives a call up in time, whatever becomes of it.
 * @param hasSlots whether its calls have to keep to the slots of the account
 */
export function providerOf(world: World, process: Process, hasSlots = true): EmailProvider {
  return {
    sendBatch: (request) =>
      process.wait<AttemptOutcome>("the provider", (settle) => {
        if (hasSlots) world.leaves(process.name, request.idempotencyKey);
        call(world, process, request, (outcome) => settle({ ok: true, value: outcome }));
      }),
  };
}

function call(
  world: World,
  process: Process,
  request: SendRequest,
  done: (outcome: AttemptOutcome) => void,
): void {
  const { idempotencyKey: key, emails, seqs, timeoutMilliseconds } = request;
  let isOpen = true;
  const close = (answer: HttpAnswer | null): void => {
    if (!isOpen) return;
    isOpen = false;
    const { now } = world.scheduler;
    const outcome = attemptOutcome(answer, request, world.plan.namesFaults, now);
    if (process.isAlive) world.outcome(process.name, outcome);
    done(outcome);
  };
  world.scheduler.after(timeoutMilliseconds, () => close(null));
  const travel = world.fault("providerAcceptsLate")
    ? timeoutMilliseconds + world.skewed(1, 120_000)
    : world.whole(5, 50);
  world.scheduler.after(travel, () =>
    world.provider.receive({ key, emails, seqs }, (answer) =>
      world.scheduler.after(world.whole(5, 50), () => close(answer)),
    ),
  );
}

function depsOf(world: World, process: Process): ConsumerDeps {
  // Processes are short-lived here, so a cache is half of the time somebody else's and full.
  const cache = world.whole(0, 1) === 0 ? new Map<string, FrozenContent>() : world.contents;
  return {
    campaign: (id) => process.stub<CampaignRpc>(world.network, world.object(id)),
    account: () => process.stub<AccountRpc>(world.network, world.account),
    provider: providerOf(world, process),
    render: async (contentId, load, members): Promise<RenderedBatch> => {
      const content = cache.get(contentId) ?? (await load());
      cache.set(contentId, content);
      const faults = members
        .filter((member) => member.data["broken"] === true)
        .map(({ seq }) => ({ seq, reason: "a field is missing" }));
      const emails = members.map((member) => ({
        from: content.from,
        to: member.email,
        subject: content.subject,
        text: `Hello ${String(member.data["name"])}`,
        tags: [{ name: "recipient", value: member.id }],
      }));
      return { emails, seqs: members.map((member) => member.seq), faults };
    },
    monotonic: () => world.scheduler.now,
    sleep: (milliseconds) => process.sleep(milliseconds + world.whole(0, 2)),
    pace: world.pace,
    newClaim: () => world.newName("claim"),
    log: (event, fields) => world.noteLog(process.name, event, fields),
  };
}

/** Runs the shipping consumer in a simulated process. */
export function consume(
  world: World,
  process: Process,
  messages: readonly QueueMessage[],
  isDead: boolean,
): Promise<void> {
  const deps = depsOf(world, process);
  return isDead ? consumeDeadLetters(messages, deps) : consumeDispatches(messages, deps);
}
