/**
 * Reads request bodies: the content type first, the size while it comes in, then UTF-8, then JSON.
 * Whatever is refused is refused before it takes more memory than the bound allows. A body that is
 * given up in the middle is never cancelled here: `passOver` lets the rest of it come in.
 */
import { MAX_JSON_BODY_BYTES, MAX_PASSED_OVER_BYTES } from "../domain/limits.ts";
import { jsonFault } from "../domain/json-fault.ts";
import { Refused } from "./problem.ts";

/** The media type of the body in lower case, without parameters; "" where it is not said. */
export function mediaType(request: Request): string {
  return (request.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

/** One parameter of the content type in lower case, without quotes; null where it is not there. */
export function mediaParameter(request: Request, name: string): string | null {
  for (const part of (request.headers.get("content-type") ?? "").split(";").slice(1)) {
    const [key, value] = part.split("=", 2);
    if (key?.trim().toLowerCase() !== name) continue;
    return (value ?? "").trim().replaceAll('"', "").toLowerCase();
  }
  return null;
}

/** Refuses a type, charset or encoding that the route doesn't read (RFC 9110 §15.5.16). */
export function expectMediaType(request: Request, accepted: readonly string[]): void {
  const type = mediaType(request);
  const list = accepted.join(", ");
  const headers = { accept: list };
  if (!accepted.includes(type)) {
    const seen = type === "" ? "No content type was given" : `The content type is ${type}`;
    throw new Refused("unsupportedMediaType", `${seen}; this takes ${list}.`, { headers });
  }
  const charset = mediaParameter(request, "charset");
  if (charset !== null && charset !== "utf-8" && charset !== "utf8" && charset !== "us-ascii") {
    const detail = `The charset is ${charset}; only utf-8 is read.`;
    throw new Refused("unsupportedMediaType", detail, { headers });
  }
  const encoding = request.headers.get("content-encoding");
  if (encoding !== null && encoding.trim().toLowerCase() !== "identity") {
    const detail = `The content encoding is ${encoding}; send the body as it is.`;
    throw new Refused("unsupportedMediaType", detail, {
      headers: { "accept-encoding": "identity" },
    });
  }
}

/** The JSON body of a request that has to have one. */
export async function readJson(request: Request): Promise<unknown> {
  expectMediaType(request, ["application/json"]);
  return parseJson(await readText(request, MAX_JSON_BODY_BYTES));
}

/** The same where the body may be left out, which says no more than `{}`, whatever its type is. */
export async function readOptionalJson(request: Request): Promise<unknown> {
  if (request.body === null) return {};
  const text = await readText(request, MAX_JSON_BODY_BYTES);
  if (text === "") return {};
  expectMediaType(request, ["application/json"]);
  return parseJson(text);
}

/**
 * The body piece by piece. Whoever goes away before it is whole, or sends chunks that are none, has
 * made no request (RFC 9112 §8), and that is no fault of ours.
 */
async function* piecesOf(request: Request): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of request.body?.values({ preventCancel: true }) ?? []) yield chunk;
  } catch {
    const detail = "The connection was lost, or its framing broken, before the body was whole.";
    throw new Refused("bodyInterrupted", detail);
  }
}

/**
 * Reads on to the end of a body that was given up in the middle, and drops it. A connection that is
 * closed while the client still writes takes the answer with it (RFC 9112 §9.6), and of a refused
 * upload that is all the client would have got. A body that nobody has begun to read is the platform's.
 */
export async function passOver({ body, bodyUsed }: Request): Promise<void> {
  if (body === null || !bodyUsed || body.locked) return;
  const reader = body.getReader();
  try {
    for (let bytes = 0; bytes <= MAX_PASSED_OVER_BYTES;) {
      const { done, value } = await reader.read();
      if (done) return;
      bytes += value.byteLength;
    }
    await reader.cancel();
  } catch {
    // It has broken off, and nobody is left to be told.
  }
}

async function readText(request: Request, mostBytes: number): Promise<string> {
  const declared = Number(request.headers.get("content-length") ?? "0");
  if (declared > mostBytes) throw tooLarge(mostBytes);
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  let bytes = 0;
  let text = "";
  for await (const chunk of piecesOf(request)) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) throw tooLarge(mostBytes);
    text += decode(decoder, chunk, bytes - chunk.byteLength);
  }
  return text + decode(decoder, undefined, bytes);
}

function decode(decoder: TextDecoder, chunk: Uint8Array | undefined, offset: number): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch {
    const detail = `The body is not valid UTF-8, at or after byte ${offset}.`;
    throw new Refused("malformedText", detail);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    if (text.trim() === "") throw new Refused("malformedJson", "The body is empty; send JSON.");
    const { offset, line, column } = jsonFault(text);
    const ends = offset >= text.length ? "ends too early" : "is not JSON";
    const detail = `The body ${ends} at line ${line}, column ${column}.`;
    throw new Refused("malformedJson", detail, { evidence: { line, column } });
  }
}

function tooLarge(mostBytes: number): Refused {
  return new Refused("tooLarge", `The body is larger than ${mostBytes} bytes.`, {
    evidence: { mostBytes },
  });
}

/** The bytes of a body as they came, for those who have to judge them before they are read. */
export async function readBytes(
  request: Request,
  mostBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(request.headers.get("content-length") ?? "0") > mostBytes) throw tooLarge(mostBytes);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of piecesOf(request)) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) throw tooLarge(mostBytes);
    chunks.push(chunk);
  }
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}
