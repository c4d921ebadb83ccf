import { describe, expect, it } from "vitest";
import { api, DRAFT, faultyPaths, problemOf, recipientView, STORY, VIEW, VIEWER } from "./api.ts";

describe("preview", () => {
  const PREVIEW = "/api/campaigns/spring/preview";

  it("is for somebody of the campaign, somebody made up, or the first", async () => {
    const data = { firstName: "Ada" };
    const { ask } = api({
      campaign: {
        recipient: async () => ({ ...STORY, data }),
        recipients: async () => ({ items: [recipientView("first", { data })], cursor: null }),
      },
    });
    const to = async (body: object | null) =>
      (await (await ask("POST", PREVIEW, { body })).json<{ recipient: object }>()).recipient;
    expect(await to({ recipientId: "u_81" })).toEqual({ id: "u_81", email: "u_81@example.org" });
    expect(await to({ recipient: { email: "Bob@example.org", data } })).toEqual({
      id: "bob@example.org",
      email: "Bob@example.org",
    });
    expect(await to(null)).toEqual({ id: "first", email: "first@example.org" });
  });

  it("passes over whoever was erased", async () => {
    const erased = { ...recipientView("erased:1"), email: "erased:1" };
    const { ask } = api({
      campaign: {
        recipients: async () => ({
          items: [erased, recipientView("second", { data: { firstName: "Bo" } })],
          cursor: null,
        }),
      },
    });
    const response = await ask("POST", PREVIEW, { body: null });
    expect(await response.json()).toMatchObject({ recipient: { id: "second" } });
  });

  it("shows the mail as that recipient would get it", async () => {
    const data = { firstName: "Ada" };
    const body = { recipient: { email: "ada@example.org", data } };
    const response = await api().ask("POST", PREVIEW, { body, token: VIEWER });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      recipient: { id: "ada@example.org", email: "ada@example.org" },
      from: "Ada <ada@sender.test>",
      replyTo: null,
      subject: "Hello",
      html: null,
      text: "Hi Ada",
    });
  });

  it.each(["__proto__", "constructor", "toString"])(
    "takes a merge field called %s",
    async (name) => {
      const content = { ...DRAFT.content, text: `Hi {{ ${name} }}` };
      const draft = { ...DRAFT, content } as typeof DRAFT;
      const { ask } = api({ campaign: { describe: async () => ({ ...VIEW, draft }) } });
      const body = `{"recipient":{"email":"ada@example.org","data":{"${name}":"Ada"}}}`;
      const headers = { "content-type": "application/json" };
      const response = await ask("POST", PREVIEW, { body, headers });
      expect(await response.json()).toMatchObject({ text: "Hi Ada" });
    },
  );

  it("C73: a field without a value is refused and named, with what can be shown", async () => {
    const body = { recipient: { email: "ada@example.org" } };
    const response = await api().ask("POST", PREVIEW, { body });
    expect(response.status).toBe(400);
    const problem = await problemOf(response);
    expect(problem).toMatchObject({
      code: "templateFault",
      preview: { subject: "Hello", text: null },
    });
    expect(problem.errors?.map((each) => each.path)).toEqual(["text"]);
    expect(problem.errors?.[0]?.detail).toContain("firstName");
  });

  it("is 409 for an external campaign, which has no content", async () => {
    const draft = { ...DRAFT, delivery: "external", content: null } as const;
    const { ask } = api({ campaign: { describe: async () => ({ ...VIEW, draft }) } });
    const response = await ask("POST", PREVIEW);
    expect((await problemOf(response)).code).toBe("wrongDelivery");
  });

  it.each([
    ["recipient", { recipientId: "u_1", recipient: { email: "a@x.test" } }],
    ["recipient.email", { recipient: { email: "nobody" } }],
    ["recipient.email", { recipient: {} }],
    ["recipient.data", { recipient: { email: "a@x.test", data: [] } }],
    ["recipientId", { recipientId: "" }],
    ["for", { for: "me" }],
  ])("names %s in %j", async (path, body) => {
    const response = await api().ask("POST", PREVIEW, { body });
    expect(response.status).toBe(400);
    expect(await faultyPaths(response)).toEqual([path]);
  });

  it("is 404 for somebody unknown, and where there is nobody yet", async () => {
    const { ask } = api({
      campaign: {
        recipient: async () => null,
        recipients: async () => ({ items: [], cursor: null }),
      },
    });
    for (const body of [{ recipientId: "u_1" }, {}]) {
      const response = await ask("POST", PREVIEW, { body });
      expect((await problemOf(response)).code).toBe("recipientNotFound");
    }
  });
});
