/** STUB until the branch `message` is merged: that branch's file of this name replaces it. */
import type { Enrolment } from "../campaign/rpc.ts";

export type UploadFormat = "json" | "ndjson" | "csv";
export type InvalidRow = { readonly line: number; readonly code: string; readonly detail: string };
export type UploadPage = {
  readonly enrolments: readonly Enrolment[];
  readonly invalid: readonly InvalidRow[];
};

export class UploadRefusal extends Error {
  readonly code: string;
  readonly detail: string;
  readonly line: number | null;

  constructor(code: string, detail: string, line: number | null) {
    super(detail);
    this.code = code;
    this.detail = detail;
    this.line = line;
  }
}

export async function* readUpload(
  body: ReadableStream<Uint8Array>,
  format: UploadFormat,
  _options: { email?: string; id?: string },
): AsyncIterable<UploadPage> {
  await body.cancel();
  yield { enrolments: [], invalid: [] };
  throw new UploadRefusal("stub", `This build reads no ${format} yet.`, null);
}
