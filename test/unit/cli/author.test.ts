import { describe, expect, it } from "vitest";
import { CAMPAIGN, served } from "./served.ts";

const { server, ask, lastJson } = served();

describe("change", () => {
  it("sends what was given, and nothing else", async () => {
    server.answers(`PATCH ${CAMPAIGN}`, { body: { id: "spring", name: "Spring\u001B" } });
    const said = await ask("change", "spring", "--subject", "New", "--set", "batchSize=50");
    expect(said).toEqual({ code: 0, out: "spring is changed: Spring\ufffd\n", err: "" });
    expect(lastJson()).toEqual({ subject: "New", settings: { batchSize: 50 } });
    await ask("change", "spring", "--unsubscribe");
    expect(lastJson()).toEqual({ unsubscribe: true });
  });

  it("asks nothing of the server where nothing is given", async () => {
    const said = await ask("change", "spring");
    expect(said).toMatchObject({ code: 2, err: expect.stringContaining("say what to change") });
    expect(server.asked).toEqual([]);
  });
});

describe("erase", () => {
  it("wants to be told twice", async () => {
    expect(await ask("erase", "spring")).toMatchObject({ code: 2, out: "" });
    expect(server.asked).toEqual([]);
    server.answers(`DELETE ${CAMPAIGN}`, { status: 204, body: "" });
    expect(await ask("erase", "spring", "--yes")).toEqual({
      code: 0,
      out: "spring is erased.\n",
      err: "",
    });
  });
});

describe("preview", () => {
  const mail = {
    recipient: { id: "u_1", email: "ada@mail.example" },
    from: "The Shop <news@shop.example>",
    replyTo: null,
    subject: "Ada, spring",
    html: "<p>Hello Ada</p>",
    text: "Hello Ada",
  };

  it("shows the mail of one recipient, or one part of it to be piped on", async () => {
    server.answers(`POST ${CAMPAIGN}/preview`, { body: mail });
    expect((await ask("preview", "spring", "--as", "u_1")).out).toBe(
      "From: The Shop <news@shop.example>\nTo: ada@mail.example\nSubject: Ada, spring\n\n" +
        "Hello Ada\n\n(--part html has the other part)\n",
    );
    expect(lastJson()).toEqual({ recipientId: "u_1" });
    expect((await ask("preview", "spring", "--part", "html")).out).toBe("<p>Hello Ada</p>\n");
  });
});

describe("why", () => {
  it("finds somebody by the address, too", async () => {
    const story = {
      id: "u 1",
      email: "ada@mail.example",
      status: "pending",
      data: {},
      reason: null,
      providerId: null,
      batch: null,
      updatedAt: "2026-12-01T09:00:00.000Z",
      idempotencyKey: null,
      attempts: [],
      feedback: null,
      suppression: null,
    };
    server.refuses(`GET ${CAMPAIGN}/recipients/Ada%40mail.example`, 404, "recipientNotFound");
    server.answers(`GET ${CAMPAIGN}/recipients?email=Ada%40mail.example`, {
      body: { items: [story], cursor: null },
    });
    server.answers(`GET ${CAMPAIGN}/recipients/u%201`, { body: story });
    const said = await ask("why", "spring", "Ada@mail.example");
    expect(said).toMatchObject({ code: 0, out: expect.stringContaining("u 1 <ada@mail.example>") });
  });
});
