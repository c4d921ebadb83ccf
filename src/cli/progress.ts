/** How much of a file has gone out, by bytes: a bar for a person, nothing for a pipe. */
import { bar, bytes, percent } from "./format.ts";
import type { Io } from "./io.ts";

const CLEAR_LINE = "\r\u001B[2K";
const BAR_COLUMNS = 32;
const EVERY_MILLISECONDS = 100;

/** @param total null where the size is unknown, as of a pipe */
export function withProgress(
  body: ReadableStream<Uint8Array>,
  total: number | null,
  io: Io,
): ReadableStream<Uint8Array> {
  if (!io.errIsTerminal) return body;
  let sent = 0;
  let shownAt = Number.NEGATIVE_INFINITY;
  const show = (): void => {
    shownAt = io.now();
    const part = total === null ? "" : `${bar(sent / Math.max(total, 1), BAR_COLUMNS)}  `;
    const of = total === null ? "" : ` of ${bytes(total)}  ${percent(sent, total)}`;
    io.err(`${CLEAR_LINE}${part}${bytes(sent)}${of}`);
  };
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk);
      sent += chunk.length;
      if (io.now() - shownAt >= EVERY_MILLISECONDS) show();
    },
    flush() {
      show();
      io.err("\n");
    },
  });
  return body.pipeThrough(counter);
}
