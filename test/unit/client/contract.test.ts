/**
 * What the client promises against what the server has: every route a call and a method, and every
 * type of an answer the server's own.
 */
import { readFileSync } from "node:fs";
import { describe, expect, expectTypeOf, it } from "vitest";
import { CALLS } from "../../../src/client/calls.ts";
import { SendonceClient, type SendonceProblem } from "../../../src/client/client.ts";
import type * as Api from "../../../src/client/types.ts";
import type { Health } from "../../../src/domain/health.ts";
import type { LiveMessage } from "../../../src/domain/shown.ts";
import { PROBLEMS } from "../../../src/http/problem.ts";
import { ROUTES } from "../../../src/http/router.ts";
import type * as wire from "../../../src/http/wire.ts";

/** Routes that no program calls, each with its reason. */
const NOT_FOR_PROGRAMS: Readonly<Record<string, string>> = {
  "POST /webhooks/resend": "the provider calls it",
  "GET /unsubscribe/:token": "a recipient opens it",
  "POST /unsubscribe/:token": "a recipient's mail program calls it",
  "GET /openapi.json": "generators of clients read it",
  "GET /docs": "a person reads it",
  "POST /session": "the dashboard signs in",
  "GET /session": "the dashboard asks who is signed in",
  "DELETE /session": "the dashboard signs out",
  "POST /preview-frame": "a frame of the dashboard is filled by it",
};

describe("the table of calls", () => {
  it("has every route that a program may call, and no other", () => {
    const routes = ROUTES.map(({ method, path }) => `${method} ${path}`);
    const calls = Object.values(CALLS).map(({ method, path }) => `${method} ${path}`);
    const exceptions = Object.keys(NOT_FOR_PROGRAMS);
    expect([...calls, ...exceptions].toSorted()).toEqual(routes.toSorted());
  });

  it("is what the client has, one method for each", () => {
    const methods = Object.getOwnPropertyNames(SendonceClient.prototype);
    // One call has two: what it answers, and that with its tag.
    const others = new Set(["constructor", "taggedCampaign"]);
    const names = methods.filter((name) => !others.has(name));
    expect(names.toSorted()).toEqual(Object.keys(CALLS).toSorted());
  });

  it("never repeats what mails, what starts, or what would undo somebody else's work", () => {
    const never = Object.entries(CALLS).filter(([, { repeat }]) => repeat === "never");
    const names = never.map(([name]) => name);
    expect(names).toEqual(
      expect.arrayContaining(["sendTest", "start", "replay", "resolve", "erase", "allow"]),
    );
  });

  it("the client's comments name no code that the server doesn't have", () => {
    const source = readFileSync(new URL("../../../src/client/client.ts", import.meta.url), "utf8");
    const named = [...source.matchAll(/Refuses ([^.]*?)\./g)].flatMap(([, text = ""]) =>
      [...text.matchAll(/`(\w+)`/g)].map(([, code]) => code),
    );
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((code) => !Object.hasOwn(PROBLEMS, code ?? ""))).toEqual([]);
  });
});

/** A type without the brands of ids: JSON has none. A literal is a key that has to be there. */
type Plain<T> = unknown extends T
  ? T
  : T extends string
    ? { readonly nothing?: never } extends Record<T, 1>
      ? string
      : T
    : T extends number
      ? number
      : T extends boolean | null | undefined
        ? T
        : T extends readonly (infer Item)[]
          ? readonly Plain<Item>[]
          : { readonly [Name in keyof T]: Plain<T[Name]> };

/** Each is assignable to the other, however they are written. */
type Same<Left, Right> = [Left] extends [Right] ? ([Right] extends [Left] ? true : false) : false;

describe("the client's types", () => {
  it("are those of the server's code, in both directions", () => {
    expectTypeOf<
      Same<Plain<ReturnType<typeof wire.deliveryStatus>>, Api.DeliveryStatus>
    >().toEqualTypeOf<true>();
    expectTypeOf<
      Same<Plain<ReturnType<typeof wire.event>>, Api.CampaignEvent>
    >().toEqualTypeOf<true>();
    expectTypeOf<
      Same<Plain<ReturnType<typeof wire.recipient>>, Api.Recipient>
    >().toEqualTypeOf<true>();
    expectTypeOf<
      Same<Plain<ReturnType<typeof wire.recipientStory>>, Api.RecipientStory>
    >().toEqualTypeOf<true>();
    expectTypeOf<
      Same<Plain<ReturnType<typeof wire.deadLetter>>, Api.DeadLetter>
    >().toEqualTypeOf<true>();
    expectTypeOf<
      Same<Plain<ReturnType<typeof wire.replayReport>>, Api.ReplayReport>
    >().toEqualTypeOf<true>();
    expectTypeOf<
      Same<Plain<ReturnType<typeof wire.suppression>>, Api.Suppression>
    >().toEqualTypeOf<true>();
    expectTypeOf<Same<Plain<ReturnType<typeof wire.person>>, Api.Person>>().toEqualTypeOf<true>();
    expectTypeOf<Same<Plain<ReturnType<typeof wire.erasure>>, Api.Erasure>>().toEqualTypeOf<true>();
    expectTypeOf<Same<Plain<Health>, Api.Health>>().toEqualTypeOf<true>();
    expectTypeOf<Same<Plain<LiveMessage>, Api.LiveMessage>>().toEqualTypeOf<true>();
    expectTypeOf<Plain<ReturnType<typeof wire.campaign>>>().toExtend<Api.Campaign>();
    // Every code of the server's is one of the client's, and the other way around.
    expectTypeOf<SendonceProblem["code"]>().toEqualTypeOf<keyof typeof PROBLEMS | "unknown">();
  });
});
