/** The one POST of an alert, on the wire. */
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { alertsTo } from "../../../src/campaign/post-alert.ts";
import { alertMessage } from "../../../src/domain/alert.ts";
import { faultOf } from "../../../src/domain/fault-text.ts";
import type { CampaignId } from "../../../src/domain/ids.ts";

const MESSAGE = alertMessage(
  { id: "spring" as CampaignId, name: "Spring & Co" },
  {
    fact: "deadLetters:100",
    at: 1_790_000_000_000,
    detail: { type: "deadLetters", deadLetters: 100, error: "<boom>" },
  },
);

let server: Server | undefined;
afterEach(() => void server?.close());

async function receiver(status: number) {
  const seen: { headers: IncomingHttpHeaders; body: string }[] = [];
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      seen.push({ headers: request.headers, body });
      response.writeHead(status, { location: "/elsewhere" }).end("ok");
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { seen, url: `http://127.0.0.1:${port}/hook` };
}

describe("an alert on the wire", () => {
  it("is JSON that Slack shows, with an id that is the same at every try", async () => {
    const { seen, url } = await receiver(200);
    const { postAlert } = alertsTo(url);
    expect(await postAlert?.(MESSAGE)).toBe(true);
    expect(await postAlert?.(MESSAGE)).toBe(true);
    expect(seen).toHaveLength(2);
    expect(seen[0]?.headers["content-type"]).toMatch(/^application\/json/);
    expect(seen[0]?.headers["idempotency-key"]).toBe(seen[1]?.headers["idempotency-key"]);
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({
      text:
        'Campaign "Spring &amp; Co" (spring): 100 messages reached the dead-letter queue, ' +
        "the last: &lt;boom&gt;",
      id: "spring:deadLetters:100",
      type: "deadLetters",
      campaignId: "spring",
      campaignName: "Spring & Co",
      at: "2026-09-21T14:13:20.000Z",
      detail: { deadLetters: 100, error: "<boom>" },
    });
  });

  it.each([301, 404, 500])(
    "is not taken with a %i, and no redirect is followed",
    async (status) => {
      const { seen, url } = await receiver(status);
      expect(await alertsTo(url).postAlert?.(MESSAGE)).toBe(false);
      expect(seen).toHaveLength(1);
    },
  );

  it.each([
    "hooks.example/services/T0/SECRET",
    "htps://hooks.example/SECRET",
    "https://hooks.example:0x/SECRET",
    "https://user:SECRET@hooks.example/",
    "http://127.0.0.1:1/SECRET",
  ])("fails without a word of the URL, which is a secret: %s", async (url) => {
    const failed = await alertsTo(url)
      .postAlert?.(MESSAGE)
      .catch((error: unknown) => error);
    const { error, stack } = faultOf(failed);
    expect(error).toMatch(/^Error: no answer from ALERT_URL: ./);
    expect(`${error} ${stack}`).not.toContain("SECRET");
  });

  it("goes nowhere without a URL", () => {
    expect(alertsTo(undefined)).toEqual({});
    expect(alertsTo("")).toEqual({});
  });
});
