/** Reading requests and writing answers, for the provider's API and for the control API alike. */
import type { IncomingMessage, ServerResponse } from "node:http";

const MAX_BODY_BYTES = 50 * 1024 * 1024;

/** The whole body; null: it is too large, or the client left before its end. */
export async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request) {
      length += (chunk as Buffer).length;
      if (length > MAX_BODY_BYTES) return null;
      chunks.push(chunk as Buffer);
    }
  } catch {
    return null;
  }
  return Buffer.concat(chunks);
}

export type Headers = Readonly<Record<string, string>>;

export function answerText(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Headers,
): void {
  const length = String(Buffer.byteLength(body));
  response.writeHead(status, { ...headers, "content-length": length });
  response.end(body);
}

export function answerJson(response: ServerResponse, status: number, body: unknown): void {
  answerText(response, status, JSON.stringify(body), { "content-type": "application/json" });
}
