/**
 * The body of an upload, from whatever the caller has: a file, text, bytes, a stream, or recipients
 * one by one. A stream is read only as fast as the network takes it, so that an upload needs the
 * memory of one piece, however long it is. Where requests can't be streamed it is gathered in a Blob
 * first, which a browser may keep on disk.
 */
import { CLIENT_UPLOAD_SLICE_CHARACTERS } from "../domain/limits.ts";
import { tellingStream } from "./telling-stream.ts";
import type { RecipientInput, UploadFormat } from "./types.ts";

export type FileBody = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

/** Recipients in the order in which they are to be read, from an array, a generator or a cursor. */
export type RecipientSource = Iterable<RecipientInput> | AsyncIterable<RecipientInput>;

/** The columns of a CSV that hold the address and the id, where they have other names. */
type Columns = { readonly emailColumn?: string; readonly idColumn?: string };

export type Upload =
  | (Columns & { readonly body: FileBody; readonly format: UploadFormat })
  /** A Blob, such as a File of a form, may say its format itself. */
  | (Columns & { readonly body: Blob; readonly format?: UploadFormat })
  | { readonly recipients: RecipientSource };

export type UploadBody = {
  readonly type: UploadFormat;
  /** Whether `open` gives the same again. */
  readonly canReadAgain: boolean;
  open(): Promise<FileBody | Blob>;
  /** Throws what the caller's own source has thrown; the network only says that it broke. */
  throwOwnFault(): void;
};

const FORMATS: readonly UploadFormat[] = ["text/csv", "application/x-ndjson", "application/json"];

/** @throws TypeError where the format is neither given nor known by the Blob */
export function uploadBody(upload: Upload, canStream: boolean): UploadBody {
  if ("recipients" in upload) return recipientsBody(upload.recipients, canStream);
  const { body, format } = upload;
  return fileBody(body, format ?? formatOf(body), canStream);
}

function formatOf(body: FileBody | Blob): UploadFormat {
  const said = body instanceof Blob ? (body.type.split(";")[0] ?? "").trim() : "";
  const format = FORMATS.find((each) => each === said);
  if (format !== undefined) return format;
  const why = said === "" ? "is missing" : `is none of ours: ${said}`;
  throw new TypeError(`format: it ${why}; give ${FORMATS.join(", ")}`);
}

/** A body whose format is known. */
export function fileBody(
  body: FileBody | Blob,
  type: UploadFormat,
  canStream: boolean,
): UploadBody {
  if (!(body instanceof ReadableStream)) {
    return { type, canReadAgain: true, open: async () => body, throwOwnFault: () => undefined };
  }
  const fault = new OwnFault();
  return streamBody(tellingStream(body, fault.keep), type, fault, canStream);
}

/** What has broken the caller's own source, where anything has. */
class OwnFault {
  #kept: { readonly error: unknown } | null = null;

  readonly keep = (error: unknown): unknown => {
    this.#kept = { error };
    return error;
  };

  readonly throw = (): void => {
    if (this.#kept !== null) throw this.#kept.error;
  };
}

function streamBody(
  stream: ReadableStream<Uint8Array>,
  type: UploadFormat,
  fault: OwnFault,
  canStream: boolean,
): UploadBody {
  return {
    type,
    canReadAgain: false,
    async open() {
      if (canStream) return stream;
      try {
        return await new Response(stream).blob();
      } catch (error) {
        fault.throw();
        throw error;
      }
    },
    throwOwnFault: fault.throw,
  };
}

function recipientsBody(recipients: RecipientSource, canStream: boolean): UploadBody {
  const fault = new OwnFault();
  return streamBody(ndjsonOf(recipients, fault.keep), "application/x-ndjson", fault, canStream);
}

/** One line for each, made when it is asked for. */
function ndjsonOf(
  recipients: RecipientSource,
  onFault: (error: unknown) => unknown,
): ReadableStream<Uint8Array> {
  const iterator = iteratorOf(recipients);
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { text, isEnd } = await nextSlice(iterator);
          if (text !== "") controller.enqueue(encoder.encode(text));
          if (isEnd) controller.close();
        } catch (error) {
          onFault(error);
          controller.error(error);
        }
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

type Source = Iterator<RecipientInput> | AsyncIterator<RecipientInput>;

function iteratorOf(recipients: RecipientSource): Source {
  if (Symbol.asyncIterator in recipients) return recipients[Symbol.asyncIterator]();
  return recipients[Symbol.iterator]();
}

async function nextSlice(iterator: Source): Promise<{ text: string; isEnd: boolean }> {
  let text = "";
  while (text.length < CLIENT_UPLOAD_SLICE_CHARACTERS) {
    const next = await iterator.next();
    if (next.done === true) return { text, isEnd: true };
    text += `${JSON.stringify(next.value)}\n`;
  }
  return { text, isEnd: false };
}
