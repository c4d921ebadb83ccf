/** What consumers of other queues say of a failure is kept with others than whom it names. */
import { beforeEach, expect, it } from "vitest";
import { NodeStack } from "../../support/node-stack.ts";

const SPRING = "/api/campaigns/spring";
const SPELT = [
  "ada@mail.example",
  "<ADA@Mail.Example>",
  "ada%40mail.example",
  '{\\"to\\":\\"ada@mail.example\\"}',
  "ada&#64;mail.example",
];

let stack: NodeStack;
beforeEach(async () => {
  stack = new NodeStack();
  await stack.json("POST", "/api/campaigns", { id: "spring", name: "x", delivery: "external" });
  await stack.json("POST", `${SPRING}/start`);
});

type Grant = { readonly token: number };
const person = (id: string) => ({ id, email: id.includes("@") ? id : `${id}@mail.example` });

async function granted(reservationId: string, ids: readonly string[]) {
  const request = { reservationId, recipients: ids.map(person) };
  const { token } = await stack.json<Grant>("POST", `${SPRING}/reservations`, request);
  return (report: object) =>
    stack.json("POST", `${SPRING}/reservations/${reservationId}/report`, { token, ...report });
}

it("R-erase, R-no-address: an address that another queue's consumer quotes is kept by its name", async () => {
  const others = SPELT.map((_, at) => `other${at}`);
  const report = await granted("failed", ["ada", ...others]);
  const reasons = ["nobody there", ...SPELT.map((spelt) => `after ${spelt}`)];
  const results = ["ada", ...others].map((id, at) => ({
    id,
    outcome: "failed",
    reason: reasons[at],
  }));
  await report({ results });
  for (const [at, spelt] of SPELT.entries()) {
    const tell = await granted(`m${at}`, [`doubt${at}`]);
    await tell({ outcome: at % 2 === 0 ? "unknown" : "deferred", reason: `after ${spelt}` });
  }

  // In the row that has the address anyway a reason keeps it, as it was written.
  const own = await granted("own", ["bob"]);
  const reason = "550 <Bob@Mail.example>: no such user bob@mail.example.";
  await own({ results: [{ id: "bob", outcome: "failed", reason }] });
  expect(await stack.json("GET", `${SPRING}/recipients/bob`)).toMatchObject({ reason });

  expect(await stack.json("DELETE", "/api/people/ada%40mail.example")).toMatchObject({ erased: 1 });
  const told = [
    await stack.json("GET", `${SPRING}/recipients?limit=100`),
    await stack.json("GET", `${SPRING}/recipients/other1`),
    await stack.json("GET", `${SPRING}/recipients/doubt0`),
    await stack.json("GET", `${SPRING}/recipients/doubt1`),
    await stack.json("GET", `${SPRING}/events`),
  ];
  expect(JSON.stringify(told)).toContain("after <address>");
  expect(JSON.stringify(told)).toContain("other1@mail.example");
  expect(JSON.stringify(told)).not.toMatch(/\bada\b/i);
});

it("R-no-address: ids of recipients and of mails stay as a consumer has told them", async () => {
  const report = await granted("m", ["ada@mail.example"]);
  const results = [{ id: "ada@mail.example", outcome: "sent", providerId: "<1@smtp.example>" }];
  await report({ results });
  const story = await stack.json("GET", `${SPRING}/recipients/ada%40mail.example`);
  expect(story).toMatchObject({ status: "sent", providerId: "<1@smtp.example>" });
});
