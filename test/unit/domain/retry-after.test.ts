/** `Retry-After` in each form of RFC 9110, and what is none of them. */
import { expect, it } from "vitest";
import { rateResetSeconds, retryAfterSeconds } from "../../../src/domain/retry-after.ts";

const NOW = Date.UTC(1994, 10, 6, 8, 49, 0);

it.each([
  ["0", 0],
  ["7", 7],
  [" 120 ", 120],
  ["99999999", 86_400],
  ["Sun, 06 Nov 1994 08:49:37 GMT", 37],
  ["Sunday, 06-Nov-94 08:49:37 GMT", 37],
  ["Sun Nov  6 08:49:37 1994", 37],
  ["Sun, 06 Nov 1994 08:48:00 GMT", 0],
  ["Sun, 06 Nov 2044 08:48:00 GMT", 86_400],
  ["", null],
  ["-1", null],
  ["1.5", null],
  ["soon", null],
  ["1e3", null],
  ["1994-11-06T08:49:37Z", null],
  ["Sun, 06 Xyz 1994 08:49:37 GMT", null],
])("Retry-After %j is %j seconds", (value, seconds) => {
  expect(retryAfterSeconds({ "retry-after": value }, NOW)).toBe(seconds);
});

it("a date is by the clock of the server, where the answer says what that is", () => {
  const headers = { "retry-after": "Sun, 06 Nov 1994 08:49:37 GMT" };
  const date = "Sun, 06 Nov 1994 08:49:30 GMT";
  expect(retryAfterSeconds({ ...headers, date }, NOW)).toBe(7);
  expect(retryAfterSeconds({ ...headers, date: "today" }, NOW)).toBe(37);
});

it("is null without the header", () => {
  expect(retryAfterSeconds({}, NOW)).toBeNull();
  expect(rateResetSeconds({})).toBeNull();
});

it.each([
  ["1", 1],
  ["100000", 86_400],
  ["Sun, 06 Nov 1994 08:49:37 GMT", null],
  ["-2", null],
])("RateLimit-Reset %j is %j seconds", (value, seconds) => {
  expect(rateResetSeconds({ "ratelimit-reset": value })).toBe(seconds);
});
