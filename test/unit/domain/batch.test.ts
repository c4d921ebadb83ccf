/** Every state × every command of a batch, spelled out: a change of the machine shows here. */
import { describe, expect, it } from "vitest";
import {
  BATCH_COMMANDS,
  BATCH_STATES,
  batchAfter,
  batchMoves,
  type BatchCommand,
  type BatchState,
} from "../../../src/domain/batch.ts";

const NO = null;

/** A row for each state; a column for each command, in the order of BATCH_COMMANDS. */
const MATRIX: Record<BatchState, readonly (BatchState | null)[]> = {
  //       lease     wait       settle     dissolve     doubt      reopen
  leased: [NO, "waiting", "settled", "dissolved", "inDoubt", NO],
  waiting: ["leased", "waiting", "settled", "dissolved", "inDoubt", NO],
  settled: [NO, NO, "settled", NO, NO, NO],
  dissolved: [NO, NO, "settled", NO, NO, NO],
  inDoubt: [NO, NO, "settled", NO, NO, "waiting"],
};

describe("batch", () => {
  it("has these commands, in this order", () => {
    expect(BATCH_COMMANDS).toEqual(["lease", "wait", "settle", "dissolve", "doubt", "reopen"]);
    expect(Object.keys(MATRIX)).toEqual([...BATCH_STATES]);
  });

  const cases = BATCH_STATES.flatMap((state) =>
    BATCH_COMMANDS.map((command, column): [BatchState, BatchCommand, BatchState | null] => [
      state,
      command,
      MATRIX[state][column] ?? null,
    ]),
  );

  it.each(cases)("%s, %s: %s", (state, command, next) => {
    expect(batchAfter(state, command)).toEqual(
      next === null
        ? { ok: false, refusal: { code: "notFromHere", state, command } }
        : { ok: true, value: next },
    );
  });

  it("G3: from doubt a batch goes on under its own key, or is settled; never dissolved", () => {
    expect(batchMoves().filter(([from]) => from === "inDoubt")).toEqual([
      ["inDoubt", "settled"],
      ["inDoubt", "waiting"],
    ]);
  });
});
