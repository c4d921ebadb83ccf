/**
 * Adds a list of suppressions that was kept elsewhere, a CSV of any size, page by page as it comes
 * in. Safe to repeat: an address that is there keeps the reason and the time it has.
 *
 * A row errs towards silence. Where its reason or time can't be read, the address is taken all the
 * same, for the reason that the request gives and as of now, and the answer names the line.
 */
import { readUpload, UploadRefusal, type UploadPage } from "../../audience/read-upload.ts";
import type { SuppressionEntry, SuppressionReason } from "../../campaign/rpc.ts";
import type { Enrolment } from "../../domain/enrolment.ts";
import type { Instant } from "../../domain/ids.ts";
import { MAX_PROBLEMS } from "../../domain/limits.ts";
import { SUPPRESSION_REASONS } from "../../domain/suppression.ts";
import { expectMediaType } from "../body.ts";
import { askOnce } from "../object-call.ts";
import { Refused } from "../problem.ts";
import type { Call } from "../route.ts";
import { invalidQuery } from "../schemas/query.ts";
import { suppressionReason } from "../schemas/suppression.ts";
import { parseTime } from "../time.ts";
import * as wire from "../wire.ts";
import { refusedUpload, withCount, type RowProblem } from "./refused-upload.ts";
import { bodyOf, expectHeaderLine } from "./upload.ts";

/** `email` names the column of the addresses; `reason` is for rows that give none. */
export const SUPPRESSION_IMPORT_PARAMETERS = ["email", "reason"] as const;

type Count = { added: number; already: number; invalid: number; problems: RowProblem[] };
type Defaults = { readonly reason: SuppressionReason; readonly at: Instant };

/** Answers when every campaign that may still mail knows of all of them (SPEC G6). */
export async function importSuppressions(call: Call): Promise<Response> {
  expectMediaType(call.request, ["text/csv"]);
  expectHeaderLine(call.request);
  const defaults = { reason: reasonOf(call.query), at: call.deps.now() };
  const columns = { email: call.query.get("email") ?? ["address", "email"] };
  const count: Count = { added: 0, already: 0, invalid: 0, problems: [] };
  try {
    for await (const page of readUpload(bodyOf(call.request), "csv", columns)) {
      await takePage(call, page, defaults, count);
    }
  } catch (error) {
    throw interrupted(error, count);
  }
  return wire.json(count);
}

function reasonOf(query: URLSearchParams): SuppressionReason {
  const given = query.get("reason");
  if (given === null) return "operator";
  const reason = suppressionReason(given);
  if (reason !== null) return reason;
  throw invalidQuery("reason", `has to be one of ${SUPPRESSION_REASONS.join(", ")}`);
}

async function takePage(
  { deps }: Call,
  page: UploadPage,
  defaults: Defaults,
  count: Count,
): Promise<void> {
  const problems: RowProblem[] = [...page.invalid];
  const entries = page.enrolments.map((row) => entryOf(row, defaults, problems));
  // Once: after a lost answer, a second ask would count those of the first as known.
  const added = await askOnce(() => deps.account().importSuppressions(entries));
  count.added += added;
  count.already += entries.length - added;
  count.invalid += page.invalid.length;
  const inOrder = problems.toSorted((left, right) => left.line - right.line);
  count.problems = [...count.problems, ...inOrder].slice(0, MAX_PROBLEMS);
}

function entryOf(row: Enrolment, defaults: Defaults, problems: RowProblem[]): SuppressionEntry {
  const { line, address, data } = row;
  const reason = suppressionReason(cell(data, "reason"));
  const at = timeOf(cell(data, "at"), defaults.at);
  if (reason === null && cell(data, "reason") !== "") {
    const detail = `The reason is none of ours; it is taken as ${defaults.reason}.`;
    problems.push({ line, code: "otherReason", detail });
  }
  if (at === null && cell(data, "at") !== "") {
    problems.push({
      line,
      code: "otherTime",
      detail: "The time can't be read; it is taken as now.",
    });
  }
  return { address, reason: reason ?? defaults.reason, at: at ?? defaults.at };
}

function cell(data: Enrolment["data"], name: string): string {
  const value = data[name];
  return typeof value === "string" ? value.trim() : "";
}

/** Null for what is no time, or is still to come. */
function timeOf(text: string, now: Instant): Instant | null {
  const parsed = parseTime(text);
  return parsed.ok && parsed.value <= now ? parsed.value : null;
}

function interrupted(error: unknown, count: Count): unknown {
  const stored = count.added + count.already > 0;
  if (error instanceof Refused) return stored ? withCount(error, count) : error;
  if (!(error instanceof UploadRefusal)) return error;
  const refusal = refusedUpload(error, stored);
  return stored ? withCount(refusal, count) : refusal;
}
