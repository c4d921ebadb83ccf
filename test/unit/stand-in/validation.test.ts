/** What Resend refuses of a mail: all or nothing when strict, row by row when permissive. */
import { describe, expect, it } from "vitest";
import { mail, mails, rawPost, standInFixture } from "./fixture.ts";

const fixture = standInFixture();

async function strictError(changes: object): Promise<unknown> {
  const body = JSON.stringify([mail("p0@a.test"), { ...mail("p1@a.test"), ...changes }]);
  const answer = await rawPost(`${fixture.url}/emails/batch`, body);
  expect(answer.status).toBe(422);
  expect(await fixture.control.counts()).toMatchObject({ accepted: 0 });
  return answer.body;
}

describe("strict", () => {
  it.each([
    ["no from", { from: undefined }, "missing_required_field", "`from`"],
    ["a bad from", { from: "acme" }, "validation_error", "`from`"],
    ["no to", { to: undefined }, "missing_required_field", "`to`"],
    ["an empty to", { to: "" }, "missing_required_field", "`to`"],
    ["no recipients", { to: [] }, "missing_required_field", "`to`"],
    ["two signs", { to: "bob@@x.test" }, "validation_error", "`to`"],
    ["a domain of one label", { to: "a@b" }, "validation_error", "`to`"],
    ["a long local part", { to: `${"a".repeat(65)}@b.test` }, "validation_error", "`to`"],
    ["dots in a row", { to: "a..b@b.test" }, "validation_error", "`to`"],
    ["a space", { to: "a b@b.test" }, "validation_error", "`to`"],
    ["a line break", { to: "a@b.test\r\nbcc: c@d.test" }, "validation_error", "`to`"],
    ["a label with a hyphen in front", { to: "a@-b.test" }, "validation_error", "`to`"],
    ["51 recipients", { to: Array(51).fill("a@b.test") }, "validation_error", "50"],
    ["no subject", { subject: undefined }, "missing_required_field", "`subject`"],
    ["a line break in the subject", { subject: "a\r\nb" }, "validation_error", "`subject`"],
    ["no body", { html: undefined }, "missing_required_field", "`html`"],
    ["a bad tag", { tags: [{ name: "a", value: "b.c" }] }, "validation_error", "Tags should"],
    [
      "76 tags",
      { tags: Array.from({ length: 76 }, () => ({ name: "a", value: "b" })) },
      "validation_error",
      "75",
    ],
    ["a line break in a header", { headers: { "X-A": "b\nc" } }, "validation_error", "`headers`"],
    ["a header that is a number", { headers: { "X-A": 1 } }, "validation_error", "`headers`"],
    ["an attachment", { attachments: [] }, "invalid_attachment", "Attachments"],
    ["a bad reply address", { reply_to: "x" }, "validation_error", "`reply_to`"],
  ])("C28: refuses the whole batch for %s", async (_, changes, name, says) => {
    const message: unknown = expect.stringContaining(says);
    expect(await strictError(changes)).toEqual({ statusCode: 422, name, message });
  });

  it.each([
    ["no mails", "[]", 422],
    ["101 mails", JSON.stringify(mails(101)), 422],
    ["an object", JSON.stringify(mail("a@b.test")), 400],
    ["half a JSON", '[{"from":', 400],
  ])("refuses a batch of %s", async (_, body, status) => {
    const answer = await rawPost(`${fixture.url}/emails/batch`, body);
    expect(answer).toMatchObject({
      status,
      body: { statusCode: status, name: "validation_error" },
    });
  });

  it("takes a display name, several recipients, and text alone", async () => {
    const list = [
      { ...mail("x"), to: ["Bob <bob@b.test>", "c@c.test"], html: undefined, text: "a" },
    ];
    const answer = await rawPost(`${fixture.url}/emails/batch`, JSON.stringify(list));
    expect(answer.status).toBe(200);
    expect(await fixture.control.countOf("BOB@b.test")).toBe(1);
    expect(await fixture.control.counts()).toMatchObject({ accepted: 2, addresses: 2 });
  });
});

describe("permissive", () => {
  it("C29: accepts the good rows and names the others by their place in the request", async () => {
    const list = [
      mail("x"),
      mail("b@b.test"),
      { ...mail("c@c.test"), subject: "a\nb" },
      mail("d@d.test"),
    ];
    const { data, error } = await fixture.resend.batch.send(list, {
      batchValidation: "permissive",
    });
    expect(error).toBeNull();
    expect(data?.data).toHaveLength(2);
    expect(data?.errors.map(({ index }) => index)).toEqual([0, 2]);
    const log = await fixture.control.log("accepted");
    expect(log.map(({ index, id, to }) => ({ index, id, to }))).toEqual([
      { index: 1, id: data?.data[0]?.id, to: "b@b.test" },
      { index: 3, id: data?.data[1]?.id, to: "d@d.test" },
    ]);
  });

  it("is not for single mails", async () => {
    const headers = { "x-batch-validation": "permissive" };
    const answer = await rawPost(`${fixture.url}/emails`, JSON.stringify(mail("x")), headers);
    expect(answer.status).toBe(422);
  });
});

describe("by switch", () => {
  it("example.com and test.com are refused", async () => {
    const send = () => fixture.resend.emails.send(mail("ada@example.com"));
    expect((await send()).error).toBeNull();
    await fixture.control.configure({ refuseTestDomains: true });
    expect((await send()).error).toMatchObject({ statusCode: 422, name: "validation_error" });
  });

  it("given addresses are refused, in any spelling", async () => {
    await fixture.control.configure({ refuseAddresses: ["P1@a.test"] });
    const { data } = await fixture.resend.batch.send(mails(3), { batchValidation: "permissive" });
    expect(data?.errors.map(({ index }) => index)).toEqual([1]);
    const strict = await fixture.resend.batch.send(mails(3));
    expect(strict.error).toMatchObject({ statusCode: 422, name: "validation_error" });
  });

  it.each([401, 403])("every send gets the one answer %d", async (status) => {
    const answer = { status, name: "of_a_test", message: "no" };
    await fixture.control.configure({ answer });
    const { error } = await fixture.resend.batch.send(mails(2), { idempotencyKey: "c:1" });
    expect(error).toEqual({ statusCode: status, name: "of_a_test", message: "no" });
    expect(await fixture.control.counts()).toMatchObject({ accepted: 0, requests: 1 });
  });
});

describe("the door", () => {
  it("wants a bearer", async () => {
    const answer = await fetch(`${fixture.url}/emails`, { headers: { "user-agent": "test" } });
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ statusCode: 401, name: "missing_api_key" });
  });

  it("wants a user agent", async () => {
    const headers = { authorization: "Bearer re_test", "user-agent": "" };
    const answer = await fetch(`${fixture.url}/emails`, { headers });
    expect([answer.status, await answer.text()]).toEqual([403, "error code: 1010"]);
  });

  it("knows its paths and methods", async () => {
    const headers = { authorization: "Bearer re_test", "user-agent": "test" };
    const other = await fetch(`${fixture.url}/domains`, { headers });
    expect(await other.json()).toMatchObject({ statusCode: 404, name: "not_found" });
    const method = await fetch(`${fixture.url}/emails`, { headers, method: "DELETE" });
    expect(await method.json()).toMatchObject({ statusCode: 405, name: "method_not_allowed" });
  });
});
