import { expect, it } from "vitest";
import { counted, isOrAre } from "../../../src/domain/counted.ts";

it.each([
  [1, "recipient", "1 recipient"],
  [0, "recipient", "0 recipients"],
  [2, "dead letter", "2 dead letters"],
  [1, "batch", "1 batch"],
  [3, "batch", "3 batches"],
  [3, "address", "3 addresses"],
  [4, "reply", "4 replies"],
  [5, "day", "5 days"],
])("%i %s is written %s", (number, noun, written) => {
  expect(counted(number, noun)).toBe(written);
});

it("takes the number as it is to be shown, and knows its verb", () => {
  expect(counted(12_480, "recipient", "12,480")).toBe("12,480 recipients");
  expect([0, 1, 2].map(isOrAre)).toEqual(["are", "is", "are"]);
});
