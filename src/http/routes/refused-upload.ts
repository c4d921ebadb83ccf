/**
 * What is told where an upload stops being readable half-way: why, at which line, and how much of it is
 * stored by then, so that whoever sent it knows that it is safe to send it again.
 */
import type { UploadRefusal } from "../../audience/read-upload.ts";
import { Refused } from "../problem.ts";

/** A row that an answer names, such as one that was left out. */
export type RowProblem = { readonly line: number; readonly code: string; readonly detail: string };

/** @param isStored whether something of the upload is stored by now */
export function refusedUpload({ code, detail, line }: UploadRefusal, isStored: boolean): Refused {
  const place = line === null ? "" : ` (line ${line})`;
  const whole = code === "recordTooLong" ? "tooLarge" : "invalidUpload";
  return new Refused(isStored ? "uploadInterrupted" : whole, `${detail}${place}`, {
    evidence: { line, reason: code },
  });
}

/** The same refusal, with the counts of what is stored. */
export function withCount({ code, message, extra }: Refused, count: object): Refused {
  const detail = `${message} What came before is stored; it is safe to repeat the upload.`;
  return new Refused(code, detail, { ...extra, evidence: { ...extra.evidence, ...count } });
}
