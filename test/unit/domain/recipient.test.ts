/** Every status × every command, spelled out: a change of the machine has to show here. */
import { describe, expect, it } from "vitest";
import {
  RECIPIENT_COMMANDS,
  RECIPIENT_STATUSES,
  recipientAfter,
  recipientMoves,
  type RecipientCommand,
  type RecipientStatus,
} from "../../../src/domain/recipient.ts";

const NO = null;

/** A row for each status; a column for each command, in the order of RECIPIENT_COMMANDS. */
const MATRIX: Record<RecipientStatus, readonly (RecipientStatus | null)[]> = {
  // reserve, accept, fail, release, doubt, suppress, withhold, cancel, replay
  pending: ["reserved", "sent", NO, NO, NO, "suppressed", NO, "cancelled", NO],
  reserved: [NO, "sent", "failed", "pending", "inDoubt", NO, "suppressed", "cancelled", NO],
  sent: [NO, "sent", NO, NO, NO, NO, NO, NO, NO],
  failed: [NO, "sent", "failed", NO, NO, NO, "suppressed", NO, "pending"],
  suppressed: [NO, "sent", NO, NO, NO, "suppressed", NO, NO, NO],
  inDoubt: ["reserved", "sent", "failed", NO, NO, NO, "suppressed", NO, "pending"],
  cancelled: [NO, "sent", NO, NO, NO, NO, NO, "cancelled", NO],
};

describe("recipient", () => {
  it("has these commands, in this order", () => {
    expect(RECIPIENT_COMMANDS).toEqual([
      "reserve",
      "accept",
      "fail",
      "release",
      "doubt",
      "suppress",
      "withhold",
      "cancel",
      "replay",
    ]);
    expect(Object.keys(MATRIX)).toEqual([...RECIPIENT_STATUSES]);
  });

  const cases = RECIPIENT_STATUSES.flatMap((status) =>
    RECIPIENT_COMMANDS.map(
      (command, column): [RecipientStatus, RecipientCommand, RecipientStatus | null] => [
        status,
        command,
        MATRIX[status][column] ?? null,
      ],
    ),
  );

  it.each(cases)("%s, %s: %s", (status, command, next) => {
    expect(recipientAfter(status, command)).toEqual(
      next === null
        ? { ok: false, refusal: { code: "notFromHere", status, command } }
        : { ok: true, value: next },
    );
  });

  it("G1: nothing leads away from sent", () => {
    expect(recipientMoves().filter(([from]) => from === "sent")).toEqual([]);
  });

  it("G1: an acceptance is taken from every status", () => {
    const statuses = RECIPIENT_STATUSES.filter((status) => recipientAfter(status, "accept").ok);
    expect(statuses).toEqual([...RECIPIENT_STATUSES]);
  });

  it("G6: a suppressed recipient only ever becomes sent, by a fact", () => {
    expect(recipientMoves().filter(([from]) => from === "suppressed")).toEqual([
      ["suppressed", "sent"],
    ]);
  });
});
