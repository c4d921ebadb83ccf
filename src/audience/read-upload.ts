/**
 * The door for uploads of recipients: bytes in, pages of checked enrolments out, in bounded memory
 * whatever the size. Nothing is read from the body while the caller deals with a page.
 */
import { unreachable } from "../domain/result.ts";
import { readCsv } from "./csv.ts";
import { readJson } from "./json.ts";
import { readNdjson } from "./ndjson.ts";
import { utf8Slices } from "./utf8.ts";
import type { ColumnMapping, UploadFormat, UploadPage } from "./upload.ts";

export { UploadRefusal } from "./upload.ts";
export type { InvalidRow, UploadFormat, UploadPage } from "./upload.ts";

/**
 * Throws UploadRefusal where the upload can't be read, or not any further; pages that were given
 * before stay valid, also where a body breaks off. `options` names CSV columns and says nothing to the
 * other formats.
 */
export function readUpload(
  body: ReadableStream<Uint8Array>,
  format: UploadFormat,
  options: ColumnMapping = {},
): AsyncIterable<UploadPage> {
  const slices = utf8Slices(body);
  switch (format) {
    case "csv":
      return readCsv(slices, options);
    case "ndjson":
      return readNdjson(slices);
    case "json":
      return readJson(slices);
    default:
      return unreachable(format);
  }
}
