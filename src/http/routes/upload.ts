/**
 * Adds recipients from a file of any size, page by page as it comes in. A repeated upload finds its
 * own rows as duplicates and completes the rest (SPEC G7, C24).
 */
import { readUpload, type UploadFormat } from "../../audience/read-upload.ts";
import { assert } from "../../domain/result.ts";
import { expectMediaType, mediaParameter, mediaType } from "../body.ts";
import { enrolPages } from "./enrol-pages.ts";
import { Refused } from "../problem.ts";
import type { Call } from "../route.ts";
import { campaignOf } from "./named.ts";

/** `email` and `id` name the columns of a CSV that hold them. */
export const UPLOAD_PARAMETERS = ["email", "id"] as const;

const FORMATS: Readonly<Record<string, UploadFormat>> = {
  "application/json": "json",
  "application/x-ndjson": "ndjson",
  "text/csv": "csv",
};

export async function uploadRecipients(call: Call): Promise<Response> {
  const campaign = campaignOf(call);
  const format = formatOf(call.request);
  return enrolPages(campaign, () => {
    return readUpload(bodyOf(call.request), format, columns(call.query));
  });
}

function formatOf(request: Request): UploadFormat {
  expectMediaType(request, Object.keys(FORMATS));
  expectHeaderLine(request);
  const format = FORMATS[mediaType(request)];
  assert(format !== undefined, "another media type was refused");
  return format;
}

/** RFC 4180 §3: the parameter may say that there is no header line. */
export function expectHeaderLine(request: Request): void {
  if (mediaParameter(request, "header") === "absent") {
    throw new Refused("unsupportedMediaType", "The CSV has to have a header line.");
  }
}

export function bodyOf(request: Request): ReadableStream<Uint8Array> {
  return request.body ?? new Blob([]).stream();
}

function columns(query: URLSearchParams): { email?: string; id?: string } {
  const email = query.get("email");
  const id = query.get("id");
  return { ...(email === null ? {} : { email }), ...(id === null ? {} : { id }) };
}
