/** No address gets into a reason, whatever stands around it. */
import { expect, it } from "vitest";
import { addressesIn, shownReason } from "../../../src/provider/reason.ts";

it.each([
  ["to a@b.test.", "to <address>"],
  ['"a@b.test"', '"<address>"'],
  ["A <a@b.test>, c+d@e.test;", "A <<address>>, <address>;"],
  ["ä@bücher.test", "<address>"],
  ["a@b", "<address>"],
  ["no address", "no address"],
  ["two\r\nlines\u2028three\u0000", "two lines three "],
])("%j is shown as %j", (message, shown) => {
  expect(shownReason(message)).toBe(shown);
});

it("finds the addresses of a sentence", () => {
  expect([...addressesIn("'A@b.test', <c@d.test>: e.f@g.test.")]).toEqual([
    "a@b.test",
    "c@d.test",
    "e.f@g.test",
  ]);
});

it("takes time in proportion to a message without an address", () => {
  // Squared, this would take minutes; the test's own time limit is the assertion.
  expect(shownReason("a".repeat(10_000_000))).toHaveLength(500);
  expect(shownReason(`${"a".repeat(400)}@${"b".repeat(400)}`)).not.toContain("@");
});
