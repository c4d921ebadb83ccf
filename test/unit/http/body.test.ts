import { describe, expect, it } from "vitest";
import { MAX_JSON_BODY_BYTES, MAX_PASSED_OVER_BYTES } from "../../../src/domain/limits.ts";
import { jsonFault } from "../../../src/domain/json-fault.ts";
import { api, MANAGED, problemOf } from "./api.ts";

const JSON_TYPE = { "content-type": "application/json" };

function create(body: BodyInit | null, headers: Record<string, string> = JSON_TYPE) {
  const { ask } = api({ campaign: { describe: async () => null } });
  return ask("POST", "/api/campaigns", { body, headers });
}

describe("the content type", () => {
  it.each(["application/json", "Application/JSON", "application/json; charset=UTF-8"])(
    "%s is read",
    async (type) => {
      const response = await create(JSON.stringify(MANAGED), { "content-type": type });
      expect(response.status).toBe(201);
    },
  );

  it.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/jsonx",
    "application/json; charset=iso-8859-1",
  ])("%s is 415", async (type) => {
    const response = await create(JSON.stringify(MANAGED), { "content-type": type });
    expect(response.status).toBe(415);
    expect((await problemOf(response)).code).toBe("unsupportedMediaType");
    expect(response.headers.get("accept")).toBe("application/json");
  });

  it("none at all is 415, and so is a compressed body", async () => {
    const body = new TextEncoder().encode(JSON.stringify(MANAGED));
    expect((await create(body, {})).status).toBe(415);
    expect((await create(body, { ...JSON_TYPE, "content-encoding": "gzip" })).status).toBe(415);
  });
});

/** Blanks, which are no JSON yet. */
function blanks(mostBytes: number) {
  const seen = { bytes: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (seen.bytes >= mostBytes) return controller.close();
      const chunk = new Uint8Array(Math.min(65_536, mostBytes - seen.bytes)).fill(0x20);
      seen.bytes += chunk.length;
      controller.enqueue(chunk);
    },
    cancel() {
      seen.cancelled = true;
    },
  });
  return { body, seen };
}

describe("the size", () => {
  it("is counted while the body comes in, and the rest is dropped before the answer", async () => {
    const { body, seen } = blanks(MAX_JSON_BODY_BYTES * 3);
    const response = await create(body);
    expect(response.status).toBe(413);
    const { code, mostBytes } = await problemOf(response);
    expect([code, mostBytes]).toEqual(["tooLarge", MAX_JSON_BODY_BYTES]);
    // A connection that is closed on somebody who still writes takes the answer with it.
    expect(seen).toEqual({ bytes: MAX_JSON_BODY_BYTES * 3, cancelled: false });
  });

  it("of what is dropped has an end as well", async () => {
    const { body, seen } = blanks(Number.POSITIVE_INFINITY);
    expect((await create(body)).status).toBe(413);
    expect(seen.cancelled).toBe(true);
    expect(seen.bytes).toBeLessThan(MAX_PASSED_OVER_BYTES + MAX_JSON_BODY_BYTES + 300_000);
  });

  it("of an upload that can't be read further is dropped as well", async () => {
    const { body, seen } = blanks(MAX_JSON_BODY_BYTES * 2);
    const headers = { "content-type": "text/csv" };
    const ask = { body, headers };
    const response = await api().ask("POST", "/api/campaigns/spring/recipients", ask);
    expect((await problemOf(response)).reason).toBe("brokenHeader");
    expect(seen).toEqual({ bytes: MAX_JSON_BODY_BYTES * 2, cancelled: false });
  });

  it("a length that is declared too large is refused unread", async () => {
    const headers = { ...JSON_TYPE, "content-length": String(MAX_JSON_BODY_BYTES + 1) };
    expect((await create("{}", headers)).status).toBe(413);
  });
});

describe("the text", () => {
  it.each([
    ["an invalid byte", [0x22, 0xff, 0x22]],
    ["half a character at the end", [0x22, 0xe2, 0x82]],
    ["an overlong form", [0x22, 0xc0, 0xaf, 0x22]],
  ])("%s is 400", async (_, bytes) => {
    const response = await create(Uint8Array.from(bytes));
    expect(response.status).toBe(400);
    expect((await problemOf(response)).code).toBe("malformedText");
  });

  it("a character may be cut between two chunks, and a byte order mark may lead", async () => {
    const text = `\ufeff${JSON.stringify({ ...MANAGED, name: "Frühling €" })}`;
    const bytes = new TextEncoder().encode(text);
    const single = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    const response = await create(single);
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({ name: "Frühling €" });
  });

  it.each([
    ["", "empty"],
    ["  \n", "empty"],
    ['{"name":}', "line 1, column 9"],
    ['{\n  "name": "n",\n}', "line 3, column 1"],
    ['{"name": "n"', "ends too early at line 1, column 13"],
    ["nope", "line 1, column 1"],
  ])("%j is 400 and names the place", async (text, place) => {
    const response = await create(text);
    expect(response.status).toBe(400);
    const { code, detail } = await problemOf(response);
    expect(code).toBe("malformedJson");
    expect(detail).toContain(place);
  });
});

describe("jsonFault", () => {
  it.each([
    ["[1,]", 3],
    ["[,1]", 1],
    ['{"a" 1}', 5],
    ["{'a':1}", 1],
    ['{"a":1,}', 7],
    ["[1 2]", 3],
    ["[01]", 2],
    ["[1.]", 2],
    ["[+1]", 1],
    ["[nul]", 1],
    ["[true}", 5],
    ["{}{}", 2],
    ["[", 1],
    ['["a', 3],
    ['["a\nb"]', 3],
    ['["\\x"]', 2],
    ['["\\u12G4"]', 2],
    ["[NaN]", 1],
    ["]", 0],
    ["\u00a0[]", 0],
    ["/* */ 1", 0],
  ])("%j breaks at %i", (text, offset) => {
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
    expect(jsonFault(text).offset).toBe(offset);
  });

  it("is quick on a text that is made to hurt", () => {
    const text = `["${"a".repeat(1_000_000)}${"\\n".repeat(100_000)}${"\u0085".repeat(100_000)}`;
    expect(jsonFault(text).offset).toBe(text.length);
    expect(jsonFault("[".repeat(1_000_000)).offset).toBe(1_000_000);
  });
});
