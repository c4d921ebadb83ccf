/** The shop's Worker: it takes mailings, and mails them from a queue. */
import * as after from "./after.ts";
import * as before from "./before.ts";
import type { Env, Mailing } from "./env.ts";

export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (pathname !== "/before" && pathname !== "/after") return env.SENDONCE.fetch(request);
    const queue = pathname === "/before" ? env.BEFORE : env.AFTER;
    const mailings = await request.json<Mailing[]>();
    await queue.sendBatch(mailings.map((body) => ({ body, contentType: "json" as const })));
    return Response.json({ queued: mailings.length });
  },
  queue: (batch, env) =>
    batch.queue === "mailings-before" ? before.consume(batch, env) : after.consume(batch, env),
} satisfies ExportedHandler<Env, Mailing>;
