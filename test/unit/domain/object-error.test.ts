/** What an exception of an object means, by its flags and, where they were lost, by its words. */
import { describe, expect, it } from "vitest";
import { mayAskAtOnce, objectTroubleOf } from "../../../src/domain/object-error.ts";

const flagged = (message: string, flags: object = {}) => Object.assign(new Error(message), flags);

describe("objectTroubleOf", () => {
  it.each([
    [flagged("busy", { overloaded: true }), "overloaded"],
    [flagged("busy", { overloaded: true, retryable: true }), "overloaded"],
    [flagged("gone", { retryable: true }), "interrupted"],
    [flagged("gone", { durableObjectReset: true }), "interrupted"],
    [flagged("a bug", { remote: true }), "fault"],
    // As they come from an object that asked another one.
    [flagged("Durable Object is overloaded. Too many requests queued."), "overloaded"],
    [flagged("Durable Object is overloaded. Too much data queued."), "overloaded"],
    [flagged("Durable Object is overloaded. Requests queued for too long."), "overloaded"],
    [flagged("Too many requests for the same object within a 10 second window."), "overloaded"],
    [flagged("Your account is generating too much load on Durable Objects."), "overloaded"],
    [flagged("database or disk is full: SQLITE_FULL"), "full"],
    [flagged("Exceeded allowed storage in Durable Objects free tier."), "full"],
    [flagged("Network connection lost."), "interrupted"],
    [flagged("Durable Object reset because its code was updated."), "interrupted"],
    [
      flagged("Durable Object storage operation exceeded timeout which caused object to be reset."),
      "interrupted",
    ],
    [
      flagged("Connection closed: this Durable Object instance is no longer active."),
      "interrupted",
    ],
    [flagged("No such Durable Object class."), "interrupted"],
    [flagged("out of memory: SQLITE_NOMEM"), "interrupted"],
    [flagged("cursor: not one of this list"), "fault"],
    [null, "fault"],
    ["Network connection lost.", "fault"],
  ])("%s is %s", (error, expected) => {
    expect(objectTroubleOf(error)).toBe(expected);
    expect(mayAskAtOnce(error)).toBe(expected === "interrupted" || expected === "fault");
  });
});
