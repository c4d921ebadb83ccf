import { describe, expect, it } from "vitest";
import { jsonResponse, rig } from "./rig.ts";

const page = (ids: readonly string[], cursor: string | null) => () =>
  jsonResponse({ items: ids.map((id) => ({ id })), cursor });
const cursorsOf = (made: readonly { url: string }[]) =>
  made.map(({ url }) => new URL(url).searchParams.get("cursor"));

describe("a list", () => {
  it("gives every entry, over empty pages too, and asks for a page when it needs it", async () => {
    const { client, made } = rig([page(["a", "b"], "2"), page([], "3"), page(["c"], null)]);
    const list = client.recipients("c", { status: "failed", limit: 2 });
    expect(made).toEqual([]);
    const seen: string[] = [];
    for await (const { id } of list) {
      seen.push(`${id} of ${made.length}`);
    }
    expect(seen).toEqual(["a of 1", "b of 1", "c of 3"]);
    expect(cursorsOf(made)).toEqual([null, "2", "3"]);
    expect(made[0]?.url).toContain("/recipients?status=failed&limit=2");
  });

  it("asks for nothing more when the reader has enough", async () => {
    const { client, made } = rig([page(["a", "b"], "2"), page(["c"], null)]);
    for await (const { id } of client.recipients("c")) if (id === "b") break;
    expect(made).toHaveLength(1);
  });

  it("gives one page by its cursor, and begins where it is told to", async () => {
    const { client, made } = rig([page(["a"], null)]);
    await client.events("c").page("7");
    await client.deadLetters("c", { cursor: "8" }).page();
    for await (const _ of client.suppressions({ cursor: "9" })) break;
    for await (const _ of client.campaigns().pages()) break;
    expect(cursorsOf(made)).toEqual(["7", "8", "9", null]);
  });

  it("is no endless round where a server gives one cursor for ever", async () => {
    const { client, made } = rig([page([], "2")]);
    const ids = (async () => {
      for await (const _ of client.recipients("c"));
    })();
    await expect(ids).rejects.toMatchObject({ kind: "unreachable", reason: "unreadable" });
    expect(made).toHaveLength(2);
  });
});
