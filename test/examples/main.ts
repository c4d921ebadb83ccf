/** `npm run examples`: each example without Sendonce and with it, and a table of what came of it. */
import { runBullMq } from "./bullmq/run.ts";
import { runQueues } from "./queues/run.ts";
import { hasRedis, REDIS_MISSING } from "./redis.ts";
import { runSmtp, settleDoubts } from "./smtp/run.ts";
import { MailServer } from "./smtp/server.ts";
import { ExampleStack, type Comparison, type Count } from "./stack.ts";
import { runVisibility } from "./visibility/run.ts";

const WIDTHS = { how: 30, people: 8, accepted: 10, duplicates: 12, missing: 14, inDoubt: 10 };
const HEADINGS = {
  how: "",
  people: "people",
  accepted: "accepted",
  duplicates: "duplicates",
  missing: "never mailed",
  inDoubt: "in doubt",
};

function line(cells: Readonly<Record<keyof Count, string | number>>): string {
  const columns = Object.entries(WIDTHS) as [keyof Count, number][];
  return columns
    .map(([name, width]) => {
      const text = String(cells[name]);
      return name === "how" ? text.padEnd(width) : text.padStart(width);
    })
    .join("");
}

function print({ example, counts }: Comparison): void {
  console.log(`\n${example}`);
  for (const each of counts) console.log(line({ ...each, how: `  ${each.how}` }));
}

async function smtp(stack: ExampleStack): Promise<Comparison> {
  const server = await MailServer.start();
  try {
    const { example, counts } = await runSmtp(stack, server);
    return { example, counts: [...counts, await settleDoubts(stack, server)] };
  } finally {
    await server.stop();
  }
}

console.log("starting wrangler dev with two configurations, and the provider's stand-in");
const stack = await ExampleStack.start();
try {
  console.log(line(HEADINGS));
  print(await runQueues(stack));
  if (hasRedis) print(await runBullMq(stack));
  print(await runVisibility(stack));
  print(await smtp(stack));
  if (!hasRedis) console.log(`\n${REDIS_MISSING}`);
} finally {
  await stack.stop();
}
