/** What is said of faults says nothing of people, whatever a message quotes. */
import { describe, expect, it } from "vitest";
import {
  discreet,
  faultOf,
  framesOf,
  loggedReason,
  withoutAddresses,
  withoutAddressesIn,
  withoutQuoted,
} from "../../../src/domain/fault-text.ts";

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

describe("R-no-address: addresses in a text", () => {
  it.each([
    ["Invalid `to` field: ada@mail.example.", "Invalid `to` field: [ada@mail.example]"],
    [
      "GET /suppressions/ada%40mail.example failed",
      "GET [/suppressions/ada%40mail.example] failed",
    ],
    ["<Ada@Mail.example>,b+c@d.example", "<[ada@mail.example]>,[b+c@d.example]"],
    ["mailto:ada@mail.example", "mailto:[ada@mail.example]"],
    ["at file:///a/node_modules/@scope/b.js:1:2", "at file:[///a/node_modules/@scope]/b.js:1:2"],
    ["Campaign &lt;ada@mail.example&gt; paused", "Campaign &lt;[ada@mail.example]&gt; paused"],
    ['{\\"to\\":\\"ada@mail.example\\"}', '{\\"to\\":\\"[ada@mail.example]\\"}'],
    ["to *ada@mail.example*, 'bob@d.example'.", "to [*ada@mail.example]*, [bob@d.example]"],
    ["ada&#64;mail.example and ada&#x40;mail.example", "[ada@mail.example] and [ada@mail.example]"],
    ["ada\\u0040mail.example or ada\uff20mail.example", "[ada@mail.example] or [ada@mail.example]"],
    ["moved to /x%2Fada%2540mail.example", "moved to [/x%2fada%2540mail.example]"],
    ['"ada lovelace" <"ada"@mail.example>', '"ada lovelace" <["ada"@mail.example]>'],
    ["no address at all", "no address at all"],
  ])("R-no-address: %s", (text, expected) => {
    expect(withoutAddresses(text, (address) => `[${address}]`)).toBe(expected);
  });

  it("R-no-address: is the same in every text of a value, and leaves the rest", () => {
    const value = { a: ["x@y.example"], b: { c: "to x@y.example" }, d: 3, e: null };
    expect(withoutAddressesIn(value)).toEqual({
      a: ["<address>"],
      b: { c: "to <address>" },
      d: 3,
      e: null,
    });
  });
});

describe("R-no-address: what a message quotes", () => {
  it.each([
    [
      'Unexpected token \'A\', "Ada "the" Lovelace" is not valid',
      "Unexpected token 'A', \"…\" is not valid",
    ],
    [
      "Cannot read properties of undefined (reading 'firstName')",
      "Cannot read properties of undefined (reading 'firstName')",
    ],
    ["The subject 'Dear Ada O'Brien' is too long", "The subject '…' is too long"],
    ["Invalid `to` field", "Invalid `to` field"],
    ["Invalid `Dear Ada`", "Invalid `…`"],
    ["it can't be filled in and isn't sent", "it can't be filled in and isn't sent"],
  ])("R-no-address: %s", (text, expected) => {
    expect(withoutQuoted(text)).toBe(expected);
  });

  it("R-no-address: holds for what the runtime itself throws about somebody's data", () => {
    for (const text of ['{"name": Ada Lovelace}', "Ada", '{"name":"Ada "Lovelace""}']) {
      const { error, stack } = faultOf(thrownBy(() => JSON.parse(text)));
      expect(error).toMatch(/^SyntaxError: /);
      expect(`${error} ${stack}`).not.toMatch(/Ada|Lovelace/);
      expect(stack).toMatch(/^\s+at /);
    }
  });

  it("both at once, for texts on their way to others", () => {
    expect(discreet('refused "Dear Ada" for ada@mail.example')).toBe('refused "…" for <address>');
  });
});

describe("a fault", () => {
  it("is its name, its message and its frames, without the head that repeats the message", () => {
    const error = new TypeError("a plain message");
    const fault = faultOf(error);
    expect(fault.error).toBe("TypeError: a plain message");
    expect(fault.stack).toContain("fault-text.test.ts");
    expect(fault.stack).not.toContain("a plain message");
    const lines = "Error: bad row\n  at Ada Lovelace\n    at send (worker.js:3:14)";
    expect(framesOf(lines)).toBe("    at send (worker.js:3:14)");
    expect(framesOf("Error: bad row\n  at Ada")).toBeNull();
  });

  it.each([{ name: "Ada" }, null, undefined, 7])(
    "of what is no Error says nothing: %j",
    (thrown) => {
      expect(faultOf(thrown)).toEqual({ error: "something that is no Error", stack: null });
    },
  );

  it("is bounded", () => {
    const error = new Error("x".repeat(1_000_000));
    error.stack = `Error\n${"    at y (z.js:1:1)\n".repeat(100_000)}`;
    const fault = faultOf(error);
    expect(fault.error.length).toBeLessThan(1_100);
    expect(fault.stack?.length).toBeLessThanOrEqual(4_000);
  });
});

describe("a reason in the log", () => {
  it.each([
    ["422 validation_error: Dear Ada is no subject", "422 validation_error"],
    ["429 rate_limit_exceeded: Too many requests.", "429 rate_limit_exceeded"],
    [
      "no readable answer: fetch failed (ECONNREFUSED)",
      "no readable answer: fetch failed (ECONNREFUSED)",
    ],
    ["the lease is too short", "the lease is too short"],
  ])("of %s is %s", (reason, logged) => {
    expect(loggedReason(reason)).toBe(logged);
  });
});
