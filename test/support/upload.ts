/** Uploads for tests: a body cut into chunks of a chosen size, and what came of reading it. */
import { readUpload, UploadRefusal, type UploadFormat } from "../../src/audience/read-upload.ts";
import type { InvalidRow } from "../../src/audience/read-upload.ts";
import type { Enrolment } from "../../src/campaign/rpc.ts";

export type Options = { readonly email?: string; readonly id?: string; readonly chunk?: number };

export type Upload = {
  readonly enrolments: readonly Enrolment[];
  readonly invalid: readonly InvalidRow[];
  readonly pages: number;
  readonly refusal: UploadRefusal | null;
};

function bodyOf(content: string | Uint8Array, chunk = 1_000_000): ReadableStream<Uint8Array> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  let at = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at < bytes.length) controller.enqueue(bytes.slice(at, at + chunk));
      at += chunk;
      if (at >= bytes.length) controller.close();
    },
  });
}

export async function upload(
  format: UploadFormat,
  content: string | Uint8Array,
  options: Options = {},
): Promise<Upload> {
  const { chunk, ...mapping } = options;
  const enrolments: Enrolment[] = [];
  const invalid: InvalidRow[] = [];
  let pages = 0;
  try {
    for await (const page of readUpload(bodyOf(content, chunk), format, mapping)) {
      pages += 1;
      enrolments.push(...page.enrolments);
      invalid.push(...page.invalid);
    }
  } catch (error) {
    if (!(error instanceof UploadRefusal)) throw error;
    return { enrolments, invalid, pages, refusal: error };
  }
  return { enrolments, invalid, pages, refusal: null };
}

/** `line code` of each row that was refused. */
export function faults(read: Upload): readonly string[] {
  return read.invalid.map(({ line, code }) => `${line} ${code}`);
}

/** `line address` of each row that was taken. */
export function taken(read: Upload): readonly string[] {
  return read.enrolments.map(({ line, address }) => `${line} ${address}`);
}
