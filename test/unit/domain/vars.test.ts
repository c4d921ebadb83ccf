import { describe, expect, it } from "vitest";
import { positiveNumber } from "../../../src/domain/vars.ts";

describe("vars", () => {
  it("takes a number above 0", () => {
    expect(positiveNumber("LIMIT", "10")).toBe(10);
    expect(positiveNumber("LIMIT", "0.5")).toBe(0.5);
  });

  it.each(["", "ten", "0", "-1", "Infinity", "1,000"])("stops at %j and names the var", (text) => {
    expect(() => positiveNumber("LIMIT", text)).toThrow(/LIMIT .* above 0/);
  });
});
