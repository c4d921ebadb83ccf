/**
 * CSV bytes to records with the line each begins on, going on after broken quotes.
 *
 * csv-parse does the parsing. Two things it can't do are done around it. It counts the lines inside
 * quotes twice where they end in CRLF, so lines are counted here. And after a broken quote it
 * can't tell where the next record begins: a quote that is opened and never closed would swallow
 * all that follows. So the bytes since the end of the last whole record are kept; on an error the
 * first line of them is given up by number, and parsing starts anew on the next line. Kept bytes
 * are bounded by the bound of a record, and reading twice by MAX_CSV_SWALLOWS.
 */
import { parse, type Parser } from "csv-parse";
import { MAX_CSV_SWALLOWS, MAX_RECORD_BYTES } from "../domain/limits.ts";
import { invalidRow } from "./recipient-row.ts";
import { UploadRefusal, type InvalidRow } from "./upload.ts";

export type CsvRecord = {
  readonly line: number;
  readonly fields: readonly string[];
  readonly bytes: number;
};

/** All line ends at once, so that a file of mixed origin is read as it looks. */
const LINE_ENDS = ["\r\n", "\n", "\r"];
const LINE_END = /\r\n|\n|\r/g;
const LF = 10;
const CR = 13;

export class CsvRecords {
  readonly #delimiter: string;
  #parser: Parser;
  /** What the parser has been given since the end of the last whole record. */
  #open: Uint8Array = new Uint8Array(0);
  /** Where, for the parser, `#open` begins, and where the last whole record ended. */
  #openFrom = 0;
  #recordEnd = 0;
  #linesAtRecordEnd = 1;
  #line = 1;
  #broken = false;
  #swallows = 0;
  #found: (CsvRecord | InvalidRow)[] = [];

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
    this.#parser = this.#startParser();
  }

  /** Takes the next bytes; gives the records and broken lines that they complete. */
  async feed(bytes: Uint8Array): Promise<readonly (CsvRecord | InvalidRow)[]> {
    this.#open = this.#open.length === 0 ? bytes : Buffer.concat([this.#open, bytes]);
    if (!this.#broken) await this.#parse(bytes);
    while (this.#broken && (await this.#giveUpLine(false)));
    return this.#take();
  }

  /** Takes the end of the file. */
  async end(): Promise<readonly (CsvRecord | InvalidRow)[]> {
    do {
      while (this.#broken && (await this.#giveUpLine(true)));
      await this.#tell((parser, done) => parser.end(done));
    } while (this.#broken);
    return this.#take();
  }

  #take(): readonly (CsvRecord | InvalidRow)[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  #startParser(): Parser {
    this.#openFrom = 0;
    this.#recordEnd = 0;
    this.#linesAtRecordEnd = 1;
    const parser = parse({
      delimiter: this.#delimiter,
      record_delimiter: LINE_ENDS,
      relax_column_count: true,
      max_record_size: MAX_RECORD_BYTES,
      // A record is taken here, not from the readable side, which costs as much as the parsing.
      on_record: (fields: string[], at) => {
        this.#onRecord(fields, at.bytes, at.lines);
        return null;
      },
    });
    // What goes wrong is told by the callback of the write; without a listener it would throw.
    parser.on("error", () => undefined);
    return parser;
  }

  #onRecord(fields: string[], end: number, lines: number): void {
    const bytes = end - this.#recordEnd;
    const line = this.#line;
    this.#recordEnd = end;
    this.#linesAtRecordEnd = lines;
    this.#line += 1 + lineEndsIn(fields);
    const isBlank = fields.length === 1 && fields[0]?.trim() === "";
    if (isBlank) return;
    this.#found.push(bytes > MAX_RECORD_BYTES ? tooLong(line) : { line, fields, bytes });
  }

  async #parse(bytes: Uint8Array): Promise<void> {
    await this.#tell((parser, done) => parser.write(bytes, done));
    this.#open = this.#open.subarray(this.#recordEnd - this.#openFrom);
    this.#openFrom = this.#recordEnd;
    // A record of nothing but delimiters is bounded by no size of its fields.
    if (this.#open.length > 2 * MAX_RECORD_BYTES) this.#broken = true;
  }

  async #tell(
    act: (parser: Parser, done: (error?: Error | null) => void) => unknown,
  ): Promise<void> {
    const parser = this.#parser;
    const failed = await new Promise<boolean>((resolve) => {
      act(parser, (error) => resolve(error !== null && error !== undefined));
    });
    if (failed) this.#broken = true;
  }

  /** False where the end of the broken line has not come yet. */
  async #giveUpLine(isLast: boolean): Promise<boolean> {
    const length = lineLength(this.#open, isLast);
    if (length === null) {
      // Only how long it is matters any more, and whether it ends in the middle of CRLF.
      if (this.#open.length > 2 * MAX_RECORD_BYTES) {
        this.#open = this.#open.slice(-MAX_RECORD_BYTES - 1);
      }
      return false;
    }
    this.#countSwallow();
    const line = this.#line;
    this.#found.push(length > MAX_RECORD_BYTES ? tooLong(line) : brokenQuote(line));
    this.#line += 1;
    const rest = this.#open.subarray(length);
    this.#open = rest;
    this.#broken = false;
    this.#parser = this.#startParser();
    if (rest.length > 0) await this.#parse(rest);
    return true;
  }

  /** Reading on behind one bad line is cheap; reading again what a quote had swallowed is not. */
  #countSwallow(): void {
    const ranOver = this.#parser.info.lines - this.#linesAtRecordEnd > 1;
    if (ranOver) this.#swallows += 1;
    if (this.#swallows <= MAX_CSV_SWALLOWS) return;
    const detail = `More than ${MAX_CSV_SWALLOWS} rows open a quote and do not close it.`;
    throw new UploadRefusal("brokenQuotes", detail, this.#line);
  }
}

function lineEndsIn(fields: readonly string[]): number {
  let ends = 0;
  for (const field of fields) {
    if (field.includes("\n") || field.includes("\r")) ends += field.match(LINE_END)?.length ?? 0;
  }
  return ends;
}

/** The bytes of the first line with its end; null while that can't be told. */
function lineLength(bytes: Uint8Array, isLast: boolean): number | null {
  const lf = bytes.indexOf(LF);
  const cr = (lf === -1 ? bytes : bytes.subarray(0, lf)).indexOf(CR);
  if (cr !== -1 && cr + 1 === bytes.length && !isLast) return null;
  if (cr !== -1) return bytes[cr + 1] === LF ? cr + 2 : cr + 1;
  if (lf !== -1) return lf + 1;
  return isLast ? bytes.length : null;
}

function tooLong(line: number): InvalidRow {
  return invalidRow(line, "recordTooLong", `A row has at most ${MAX_RECORD_BYTES} bytes.`);
}

function brokenQuote(line: number): InvalidRow {
  const detail = 'A field that holds a quote must be in quotes, with the quote doubled: "a ""b""".';
  return invalidRow(line, "brokenQuote", detail);
}
