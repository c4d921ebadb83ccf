import { expect, it } from "vitest";
import { accept, assert, refuse, unreachable } from "../../../src/domain/result.ts";

it("a yes carries a value, a no its evidence", () => {
  expect(accept(1)).toEqual({ ok: true, value: 1 });
  expect(refuse({ code: "x" })).toEqual({ ok: false, refusal: { code: "x" } });
});

it("an assertion says what is broken, and an impossible case what it is", () => {
  expect(() => assert(true, "x")).not.toThrow();
  expect(() => assert(false, "the sum adds up")).toThrow("invariant broken: the sum adds up");
  expect(() => unreachable("odd" as never)).toThrow('unreachable: "odd"');
});
