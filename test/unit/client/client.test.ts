import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { httpCampaign } from "../../../src/consumer/http-campaign.ts";
import { SendonceClient } from "../../../src/client/client.ts";
import { SendonceProblem, SendonceUnreachable } from "../../../src/client/problem.ts";
import { FakeServer } from "../cli/fake-server.ts";

let server: FakeServer;
let client: SendonceClient;

beforeAll(async () => {
  server = new FakeServer();
  await server.listen();
  client = new SendonceClient({ url: server.url, token: "secret", tries: 1 });
});
afterAll(() => server.close());

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => null,
    (error: unknown) => error,
  );
}

describe("the client", () => {
  it("gives a refusal with its code, its fields and its evidence", async () => {
    server.answers("POST /api/campaigns/spring/replay", {
      status: 409,
      headers: { "content-type": "application/problem+json", "retry-after": "5" },
      body: {
        code: "duplicateRisk",
        title: "Somebody may be mailed twice",
        detail: "7 of them may have been mailed already.",
        errors: [{ path: "ids.0", detail: "is in doubt" }, "?"],
        inDoubt: 7,
      },
    });
    const problem = await failureOf(client.replay("spring", { ids: ["u_1"] }));
    expect(problem).toBeInstanceOf(SendonceProblem);
    expect(problem).toMatchObject({
      status: 409,
      code: "duplicateRisk",
      title: "Somebody may be mailed twice",
      message: "7 of them may have been mailed already.",
      errors: [
        { path: "ids.0", detail: "is in doubt" },
        { path: "", detail: "is refused" },
      ],
      body: { inDoubt: 7 },
      retryAfterSeconds: 5,
    });
  });

  it("an error page of something in between is no answer of the API", async () => {
    server.answers("GET /api/campaigns/spring/delivery-status", {
      status: 502,
      body: "<h1>Bad gateway</h1>",
    });
    const error = await failureOf(client.deliveryStatus("spring"));
    expect(error).toBeInstanceOf(SendonceUnreachable);
    expect((error as Error).message).toContain('answered 502 and said "<h1>Bad gateway</h1>"');
  });

  it("a page with 200 is no answer either", async () => {
    server.answers("GET /api/campaigns/spring/delivery-status", { body: "<h1>Welcome</h1>" });
    expect(await failureOf(client.deliveryStatus("spring"))).toBeInstanceOf(SendonceUnreachable);
  });

  it("nobody there: unreachable, with the reason of the network", async () => {
    const free = new FakeServer();
    await free.listen();
    await free.close();
    const nobody = new SendonceClient({ url: free.url, token: "secret", tries: 1 });
    const error = await failureOf(nobody.deliveryStatus("spring"));
    expect(error).toBeInstanceOf(SendonceUnreachable);
    expect((error as Error).message).toBe(`no answer from ${free.url}: ECONNREFUSED`);
  });

  it("a token that no header takes is refused at once, and quoted nowhere", () => {
    const url = "https://mail.test";
    for (const token of ["se cret", "secret\n", "s\u00e9cret"]) {
      const made = [
        () => new SendonceClient({ url, token }),
        () => httpCampaign({ url, token, campaignId: "spring" }),
      ];
      for (const make of made) expect(make).toThrow(/^token: has to be visible ASCII[^:]*$/);
    }
  });

  it("sends a stream as it is read", async () => {
    server.answers("POST /api/campaigns/spring/recipients", { body: { added: 1 } });
    const body = new Blob(["email\n", "ada@example.org\n"]).stream();
    const report = await client.upload("spring", { body, format: "text/csv" });
    expect(report).toEqual({ added: 1 });
    expect(server.asked.at(-1)).toMatchObject({
      type: "text/csv",
      body: "email\nada@example.org\n",
    });
  });
});
