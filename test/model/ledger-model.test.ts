/**
 * The ledger against a reference of plain maps: drawn commands are given to both, and after each
 * the whole state of both is compared, rows and answers. One seed replays exactly.
 */
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { BATCH_STATES } from "../../src/domain/batch.ts";
import { RECIPIENT_STATUSES } from "../../src/domain/recipient.ts";
import { DEFAULT_SETTINGS } from "../../src/domain/settings.ts";
import { Ledger } from "../../src/ledger/ledger.ts";
import { checkLedger, DRAWN } from "../contract/checked-ledger.ts";
import { CAMPAIGN, draftOf, people, START } from "../contract/rig.ts";
import { NodeStorage } from "../support/node-storage.ts";
import { CANCELLING, COMMANDS, type Real } from "./commands.ts";
import { ReferenceLedger } from "./reference-ledger.ts";

const SEED = 20_261_129;
const RUNS = 250;
const LENGTH = { maxCommands: 80, size: "max" } as const;

const settings = fc.record({
  batchSize: fc.integer({ min: 1, max: 5 }),
  maxAttempts: fc.integer({ min: 1, max: 4 }),
  idempotencyWindowSeconds: fc.constantFrom(0, 300, 1000, 72_000),
  leaseSeconds: fc.constantFrom(5, 120),
  // The breaker has tests of its own; here it would end every run with failures.
  pauseAtFailureRate: fc.constant(1),
});

type Drawn = (typeof settings extends fc.Arbitrary<infer Value> ? Value : never) | null;

/** Both ledgers with the same campaign; begun, unless it is to stay a draft. */
function both(drawn: Partial<Drawn>, begun: boolean, seen: Map<string, number>) {
  const all = { ...DEFAULT_SETTINGS, ...drawn };
  const storage = new NodeStorage();
  const real: Real = { storage, ledger: new Ledger(storage), seen, unwritten: new Set() };
  const model = new ReferenceLedger(all, START);
  real.ledger.create(CAMPAIGN, draftOf("managed", all), START);
  if (!begun) return { model, real };
  const page = people(20);
  real.ledger.enrol(page, [], START);
  model.enrol(page.map(({ id }) => id));
  real.ledger.start(null, "https://x", DRAWN, START);
  model.start();
  real.ledger.tick(DRAWN, START);
  real.ledger.dispatchesSent(real.ledger.dueDispatches(START), START);
  model.tick();
  return { model, real };
}

const named = (kind: string, names: readonly string[]) => names.map((name) => `${kind}:${name}`);

it("G1, G2, G3, G5: whatever is commanded, the ledger is what the reference says", () => {
  const seen = new Map<string, number>();
  const begun = fc.integer({ min: 0, max: 9 }).map((drawn) => drawn > 0);
  const commands = fc.oneof(fc.commands(COMMANDS, LENGTH), fc.commands(CANCELLING, LENGTH));
  fc.assert(
    fc.property(settings, begun, commands, (drawn, isBegun, list) => {
      const pair = both(drawn, isBegun, seen);
      fc.modelRun(() => pair, list);
      checkLedger(pair.real.ledger, pair.real.storage, pair.model.now);
      pair.real.storage.database.close();
    }),
    { seed: SEED, numRuns: RUNS },
  );
  const expected = [
    ...named("recipient", RECIPIENT_STATUSES),
    ...named("batch", BATCH_STATES),
    ...named("campaign", ["draft", "sending", "paused", "finished", "cancelled"]),
    ...named("refused", ["notStarted", "paused", "finished", "cancelled"]),
    ...named("refused", ["inFlight", "settled", "nothingDue"]),
    ...named("reported", ["sent", "failed", "mixed", "part", "rejected", "deferred", "quota"]),
    ...named("reported", ["unknown", "drifted", "stale"]),
    // An unwritten batch is settled by one report, and written down by whatever else there is.
    ...named("unwritten:report", ["settled", "waiting", "dissolved", "inDoubt", "leased"]),
    ...named("unwritten", ["look:leased", "suppress:leased", "tick:waiting", "reserve:leased"]),
    "granted",
  ];
  // A test that never gets anywhere would pass as well.
  expect(expected.filter((what) => !seen.has(what))).toEqual([]);
});
