/**
 * What an upload comes to, whatever its format: pages of enrolments and of rows that were refused,
 * or one refusal of the whole.
 *
 * A refusal may come after pages: what those held is enrolled then and stays so, since a repeat of
 * the corrected upload counts it as duplicates and completes the rest.
 */
import { ENROL_PAGE, UPLOAD_PAGE_BYTES } from "../domain/limits.ts";
import type { AddressRefusalCode } from "../domain/address.ts";
import type { Enrolment } from "../domain/enrolment.ts";

export type UploadFormat = "json" | "ndjson" | "csv";

/**
 * Names of the CSV columns that hold the address and the id; nothing said: `email` and `id`. Of
 * several names for the address, the first one that is there counts.
 */
export type ColumnMapping = { readonly email?: string | readonly string[]; readonly id?: string };

export type RowFaultCode =
  | AddressRefusalCode
  | "badId"
  | "badEmail"
  | "badData"
  | "dataTooLarge"
  | "dataTooDeep"
  | "unknownField"
  | "notAnObject"
  | "malformedJson"
  | "notUtf8"
  | "brokenQuote"
  | "recordTooLong"
  | "shortRow"
  | "longRow"
  | "unnamedColumn";

/** `line` is where the row begins, counted from 1; in a JSON body, the place of the recipient. */
export type InvalidRow = {
  readonly line: number;
  readonly code: RowFaultCode;
  readonly detail: string;
};

/** At most ENROL_PAGE rows, and about UPLOAD_PAGE_BYTES of the upload, in the order of lines. */
export type UploadPage = {
  readonly enrolments: readonly Enrolment[];
  readonly invalid: readonly InvalidRow[];
};

export type UploadRefusalCode =
  | "interrupted"
  | "emptyUpload"
  | "noRecipients"
  | "notUtf8"
  | "brokenHeader"
  | "duplicateColumn"
  | "noEmailColumn"
  | "noIdColumn"
  | "brokenQuotes"
  | "malformedJson"
  | "notRecipients"
  | "unknownField"
  | "recordTooLong";

/** The upload can't be read, or not any further. `line` is null where no line can be named. */
export class UploadRefusal extends Error {
  override readonly name = "UploadRefusal";
  readonly code: UploadRefusalCode;
  readonly detail: string;
  readonly line: number | null;

  constructor(code: UploadRefusalCode, detail: string, line: number | null = null) {
    super(`${code}: ${detail}`);
    this.code = code;
    this.detail = detail;
    this.line = line;
  }
}

/** Collects rows and says when a page of them is full. */
export class PageInMaking {
  #enrolments: Enrolment[] = [];
  #invalid: InvalidRow[] = [];
  #bytes = 0;

  /** `bytes` is how much of the upload the row took, which bounds the memory of a page. */
  add(row: Enrolment | InvalidRow, bytes: number): void {
    if ("code" in row) this.#invalid.push(row);
    else this.#enrolments.push(row);
    this.#bytes += bytes;
  }

  get isFull(): boolean {
    const rows = this.#enrolments.length + this.#invalid.length;
    return rows >= ENROL_PAGE || this.#bytes >= UPLOAD_PAGE_BYTES;
  }

  get isEmpty(): boolean {
    return this.#enrolments.length === 0 && this.#invalid.length === 0;
  }

  take(): UploadPage {
    const page = { enrolments: this.#enrolments, invalid: this.#invalid };
    this.#enrolments = [];
    this.#invalid = [];
    this.#bytes = 0;
    return page;
  }
}
