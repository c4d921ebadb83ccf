/**
 * `application/json`, `{ "recipients": […] }`, to pages of enrolments.
 *
 * A body of up to MAX_JSON_BODY_BYTES is parsed whole before anybody is enrolled, so that a
 * malformed one changes nothing. A larger one can't be held, so it is parsed as it comes, and a
 * fault far inside it is found when earlier pages are stored already: the refusal then says where
 * reading stopped, and repeating the corrected upload is safe.
 */
import { JSONParser } from "@streamparser/json";
import { jsonFault } from "../domain/json-fault.ts";
import { MAX_JSON_BODY_BYTES, MAX_RECORD_BYTES } from "../domain/limits.ts";
import { isObject } from "../domain/is-object.ts";
import { kindOf, readRecipient, shorten } from "./recipient-row.ts";
import { PageInMaking, UploadRefusal, type UploadPage } from "./upload.ts";

const SHAPE = 'The body must be {"recipients": [{"email": "…"}, …]}';
/** Small, because a value under way is only looked at between two steps. */
const STEP_BYTES = 16_384;

export async function* readJson(slices: AsyncIterable<Uint8Array>): AsyncGenerator<UploadPage> {
  const held: Uint8Array[] = [];
  let bytes = 0;
  let stream: RecipientStream | null = null;
  for await (const slice of slices) {
    if (stream === null) {
      // The caller of the slices may use their memory again.
      held.push(slice.slice());
      bytes += slice.length;
      if (bytes <= MAX_JSON_BODY_BYTES) continue;
      stream = new RecipientStream();
      for (const each of held.splice(0)) yield* stream.feed(each);
    } else {
      yield* stream.feed(slice);
    }
  }
  yield* stream === null ? readWhole(Buffer.concat(held)) : stream.end();
}

function* readWhole(bytes: Uint8Array): Generator<UploadPage> {
  const recipients = recipientsOf(parseWhole(bytes));
  const page = new PageInMaking();
  const bytesEach = Math.ceil(bytes.length / (recipients.length + 1));
  for (const [index, value] of recipients.entries()) {
    page.add(readRecipient(index + 1, value), bytesEach);
    if (page.isFull) yield page.take();
  }
  if (!page.isEmpty) yield page.take();
}

function parseWhole(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UploadRefusal("notUtf8", "The body holds bytes that are not UTF-8.");
  }
  try {
    return JSON.parse(text);
  } catch {
    const { offset, line, column } = jsonFault(text);
    const where = offset >= text.length ? "ends too early" : `is not JSON at column ${column}`;
    throw new UploadRefusal("malformedJson", `The body ${where}.`, line);
  }
}

function recipientsOf(body: unknown): readonly unknown[] {
  if (!isObject(body)) throw wrongShape(`; it is ${kindOf(body)}`);
  const { recipients, ...rest } = body;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw unknownField(unknown);
  if (!Array.isArray(recipients)) throw wrongShape(`; "recipients" is ${kindOf(recipients)}`);
  return recipients;
}

function wrongShape(what: string): UploadRefusal {
  return new UploadRefusal("notRecipients", `${SHAPE}${what}.`);
}

function unknownField(field: string): UploadRefusal {
  const detail = `The body has a field "${shorten(field)}" beside "recipients"; remove it.`;
  return new UploadRefusal("unknownField", detail);
}

/** Recipients out of a body too large to hold; of it, one value is in memory at a time. */
class RecipientStream {
  readonly #parser = new JSONParser({ paths: ["$.*", "$.recipients.*"], keepStack: false });
  readonly #utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  readonly #page = new PageInMaking();
  readonly #ready: UploadPage[] = [];
  #count = 0;
  #bytes = 0;
  #bytesAtLastValue = 0;
  #sawRecipients = false;

  constructor() {
    this.#parser.onValue = ({ value, key, parent, stack }): void => {
      this.#bytesAtLastValue = this.#bytes;
      if (stack.length === 1) this.#onField(key, value);
      else this.#onRecipient(value, parent);
    };
  }

  *feed(slice: Uint8Array): Generator<UploadPage> {
    this.#check(slice);
    for (let at = 0; at < slice.length; at += STEP_BYTES) {
      const step = slice.subarray(at, at + STEP_BYTES);
      this.#bytes += step.length;
      this.#step(step);
      yield* this.#ready.splice(0);
    }
  }

  *end(): Generator<UploadPage> {
    if (!this.#parser.isEnded) throw this.#malformed();
    if (!this.#sawRecipients) throw wrongShape("");
    if (!this.#page.isEmpty) yield this.#page.take();
  }

  #step(step: Uint8Array): void {
    try {
      this.#parser.write(step);
    } catch (error) {
      throw error instanceof UploadRefusal ? error : this.#malformed();
    }
    if (this.#bytes - this.#bytesAtLastValue <= MAX_RECORD_BYTES + STEP_BYTES) return;
    const detail = `Recipient ${this.#count + 1} has more than ${MAX_RECORD_BYTES} bytes.`;
    throw new UploadRefusal("recordTooLong", detail, this.#count + 1);
  }

  #onField(key: unknown, value: unknown): void {
    if (key !== "recipients") {
      throw typeof key === "string" ? unknownField(key) : wrongShape("; it is an array");
    }
    if (!Array.isArray(value)) throw wrongShape(`; "recipients" is ${kindOf(value)}`);
    this.#sawRecipients = true;
  }

  #onRecipient(value: unknown, parent: unknown): void {
    if (!Array.isArray(parent)) throw wrongShape('; "recipients" is an object');
    // The parser keeps what it has emitted in the array around it, which would grow for ever.
    parent.length = 0;
    this.#count += 1;
    this.#page.add(readRecipient(this.#count, value), JSON.stringify(value).length);
    if (this.#page.isFull) this.#ready.push(this.#page.take());
  }

  #check(slice: Uint8Array): void {
    try {
      this.#utf8.decode(slice, { stream: true });
    } catch {
      const detail = `The body holds bytes that are not UTF-8 after recipient ${this.#count}.`;
      throw new UploadRefusal("notUtf8", detail, this.#count + 1);
    }
  }

  #malformed(): UploadRefusal {
    const where = `after recipient ${this.#count}, before byte ${this.#bytes + 1}`;
    return new UploadRefusal(
      "malformedJson",
      `The body is not valid JSON ${where}.`,
      this.#count + 1,
    );
  }
}
