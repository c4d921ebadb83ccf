/**
 * `application/x-ndjson` (one JSON value a line) to pages of enrolments. Each line stands for
 * itself: one that can't be read is named, and the next is read as if nothing had been.
 */
import { MAX_RECORD_BYTES } from "../domain/limits.ts";
import type { Enrolment } from "../domain/enrolment.ts";
import { invalidRow, readRecipient } from "./recipient-row.ts";
import { PageInMaking, type InvalidRow, type UploadPage } from "./upload.ts";

const LF = 10;

export async function* readNdjson(slices: AsyncIterable<Uint8Array>): AsyncGenerator<UploadPage> {
  const page = new PageInMaking();
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let line = 0;
  for await (const bytes of linesOf(slices)) {
    line += 1;
    const row = readLine(line, bytes, decoder);
    if (row === null) continue;
    page.add(row, bytes.length);
    if (page.isFull) yield page.take();
  }
  if (!page.isEmpty) yield page.take();
}

/** Lines without their LF. Of one that is too long, only enough is kept to show that it is. */
async function* linesOf(slices: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let open: Uint8Array = new Uint8Array(0);
  for await (const slice of slices) {
    let from = 0;
    for (let end = slice.indexOf(LF); end !== -1; end = slice.indexOf(LF, from)) {
      yield joined(open, slice.subarray(from, end));
      open = new Uint8Array(0);
      from = end + 1;
    }
    open = joined(open, slice.subarray(from));
  }
  if (open.length > 0) yield open;
}

function joined(open: Uint8Array, next: Uint8Array): Uint8Array {
  if (open.length === 0) return next;
  return open.length > MAX_RECORD_BYTES ? open : Buffer.concat([open, next]);
}

/** Null for a blank line. */
function readLine(
  line: number,
  bytes: Uint8Array,
  decoder: TextDecoder,
): Enrolment | InvalidRow | null {
  if (bytes.length > MAX_RECORD_BYTES) {
    return invalidRow(line, "recordTooLong", `A line has at most ${MAX_RECORD_BYTES} bytes.`);
  }
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return invalidRow(line, "notUtf8", "The line holds bytes that are not UTF-8.");
  }
  if (text.trim() === "") return null;
  try {
    return readRecipient(line, JSON.parse(text));
  } catch {
    const detail = 'The line is not valid JSON; write one object a line, like {"email": "…"}.';
    return invalidRow(line, "malformedJson", detail);
  }
}
