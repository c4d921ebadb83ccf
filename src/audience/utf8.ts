/**
 * The bytes of an upload as UTF-8, without a byte order mark, in slices of bounded size.
 *
 * The next bytes are asked for only when the last slice has been dealt with, which is the
 * backpressure of an import: the body waits in the network while a page is being stored.
 * Spreadsheets save "Unicode text" as UTF-16 with a mark, so that is decoded; bytes that fit
 * neither stay as they are, or become U+FFFD, and the readers name the rows that hold them.
 */
import { UPLOAD_SLICE_BYTES } from "../domain/limits.ts";
import { UploadRefusal } from "./upload.ts";

const LONGEST_MARK_BYTES = 3;

/**
 * Lets go of the body when its reader goes away early; what becomes of the rest is for whoever it
 * came from. Refuses a body without a single byte.
 */
export async function* utf8Slices(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = chunksOf(body);
  try {
    const start = await startOf(chunks);
    if (start.length === 0) throw new UploadRefusal("emptyUpload", "The upload has no bytes.");
    const encoding = encodingOf(start);
    const decode = encoding.utf16 === null ? null : utf16Decoder(encoding.utf16);
    yield* slices(decode, start.subarray(encoding.markBytes));
    for await (const chunk of chunks) yield* slices(decode, chunk);
    if (decode !== null) yield* sliced(decode(null));
  } finally {
    await chunks.return(undefined);
  }
}

async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(interrupted);
      if (done) return undefined;
      yield value;
    }
  } finally {
    reader.releaseLock();
  }
}

/** @throws UploadRefusal: the client has gone away, or its chunks are none */
function interrupted(): never {
  const detail = "The connection was lost, or its framing broken, before the upload was whole.";
  throw new UploadRefusal("interrupted", detail);
}

/** Enough of the beginning to know the encoding, or all there is. */
async function startOf(chunks: AsyncGenerator<Uint8Array>): Promise<Uint8Array> {
  let start: Uint8Array = new Uint8Array(0);
  while (start.length < LONGEST_MARK_BYTES) {
    const next = await chunks.next();
    if (next.done === true) break;
    start = start.length === 0 ? next.value : Buffer.concat([start, next.value]);
  }
  return start;
}

type Utf16 = "utf-16le" | "utf-16be";

/** The Unicode Standard §23.8, byte order marks. */
function encodingOf(start: Uint8Array): {
  readonly utf16: Utf16 | null;
  readonly markBytes: number;
} {
  const [first, second, third] = start;
  if (first === 0xef && second === 0xbb && third === 0xbf) return { utf16: null, markBytes: 3 };
  if (first === 0xff && second === 0xfe) return { utf16: "utf-16le", markBytes: 2 };
  if (first === 0xfe && second === 0xff) return { utf16: "utf-16be", markBytes: 2 };
  return { utf16: null, markBytes: 0 };
}

type Decode = (chunk: Uint8Array | null) => Uint8Array;

/** Null ends the text: a half character at the end becomes U+FFFD. */
function utf16Decoder(encoding: Utf16): Decode {
  const decoder = new TextDecoder(encoding, { fatal: false, ignoreBOM: true });
  const encoder = new TextEncoder();
  return (chunk) =>
    encoder.encode(chunk === null ? decoder.decode() : decoder.decode(chunk, { stream: true }));
}

function* slices(decode: Decode | null, chunk: Uint8Array): Generator<Uint8Array> {
  for (const slice of sliced(chunk)) {
    if (decode === null) yield slice;
    else yield* sliced(decode(slice));
  }
}

function* sliced(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += UPLOAD_SLICE_BYTES) {
    yield bytes.subarray(at, at + UPLOAD_SLICE_BYTES);
  }
}
