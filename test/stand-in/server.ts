/** Starts and stops one stand-in. It listens on 127.0.0.1 only. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { serveApi } from "./api.ts";
import { serveControl } from "./control.ts";
import { World } from "./world.ts";

export type StandIn = {
  /** Origin without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** Cuts every connection and closes the log. */
  close(): Promise<void>;
};

export type StandInOptions = {
  /** 0: a free one. */
  readonly port?: number;
  /** Kept and loaded again at the next start; null: a log that is gone at the end. */
  readonly logFile?: string | null;
};

/** Longer than any client keeps an idle connection, so that no request meets a closing one. */
const KEEP_ALIVE_MILLISECONDS = 600_000;

/** @returns once it listens */
export async function startStandIn(options: StandInOptions = {}): Promise<StandIn> {
  const world = new World(options.logFile ?? null);
  const server = createServer((request, response) => {
    serve(world, request, response).catch((error: unknown) => {
      // A bug of the stand-in: loud, and never mistaken for an answer of the provider.
      process.stderr.write(`stand-in: ${String(error instanceof Error ? error.stack : error)}\n`);
      response.socket?.destroy();
    });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MILLISECONDS;
  server.headersTimeout = KEEP_ALIVE_MILLISECONDS;
  server.requestTimeout = 0;
  await new Promise<void>((listening, failed) => {
    server.once("error", failed);
    server.listen(options.port ?? 0, "127.0.0.1", listening);
  });
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    const closed = new Promise((done) => {
      server.close(done);
    });
    world.release();
    server.closeAllConnections();
    await closed;
    world.log.close();
  };
  return { url: `http://127.0.0.1:${port}`, port, close };
}

async function serve(
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? "/", "http://stand-in.invalid");
  const isControl = url.pathname.startsWith("/control/");
  await (isControl ? serveControl : serveApi)(world, request, response, url);
}
