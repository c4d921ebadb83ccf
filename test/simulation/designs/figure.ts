/**
 * The published figure: duplicates and losses per million recipients, of the three usual designs and
 * of Sendonce, in the same worlds with the same faults. Nobody presses a button in them.
 */
import { DEFAULT_SETTINGS } from "../../../src/domain/settings.ts";
import { FAULTS, type FaultKind } from "../faults.ts";
import { drawPlan, type Plan } from "../plan.ts";
import { runPlan } from "../run.ts";
import type { World } from "../world.ts";
import { DesignWorld } from "./design-world.ts";
import { SENDERS } from "./senders.ts";

const RECIPIENTS = 5_000;
const FAULT_SECONDS = 900;
const DRAIN_MILLISECONDS = 26 * 3_600_000;

/** What people do, and what only Sendonce has, is no part of the comparison. */
const LEFT_OUT: ReadonlySet<FaultKind> = new Set([
  "pauses",
  "cancels",
  "suppresses",
  "replaysFailed",
  "replaysDeadLetters",
  "replaysDoubts",
  "resolves",
  "startsTwice",
  "schedules",
]);

export type Tally = {
  recipients: number;
  duplicates: number;
  losses: number;
  /** Not called sent, and not called anything else: in plain view, for a person to settle. */
  inDoubt: number;
};

function figurePlan(seed: number): Plan {
  const plan = drawPlan(seed, { only: FAULTS.filter((kind) => !LEFT_OUT.has(kind)), campaigns: 1 });
  return {
    ...plan,
    isLong: false,
    keyless: false,
    webhooks: false,
    // As the shipping client asks for: one bad address does not refuse the whole request.
    permissive: true,
    faultSeconds: FAULT_SECONDS,
    campaigns: [
      {
        id: "c1",
        external: false,
        recipients: RECIPIENTS,
        settings: { ...DEFAULT_SETTINGS, pauseAtFailureRate: 1 },
        badShare: plan.campaigns[0]?.badShare ?? 0,
        unrenderableShare: 0,
      },
    ],
  };
}

function addTo(world: World, tally: Tally): void {
  for (const twin of world.twins) {
    for (const person of twin.people.values()) {
      tally.recipients += 1;
      const mails = twin.accepted.get(person.id)?.length ?? 0;
      tally.duplicates += Math.max(0, mails - 1);
      const status = twin.byId.get(person.id)?.status;
      if (status === "inDoubt") tally.inDoubt += 1;
      // Whom the provider refuses was not lost, wherever that is written down.
      if (mails === 0 && !person.isBad && status !== "inDoubt") tally.losses += 1;
    }
  }
}

async function drain(world: DesignWorld): Promise<void> {
  const { scheduler } = world;
  world.begin();
  const healAt = scheduler.now + FAULT_SECONDS * 1000;
  while (await scheduler.step(healAt));
  scheduler.now = Math.max(scheduler.now, healAt);
  world.heal();
  const limit = scheduler.now + DRAIN_MILLISECONDS;
  while (await scheduler.step(limit));
}

/** @param tell is called after each seed with all tallies so far */
export async function figure(
  from: number,
  seeds: number,
  tell: (seed: number, tallies: ReadonlyMap<string, Tally>) => void,
): Promise<ReadonlyMap<string, Tally>> {
  const names = [...Object.keys(SENDERS), "Sendonce"];
  const tallies = new Map<string, Tally>(
    names.map((name) => [name, { recipients: 0, duplicates: 0, losses: 0, inDoubt: 0 }]),
  );
  const tallyOf = (name: string): Tally => tallies.get(name) as Tally;
  for (let seed = from; seed < from + seeds; seed += 1) {
    const plan = figurePlan(seed);
    for (const [name, sender] of Object.entries(SENDERS)) {
      const world = new DesignWorld(plan, sender);
      await drain(world);
      addTo(world, tallyOf(name));
    }
    const { world, violation } = await runPlan(plan);
    if (violation !== null)
      throw new Error(`seed ${seed}: ${violation.checker}: ${violation.detail}`);
    addTo(world, tallyOf("Sendonce"));
    tell(seed, tallies);
  }
  return tallies;
}

const perMillion = (events: number, recipients: number): string =>
  Math.round((events / recipients) * 1_000_000).toLocaleString("en");

/** The table as it stands in the README. */
export function figureTable(tallies: ReadonlyMap<string, Tally>): string {
  const rows = [...tallies].map(
    ([name, { recipients, duplicates, losses, inDoubt }]) =>
      `| ${name} | ${perMillion(duplicates, recipients)} | ${perMillion(losses, recipients)} | ${perMillion(inDoubt, recipients)} |`,
  );
  return [
    "| design | second mails | lost | in doubt, shown |",
    "| --- | ---: | ---: | ---: |",
    ...rows,
  ].join("\n");
}
