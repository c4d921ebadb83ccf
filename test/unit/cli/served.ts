/** The command line before a server of its own: what each file of its tests begins with. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { command, type Said } from "./capture.ts";
import { FakeServer } from "./fake-server.ts";

export const CAMPAIGN = "/api/campaigns/spring";

/** Serves while the tests of the calling file run; each begins with nothing asked. */
export function served() {
  const folder = mkdtempSync(join(tmpdir(), "sendonce-cli-"));
  const server = new FakeServer();
  beforeAll(() => server.listen());
  beforeEach(() => {
    server.asked.length = 0;
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });
  const ask = (...args: string[]): Promise<Said> =>
    command(args, { env: { SENDONCE_URL: server.url, SENDONCE_TOKEN: "secret" } });
  const lastJson = (): unknown => JSON.parse(server.asked.at(-1)?.body ?? "null");
  return { folder, server, ask, lastJson };
}
