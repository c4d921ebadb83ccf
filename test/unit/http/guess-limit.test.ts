import { describe, expect, it } from "vitest";
import { MAX_SHUT_ADDRESSES, WRONG_TOKEN_SECONDS } from "../../../src/domain/limits.ts";
import { addressOf, GuessLimit, ShutAddresses } from "../../../src/http/guess-limit.ts";
import { api, NOW, OPERATOR, problemOf } from "./api.ts";

const from = (address: string | null) => (address === null ? {} : { "cf-connecting-ip": address });

/** An API whose limiter allows three wrong tokens of an address, ever. */
function limited(given: { limit?: (key: string) => Promise<{ success: boolean }> } = {}) {
  const counted: string[] = [];
  let now = NOW;
  const count = async (key: string) => {
    counted.push(key);
    return { success: counted.filter((each) => each === key).length <= 3 };
  };
  const logged: Record<string, unknown>[] = [];
  const guesses = new GuessLimit({
    limiter: { limit: ({ key }) => (given.limit ?? count)(key) },
    shut: new ShutAddresses(),
    now: () => now,
    log: (event, fields) => logged.push({ event, ...fields }),
  });
  const { ask } = api({ deps: { guesses } });
  return {
    counted,
    logged,
    pass: (seconds: number) => (now += seconds * 1000),
    bearer: (token: string | null, address: string | null) =>
      ask("GET", "/api/campaigns/spring", { token, headers: from(address) }),
    signIn: (token: string, address: string | null) =>
      ask("POST", "/session", { token: null, body: { token }, headers: from(address) }),
  };
}

describe("wrong tokens", () => {
  it.each(["bearer", "signIn"] as const)(
    "are answered 429 when there are too many: %s",
    async (way) => {
      const one = limited();
      for (let nth = 1; nth <= 3; nth += 1) {
        expect((await one[way](`wrong-${nth}`, "192.0.2.1")).status).toBe(401);
      }
      const response = await one[way]("wrong-4", "192.0.2.1");
      expect(response.status).toBe(429);
      expect(response.headers.get("retry-after")).toBe(String(WRONG_TOKEN_SECONDS));
      expect((await problemOf(response)).code).toBe("tooManyGuesses");
    },
  );

  it("by either way are counted together", async () => {
    const one = limited();
    await one.bearer("wrong", "192.0.2.1");
    await one.signIn("wrong", "192.0.2.1");
    await one.bearer("wrong", "192.0.2.1");
    expect((await one.signIn("wrong", "192.0.2.1")).status).toBe(429);
  });

  it("shut their address for right tokens too, which else would tell that they are right", async () => {
    const one = limited();
    for (let nth = 0; nth < 4; nth += 1) await one.bearer("wrong", "192.0.2.1");
    expect((await one.bearer(OPERATOR, "192.0.2.1")).status).toBe(429);
    expect((await one.signIn(OPERATOR, "192.0.2.1")).status).toBe(429);
    // What is refused unseen is not counted, or the address would never open again.
    expect(one.counted).toHaveLength(4);
    one.pass(WRONG_TOKEN_SECONDS - 0.5);
    expect((await one.bearer(OPERATOR, "192.0.2.1")).headers.get("retry-after")).toBe("1");
    one.pass(0.5);
    expect((await one.bearer(OPERATOR, "192.0.2.1")).status).toBe(200);
  });

  it("never shut anybody else's address", async () => {
    const one = limited();
    for (let nth = 0; nth < 9; nth += 1) await one.bearer("wrong", "192.0.2.1");
    expect((await one.bearer(OPERATOR, "192.0.2.2")).status).toBe(200);
    expect((await one.signIn(OPERATOR, "192.0.2.2")).status).toBe(200);
    expect((await one.bearer("wrong", "192.0.2.2")).status).toBe(401);
  });

  it("are all that is counted: neither right ones nor none at all", async () => {
    const one = limited();
    for (let nth = 0; nth < 9; nth += 1) {
      await one.bearer(OPERATOR, "192.0.2.1");
      await one.signIn(OPERATOR, "192.0.2.1");
      await one.bearer(null, "192.0.2.1");
    }
    expect(one.counted).toEqual([]);
  });

  it("from nowhere, by a service binding, are not counted", async () => {
    const one = limited();
    for (let nth = 0; nth < 9; nth += 1) {
      expect((await one.bearer("wrong", null)).status).toBe(401);
    }
    expect(one.counted).toEqual([]);
  });

  it("are still refused, and logged, while the limiter is down", async () => {
    const one = limited({
      limit: async () => {
        throw new Error("no limiter");
      },
    });
    expect((await one.bearer("wrong", "192.0.2.1")).status).toBe(401);
    expect(one.logged).toMatchObject([{ event: "guessLimitFailed", error: "Error: no limiter" }]);
    expect((await one.bearer(OPERATOR, "192.0.2.1")).status).toBe(200);
  });
});

describe("an address", () => {
  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:0DB8:0001:0002::9", "2001:db8:1:2::/64"],
    ["2001:db8::7", "2001:db8:0:0::/64"],
    ["2001:db8:0:0:1::", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
  ])("%s is counted as %s", (written, counted) => {
    const request = new Request("https://x.test", { headers: { "cf-connecting-ip": written } });
    expect(addressOf(request)).toBe(counted);
  });
});

describe("shut addresses", () => {
  it("are bounded: the first one in is the first one out", () => {
    const shut = new ShutAddresses();
    for (let nth = 0; nth <= MAX_SHUT_ADDRESSES; nth += 1) shut.shut(`a${nth}`, 10);
    expect(shut.end("a0", 0)).toBeNull();
    expect(shut.end("a1", 0)).toBe(10);
    expect(shut.end(`a${MAX_SHUT_ADDRESSES}`, 0)).toBe(10);
  });
});
