/** Tags of campaigns, and changes that name what they are a change of. */
import { describe, expect, it } from "vitest";
import { entityTag, isMatch } from "../../../src/http/entity-tag.ts";
import { NodeStack } from "../../support/node-stack.ts";
import { problemOf } from "./api.ts";

const SPRING = "/api/campaigns/spring";
const CONTENT = { from: "Shop <news@shop.test>", subject: "Hello", text: "Hello" };

async function stackWith(): Promise<NodeStack> {
  const stack = new NodeStack();
  await stack.json("POST", "/api/campaigns", { id: "spring", name: "Spring", ...CONTENT });
  return stack;
}

const read = async (stack: NodeStack): Promise<string> =>
  (await stack.ask("GET", SPRING)).headers.get("etag") ?? "none";

const change = (stack: NodeStack, body: object, ifMatch?: string): Promise<Response> =>
  stack.ask("PATCH", SPRING, body, undefined, ifMatch === undefined ? {} : { "if-match": ifMatch });

/** Nobody goes on before so many have read the campaign. */
function allRead(stack: NodeStack, readers: number): void {
  const campaign = stack.campaign("spring");
  const look = campaign.describe.bind(campaign);
  const { promise, resolve } = Promise.withResolvers<void>();
  let waiting = 0;
  campaign.describe = async () => {
    const view = await look();
    waiting += 1;
    if (waiting === readers) resolve();
    await promise;
    return view;
  };
}

const byNumber = (left: number, right: number): number => left - right;

describe("a tag", () => {
  it("is strong, of the bytes, and the same for the same", async () => {
    const tag = await entityTag("Spring");
    expect(tag).toMatch(/^"[\w-]{22}"$/);
    expect(await entityTag("Spring")).toBe(tag);
    expect(await entityTag("spring")).not.toBe(tag);
  });

  it.each([
    ['"a"', true],
    ['"b", "a"', true],
    ['"b","a" ', true],
    ["*", true],
    [" * ", true],
    ['W/"a"', false],
    ['W/"a", "b"', false],
    ['"A"', false],
    ['"b"', false],
    ["a", false],
    ['"', false],
    ["", false],
    ['"*"', false],
  ])("RFC 9110 §13.1.1: If-Match: %s", (header, matches) => {
    expect(isMatch(header, '"a"')).toBe(matches);
  });
});

describe("changes of a draft", () => {
  it("name what they are a change of, and are refused for anything else", async () => {
    const stack = await stackWith();
    const tag = await read(stack);
    expect(await read(stack)).toBe(tag);
    const first = await change(stack, { subject: "One" }, tag);
    expect(first.status).toBe(200);
    const next = first.headers.get("etag");
    expect([next === tag, next]).toEqual([false, await read(stack)]);
    const late = await change(stack, { name: "Late" }, tag);
    expect([late.status, late.headers.get("etag")]).toEqual([412, next]);
    expect(await problemOf(late)).toMatchObject({ code: "changedMeanwhile" });
    expect(await stack.json("GET", SPRING)).toMatchObject({ name: "Spring", subject: "One" });
    expect((await change(stack, { name: "Later" }, `"other", ${next}`)).status).toBe(200);
    expect((await change(stack, { name: "Any" }, "*")).status).toBe(200);
  });

  it("are refused for what they would be refused for without it", async () => {
    const stack = await stackWith();
    expect((await change(stack, { colour: "red" }, '"other"')).status).toBe(400);
    await stack.json("POST", `${SPRING}/recipients`, { recipients: [{ email: "a@b.example" }] });
    await stack.json("POST", `${SPRING}/start`);
    expect((await change(stack, { name: "Late" }, '"other"')).status).toBe(409);
  });

  it("are all carried out where they are made at once", async () => {
    const stack = await stackWith();
    allRead(stack, 4);
    const parts = [
      { name: "Summer" },
      { subject: "Hot" },
      { text: "Sun" },
      { replyTo: "a@b.test" },
    ];
    const answers = await Promise.all(parts.map((part) => change(stack, part)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await stack.json("GET", SPRING)).toMatchObject(Object.assign({}, ...parts) as object);
  });

  it("of one reading are carried out once, where several are made at once", async () => {
    const stack = await stackWith();
    const tag = await read(stack);
    const names = ["A", "B", "C"];
    const answers = await Promise.all(names.map((name) => change(stack, { name }, tag)));
    expect(answers.map(({ status }) => status).toSorted(byNumber)).toEqual([200, 412, 412]);
  });
});
