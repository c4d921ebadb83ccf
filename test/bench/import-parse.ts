/**
 * How fast an upload is parsed and checked, and in how much memory (case C72): 1,000,000 rows of
 * CSV, made while they are read, so that none of it but the parser's own share is in memory.
 *
 *   node test/bench/import-parse.ts [rows] [csv|ndjson|json]
 */
import { readUpload, type UploadFormat } from "../../src/audience/read-upload.ts";

const CHUNK_ROWS = 1_000;

const rows = Number(process.argv[2] ?? 1_000_000);
const format = (process.argv[3] ?? "csv") as UploadFormat;

const writers: Record<UploadFormat, { start: string; row: (at: number) => string; end: string }> = {
  csv: {
    start: "id,email,firstName,lastName,city,plan\r\n",
    row: (at) => `u_${at},Ada.${at}@example.org,Ada,"Lovelace, ${at}",Zürich,pro\r\n`,
    end: "",
  },
  ndjson: { start: "", row: (at) => `${recipient(at)}\n`, end: "" },
  json: {
    start: '{"recipients":[',
    row: (at) => `${at === 0 ? "" : ","}${recipient(at)}`,
    end: "]}",
  },
};

function recipient(at: number): string {
  const data = { firstName: "Ada", lastName: `Lovelace, ${at}`, city: "Zürich", plan: "pro" };
  return JSON.stringify({ id: `u_${at}`, email: `Ada.${at}@example.org`, data });
}

function upload(): ReadableStream<Uint8Array> {
  const { start, row, end } = writers[format];
  const encoder = new TextEncoder();
  let at = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const from = at;
      at = Math.min(rows, at + CHUNK_ROWS);
      const text = Array.from({ length: at - from }, (_, offset) => row(from + offset)).join("");
      const isLast = at === rows;
      controller.enqueue(encoder.encode(`${from === 0 ? start : ""}${text}${isLast ? end : ""}`));
      if (isLast) controller.close();
    },
  });
}

const began = performance.now();
let enrolments = 0;
let invalid = 0;
for await (const page of readUpload(upload(), format, {})) {
  enrolments += page.enrolments.length;
  invalid += page.invalid.length;
}
const seconds = (performance.now() - began) / 1_000;
const peakMegabytes = process.resourceUsage().maxRSS / 1_024;
console.log(
  JSON.stringify({
    format,
    rows,
    enrolments,
    invalid,
    seconds: Number(seconds.toFixed(2)),
    rowsPerSecond: Math.round(rows / seconds),
    peakMegabytes: Math.round(peakMegabytes),
  }),
);
