import { describe, expect, it } from "vitest";
import {
  assertSettings,
  DEFAULT_SETTINGS,
  SETTING_RANGES,
  type Settings,
} from "../../../src/domain/settings.ts";

const names = Object.keys(SETTING_RANGES) as (keyof Settings)[];
const withSetting = (name: keyof Settings, value: unknown) =>
  ({ ...DEFAULT_SETTINGS, [name]: value }) as Settings;

describe("settings", () => {
  it("the defaults and the ranges are those of the contract", () => {
    expect(DEFAULT_SETTINGS).toEqual({
      batchSize: 100,
      leaseSeconds: 120,
      maxAttempts: 10,
      idempotencyWindowSeconds: 72_000,
      requestsPerSecond: null,
      pauseAtFailureRate: 0.05,
      pauseAtDeadLetters: 100,
    });
    expect(SETTING_RANGES).toMatchObject({
      batchSize: { least: 1, most: 100 },
      leaseSeconds: { least: 5, most: 900 },
      idempotencyWindowSeconds: { least: 0, most: 86_400 },
    });
    expect(() => assertSettings(DEFAULT_SETTINGS)).not.toThrow();
  });

  it.each(names)("%s: both ends are inside, what lies beyond is named", (name) => {
    const { least, most, whole } = SETTING_RANGES[name];
    for (const value of [least, most]) {
      expect(() => assertSettings(withSetting(name, value))).not.toThrow();
    }
    const outside = [least - 0.001, most + 0.001, Number.NaN, Infinity, undefined];
    for (const value of whole ? [...outside, least + 0.5] : outside) {
      expect(() => assertSettings(withSetting(name, value)), String(value)).toThrow(
        `settings.${name}`,
      );
    }
  });

  it("only the campaign's own rate may be absent", () => {
    for (const name of names) {
      const check = () => assertSettings(withSetting(name, null));
      if (name === "requestsPerSecond") expect(check).not.toThrow();
      else expect(check).toThrow(`settings.${name}`);
    }
  });
});
