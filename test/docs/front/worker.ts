/** Lets everything through to Sendonce but two routes of the documents' tests. */
type FrontEnv = {
  readonly SENDONCE: Fetcher;
  readonly DEAD_LETTERS: Queue;
  readonly AUDIENCE: D1Database;
};

export default {
  async fetch(request, { SENDONCE, DEAD_LETTERS, AUDIENCE }) {
    switch (new URL(request.url).pathname) {
      // A message as the queue hands it over when its consumer has failed six times.
      case "/front/dead-letter":
        await DEAD_LETTERS.send(await request.json());
        return new Response("sent");
      case "/front/sql": {
        const statements = (await request.text()).split(";").filter((sql) => sql.trim() !== "");
        await AUDIENCE.batch(statements.map((sql) => AUDIENCE.prepare(sql)));
        return new Response("done");
      }
      default:
        return SENDONCE.fetch(request);
    }
  },
} satisfies ExportedHandler<FrontEnv>;
