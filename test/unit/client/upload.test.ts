import { describe, expect, it } from "vitest";
import { CLIENT_UPLOAD_SLICE_CHARACTERS } from "../../../src/domain/limits.ts";
import type { RecipientInput, Upload } from "../../../src/client/client.ts";
import { jsonResponse, noNetwork, rig } from "./rig.ts";

const report = () =>
  jsonResponse({ added: 1, duplicates: 0, suppressed: 0, invalid: 0, total: 1, problems: [] });
const person = (number: number): RecipientInput => ({
  id: `u_${number}`,
  email: `u${number}@example.org`,
  data: { firstName: "Zoë" },
});

/** Endless; counts what was taken of it, and whether it was closed. */
function endless() {
  const state = { taken: 0, isClosed: false };
  async function* people(): AsyncGenerator<RecipientInput> {
    try {
      for (;;) {
        state.taken += 1;
        yield person(state.taken);
      }
    } finally {
      state.isClosed = true;
    }
  }
  return { state, people: people() };
}

async function sent(upload: Upload, canStreamRequests = true) {
  const { client, made } = rig([report], { surroundings: { canStreamRequests } });
  await client.upload("c", upload);
  const { init, url } = made[0] ?? { init: {}, url: "" };
  const { body = null, headers } = init;
  const text = body === null ? "" : await new Response(body).text();
  return { text, body, url, type: (headers as Record<string, string>)["content-type"], init };
}

describe("an upload", () => {
  it("of recipients one by one goes out as NDJSON, as a stream", async () => {
    const { text, type, init, body } = await sent({ recipients: [person(1), person(2)] });
    expect(type).toBe("application/x-ndjson");
    expect(
      text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([person(1), person(2)]);
    expect(body).toBeInstanceOf(ReadableStream);
    expect(init).toMatchObject({ duplex: "half" });
  });

  it("takes no more of its source than the network does, and closes it", async () => {
    const { state, people } = endless();
    let seen = 0;
    const { client } = rig([report], {
      tries: 1,
      surroundings: {
        fetch: async (_, init) => {
          const { body } = init as { body: ReadableStream<Uint8Array> };
          const reader = body.getReader();
          seen = state.taken;
          await reader.read();
          await new Promise((resolve) => setImmediate(resolve));
          const perSlice = CLIENT_UPLOAD_SLICE_CHARACTERS / JSON.stringify(person(1)).length;
          expect(state.taken).toBeLessThan(2 * perSlice);
          await reader.cancel();
          return report();
        },
      },
    });
    await client.upload("c", { recipients: people });
    expect(seen).toBe(0);
    expect(state.isClosed).toBe(true);
  });

  it.each([true, false])(
    "throws what its source throws, streamed: %s",
    async (canStreamRequests) => {
      const fault = new Error("the cursor is gone");
      async function* broken(): AsyncGenerator<RecipientInput> {
        yield person(1);
        throw fault;
      }
      const { client } = rig([report], {
        surroundings: {
          canStreamRequests,
          fetch: async (_, init) => {
            // As fetch does: the network's error says nothing of the source's.
            await new Response(init?.body).text().catch(() => Promise.reject(noNetwork()));
            return report();
          },
        },
      });
      await expect(client.upload("c", { recipients: broken() })).rejects.toBe(fault);
    },
  );

  it("is gathered where requests can't be streamed", async () => {
    const { body, text, init } = await sent({ recipients: [person(1)] }, false);
    expect(body).toBeInstanceOf(Blob);
    expect(text).toContain('"u_1"');
    expect(init).not.toHaveProperty("duplex");
    const stream = new Blob(["email\n"]).stream();
    const file = await sent({ body: stream, format: "text/csv" }, false);
    expect([file.body instanceof Blob, file.type, file.text]).toEqual([
      true,
      "text/csv",
      "email\n",
    ]);
  });

  it("of a file goes out as it is, with its columns", async () => {
    const body = new File(["mail\n"], "list.csv", { type: "text/csv;charset=utf-8" });
    const given = await sent({ body, emailColumn: "mail", idColumn: "key" });
    expect(given.type).toBe("text/csv");
    expect(given.url).toBe("https://mail.test/api/campaigns/c/recipients?email=mail&id=key");
    expect(given.body).toBe(body);
  });

  it("refuses a file that doesn't say what it is", () => {
    const { client, made } = rig([report]);
    const excel = new Blob([""], { type: "application/vnd.ms-excel" });
    expect(() => client.upload("c", { body: excel })).toThrow("none of ours: application/vnd");
    expect(() => client.upload("c", { body: new Blob([""]) })).toThrow("format: it is missing");
    expect(made).toEqual([]);
  });

  it("that can be read again is repeated, and a stream is not", async () => {
    const text = rig([noNetwork, report]);
    const again = text.client.upload("c", { body: "email\n", format: "text/csv" });
    await text.clock.ring();
    expect(await again).toMatchObject({ added: 1 });
    const stream = rig([noNetwork, report]);
    const body = new Blob(["email\n"]).stream();
    const once = stream.client.upload("c", { body, format: "text/csv" });
    await expect(once).rejects.toMatchObject({ reason: "noAnswer" });
    expect([text.made.length, stream.made.length]).toEqual([2, 1]);
  });
});
