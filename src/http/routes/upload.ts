/**
 * Adds recipients from a file of any size, page by page as it comes in. Each page is one
 * transaction of the object, so that what an answer counts is stored, and a repeated upload
 * finds its own rows as duplicates and completes the rest (SPEC G7, C24).
 */
import { readUpload, UploadRefusal, type UploadFormat } from "../../audience/read-upload.ts";
import type { UploadPage } from "../../audience/read-upload.ts";
import type { Enrolment, EnrolReport } from "../../campaign/rpc.ts";
import { MAX_PROBLEMS } from "../../domain/limits.ts";
import { expectMediaType, mediaParameter, mediaType } from "../body.ts";
import { Refused } from "../problem.ts";
import { granted } from "../refusal.ts";
import type { Call } from "../route.ts";
import * as wire from "../wire.ts";
import { campaignOf, type NamedCampaign } from "./named.ts";

/** `email` and `id` name the columns of a CSV that hold them. */
export const UPLOAD_PARAMETERS = ["email", "id"] as const;

const FORMATS: Readonly<Record<string, UploadFormat>> = {
  "application/json": "json",
  "application/x-ndjson": "ndjson",
  "text/csv": "csv",
};

type Problem = { readonly line: number; readonly code: string; readonly detail: string };
type Count = {
  added: number;
  duplicates: number;
  suppressed: number;
  invalid: number;
  total: number;
  problems: readonly Problem[];
};

export async function uploadRecipients(call: Call): Promise<Response> {
  const campaign = campaignOf(call);
  const format = formatOf(call.request);
  // Nobody yet: a campaign that is missing or has started refuses before the body is read.
  const { total } = await enrol(campaign, []);
  const count: Count = {
    added: 0,
    duplicates: 0,
    suppressed: 0,
    invalid: 0,
    total,
    problems: [],
  };
  try {
    for await (const page of readUpload(bodyOf(call.request), format, columns(call.query))) {
      await takePage(campaign, page, count);
    }
  } catch (error) {
    throw interrupted(error, count);
  }
  return wire.json(count);
}

function formatOf(request: Request): UploadFormat {
  expectMediaType(request, Object.keys(FORMATS));
  // RFC 4180 §3: the parameter may say that there is no header line.
  if (mediaParameter(request, "header") === "absent") {
    throw new Refused("unsupportedMediaType", "The CSV has to have a header line.");
  }
  return FORMATS[mediaType(request)] ?? "json";
}

function bodyOf(request: Request): ReadableStream<Uint8Array> {
  return request.body ?? new Blob([]).stream();
}

function columns(query: URLSearchParams): { email?: string; id?: string } {
  const email = query.get("email");
  const id = query.get("id");
  return { ...(email === null ? {} : { email }), ...(id === null ? {} : { id }) };
}

async function takePage(campaign: NamedCampaign, page: UploadPage, count: Count): Promise<void> {
  const report = page.enrolments.length === 0 ? null : await enrol(campaign, page.enrolments);
  count.added += report?.added ?? 0;
  count.duplicates += report?.duplicates ?? 0;
  count.suppressed += report?.suppressed ?? 0;
  count.invalid += page.invalid.length;
  count.total = report?.total ?? count.total;
  const found = [...page.invalid, ...(report?.problems ?? [])];
  const inOrder = found.toSorted((left, right) => left.line - right.line);
  count.problems = [...count.problems, ...inOrder].slice(0, MAX_PROBLEMS);
}

/**
 * A page with rows is asked once: a second ask after a lost answer would count the rows that the
 * first has added as duplicates. The empty one counts nothing and may be asked again.
 */
async function enrol(campaign: NamedCampaign, page: readonly Enrolment[]): Promise<EnrolReport> {
  const ask = page.length === 0 ? "again" : "once";
  return granted(await campaign[ask]((object) => object.enrol(page)));
}

/** What stopped the upload, with the counts where something has been stored by then. */
function interrupted(error: unknown, count: Count): unknown {
  const stored = count.added + count.duplicates + count.suppressed > 0;
  if (error instanceof Refused) return stored ? withCount(error, count) : error;
  if (!(error instanceof UploadRefusal)) return error;
  const place = error.line === null ? "" : ` (line ${error.line})`;
  const evidence = { line: error.line, reason: error.code };
  if (stored) {
    const refusal = new Refused("uploadInterrupted", `${error.detail}${place}`, { evidence });
    return withCount(refusal, count);
  }
  const code = error.code === "recordTooLong" ? "tooLarge" : "invalidUpload";
  return new Refused(code, `${error.detail}${place}`, { evidence });
}

function withCount({ code, message, extra }: Refused, count: Count): Refused {
  const detail = `${message} What came before is stored; it is safe to repeat the upload.`;
  return new Refused(code, detail, { ...extra, evidence: { ...extra.evidence, ...count } });
}
