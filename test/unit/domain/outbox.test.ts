import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  BACKOFF_MOST_SECONDS,
  DISPATCH_QUIET_AFTER_OPENING_SECONDS,
  DISPATCH_QUIET_SECONDS,
  DISPATCH_REFILL,
  DISPATCH_WINDOW,
  UNKNOWN_BATCHES_AT_MOST,
} from "../../../src/domain/limits.ts";
import {
  freshDispatchesWanted,
  quietAt,
  type OutboxFacts,
  type SilenceFacts,
} from "../../../src/domain/outbox.ts";

const facts = (some: Partial<OutboxFacts>): OutboxFacts => ({
  pending: 100_000,
  batchSize: 100,
  fresh: 0,
  openBatches: 0,
  troubled: 0,
  ...some,
});

const number = (max: number) => fc.integer({ min: 0, max });

describe("dispatches wanted", () => {
  it.each<[string, Partial<OutboxFacts>, number]>([
    ["nobody is pending", { pending: 0 }, 0],
    ["one recipient", { pending: 1 }, 1],
    ["a batch and one more", { pending: 101 }, 2],
    ["a whole window", {}, DISPATCH_WINDOW],
    ["all that is needed is out", { pending: 250, fresh: 3 }, 0],
    ["the last one is wanted at once", { pending: 250, fresh: 2, openBatches: 30 }, 1],
    ["less is free than a refill", { fresh: 10, openBatches: 11 }, 0],
    ["a refill is free", { fresh: 10, openBatches: 10 }, DISPATCH_REFILL],
    ["the window is full", { fresh: 20, openBatches: 20 }, 0],
    ["more is open than the window", { openBatches: DISPATCH_WINDOW + 5 }, 0],
    ["trouble, just bearable", { troubled: UNKNOWN_BATCHES_AT_MOST - 1 }, DISPATCH_WINDOW],
    ["too much trouble", { troubled: UNKNOWN_BATCHES_AT_MOST }, 0],
  ])("%s", (_, some, wanted) => {
    expect(freshDispatchesWanted(facts(some))).toBe(wanted);
  });

  it("never more than the window holds, nor than there are batches", () => {
    fc.assert(
      fc.property(
        fc.record({
          pending: number(1_000_000),
          batchSize: fc.integer({ min: 1, max: 100 }),
          fresh: number(60),
          openBatches: number(60),
          troubled: number(20),
        }),
        (drawn) => {
          const wanted = freshDispatchesWanted(drawn);
          expect(wanted).toBeGreaterThanOrEqual(0);
          if (wanted === 0) return;
          expect(wanted + drawn.fresh + drawn.openBatches).toBeLessThanOrEqual(DISPATCH_WINDOW);
          const batches = Math.ceil(drawn.pending / drawn.batchSize);
          expect(wanted + drawn.fresh).toBeLessThanOrEqual(batches);
        },
      ),
      { seed: 20_261_129 },
    );
  });

  it("G2: with people pending and nothing out or open, something is wanted", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.integer({ min: 1, max: 100 }),
        (pending, batchSize) => {
          expect(freshDispatchesWanted(facts({ pending, batchSize }))).toBeGreaterThan(0);
        },
      ),
      { seed: 20_261_129 },
    );
  });
});

const at = (some: Partial<SilenceFacts>): number =>
  quietAt({ heardAt: 0, sentAt: 0, sends: 1, openedAt: 0, ...some });

describe("when unanswered dispatches are taken for lost", () => {
  const quiet = DISPATCH_QUIET_SECONDS * 1000;
  const afresh = DISPATCH_QUIET_AFTER_OPENING_SECONDS * 1000;

  it("a while after they were sent, and after anybody asked", () => {
    expect(at({ sentAt: 1000 })).toBe(1000 + quiet);
    expect(at({ heardAt: 5000, sentAt: 1000 })).toBe(5000 + quiet);
  });

  it("each round waits twice as long, up to ten minutes", () => {
    const rounds = [1, 2, 3, 4].map((sends) => at({ sends }));
    expect(rounds).toEqual([quiet, 2 * quiet, 4 * quiet, 8 * quiet]);
    expect(at({ sends: 1000 })).toBe(BACKOFF_MOST_SECONDS * 1000);
    expect(at({ sends: 0 })).toBe(quiet);
  });

  it("C26: what an earlier life sent, however often, after a little silence", () => {
    expect(at({ sentAt: 1000, sends: 9, openedAt: 2000 })).toBe(2000 + afresh);
    expect(at({ sentAt: 1000, sends: 9, openedAt: 2000, heardAt: 4000 })).toBe(4000 + afresh);
  });

  it("an opening puts nothing off that would have been due without it", () => {
    expect(at({ sentAt: 1000, openedAt: quiet })).toBe(1000 + quiet);
  });
});
