/** The name of an address is a keyed hash of its normal form, by the formula that is documented. */
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { addressNames } from "../../../src/operations/address-name.ts";

const KEY = "signing-secret";
const nameOf = addressNames(KEY);

describe("R-no-address: the name of an address", () => {
  it("R-no-address: is 16 hex digits of an HMAC under a derived key", () => {
    const derived = createHmac("sha256", KEY).update("sendonce address name v1").digest();
    const hash = createHmac("sha256", derived).update("ada@mail.example").digest("hex");
    expect(nameOf("ada@mail.example")).toBe(`address:${hash.slice(0, 16)}`);
  });

  it("R-no-address: is what the commands of ARCHITECTURE.md give", () => {
    const page = readFileSync(new URL("../../../src/ARCHITECTURE.md", import.meta.url), "utf8");
    const commands = /```sh\n(node -e .*?)```/s.exec(page)?.[1] ?? "";
    const env = { ...process.env, SIGNING_KEY: KEY };
    const { stdout, error } = spawnSync("sh", ["-c", commands], { env, encoding: "utf8" });
    expect(error).toBeUndefined();
    expect(`address:${stdout.trim()}`).toBe(nameOf("ada@mail.example"));
  });

  it("R-no-address: is one for all ways to write it, and another for another", () => {
    for (const written of [
      "Ada@Mail.example",
      "ada%40mail.example",
      "ada%2540mail.example",
      "ada@MAIL.EXAMPLE",
    ]) {
      expect(nameOf(written)).toBe(nameOf("ada@mail.example"));
    }
    expect(nameOf("a%2Bb%40mail.example")).toBe(nameOf("a+b@mail.example"));
    expect(nameOf("a%2525%40mail.example")).toBe(nameOf("a%25@mail.example"));
    expect(nameOf("a%40b@mail.example")).not.toBe(nameOf("a@b@mail.example"));
    expect(nameOf("a%%40mail.example")).toMatch(/^address:[0-9a-f]{16}$/);
    expect(nameOf("bob@mail.example")).not.toBe(nameOf("ada@mail.example"));
    expect(addressNames("another key")("ada@mail.example")).not.toBe(nameOf("ada@mail.example"));
  });

  it("R-no-address: is given to what is no address as well", () => {
    expect(nameOf("a/b@c")).toMatch(/^address:[0-9a-f]{16}$/);
  });

  it.each([undefined, ""])("R-no-address: without a key is one word (%s)", (key) => {
    expect(addressNames(key)("ada@mail.example")).toBe("<address>");
  });
});
