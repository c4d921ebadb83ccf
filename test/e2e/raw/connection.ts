/** One TCP connection: writes what it is told, and reads the answers that come back. */
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { RawRequest } from "./requests.ts";

export type RawAnswer = {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
};

/** Longer than anything takes; who says nothing until then never will. */
const PATIENCE_MILLISECONDS = 20_000;
const BREATH_MILLISECONDS = 5;

/**
 * Resolves when the server has closed, or has answered a request that asks for one answer.
 * @returns what it has answered, in order
 * @throws where it neither closes nor answers
 */
export async function converse(port: number, request: RawRequest): Promise<RawAnswer[]> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  let heard = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    heard += chunk;
  });
  const over = new Promise<void>((resolve) => {
    // A reset is an answer as well: the connection is over.
    for (const event of ["end", "close", "error"]) socket.on(event, () => resolve());
  });
  try {
    await write(socket, request);
    if (request.ending === "destroy") return [];
    if (request.ending === "halfClose") socket.end();
    const isOver = await Promise.race([over.then(() => true), sleep(PATIENCE_MILLISECONDS, false)]);
    const answers = answersIn(heard);
    if (!isOver && answers.length === 0) throw new Error("neither an answer nor an end");
    return answers;
  } finally {
    socket.destroy();
  }
}

async function write(socket: Socket, { writes }: RawRequest): Promise<void> {
  for (const [at, each] of writes.entries()) {
    if (at > 0) await sleep(BREATH_MILLISECONDS);
    if (!socket.destroyed) socket.write(each);
  }
}

const STATUS_LINE = /^HTTP\/1\.[01] (\d{3}) [^\r\n]*\r\n/;

/** Answers to HEAD are told by their missing body: the next status line stands where it would. */
export function answersIn(text: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let rest = text; rest !== "";) {
    const [line = "", status = ""] = STATUS_LINE.exec(rest) ?? [];
    const end = rest.indexOf("\r\n\r\n");
    if (line === "" || end < 0) throw new Error(`no answer: ${JSON.stringify(rest.slice(0, 200))}`);
    const headers = headersIn(rest.slice(line.length, end));
    const [body, after] = bodyOf(rest.slice(end + 4), headers);
    answers.push({ status: Number(status), headers, body });
    rest = after;
  }
  return answers;
}

function headersIn(block: string): ReadonlyMap<string, string> {
  const lines = block.split("\r\n").filter((line) => line !== "");
  return new Map(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
}

function bodyOf(rest: string, headers: ReadonlyMap<string, string>): readonly [string, string] {
  if (rest === "" || STATUS_LINE.test(rest)) return ["", rest];
  if (headers.get("transfer-encoding") === "chunked") return chunksOf(rest);
  const length = headers.get("content-length");
  return length === undefined ? [rest, ""] : [rest.slice(0, +length), rest.slice(+length)];
}

function chunksOf(text: string): readonly [string, string] {
  let body = "";
  for (let rest = text; ;) {
    const [line = "", size = ""] = /^([0-9a-f]+)\r\n/i.exec(rest) ?? [];
    if (line === "") throw new Error(`no chunk: ${JSON.stringify(rest.slice(0, 200))}`);
    const end = line.length + Number.parseInt(size, 16);
    if (end === line.length) return [body, rest.slice(end + 2)];
    body += rest.slice(line.length, end);
    rest = rest.slice(end + 2);
  }
}
