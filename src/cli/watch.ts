/**
 * Shows a campaign until it is over: redrawn in place where a person looks, and one line for each
 * change otherwise, a second apart at the least, but never without a change of state.
 */
import type { DeliveryStatus, LiveMessage } from "../client/types.ts";
import { isOver } from "../client/watch.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { clock, count, duration, settled, some } from "./format.ts";
import type { Io } from "./io.ts";
import { progressBar, progressText } from "./status-text.ts";

export type Display = {
  show(status: DeliveryStatus): Promise<void>;
  /** What was held back; after it nothing is shown any more. */
  end(): Promise<void>;
};

const CLEAR_LINE = "\r\u001B[2K";

export function redrawing(io: Io): Display {
  return {
    show: (status) => io.out(CLEAR_LINE + progressBar(status, io.columns(), io.now())),
    end: () => io.out("\n"),
  };
}

/** @param everyMilliseconds between two lines that differ in their numbers only */
export function lineByLine(io: Io, everyMilliseconds: number): Display {
  let last: { readonly text: string; readonly state: string; readonly at: number } | null = null;
  let held: DeliveryStatus | null = null;
  const write = async (status: DeliveryStatus): Promise<void> => {
    held = null;
    const text = progressText(status);
    if (text === last?.text) return;
    last = { text, state: status.state, at: io.now() };
    await io.out(`${clock(last.at)}  ${text}\n`);
  };
  return {
    async show(status) {
      const isNews = last === null || last.state !== status.state;
      const isTime = last === null || io.now() - last.at >= everyMilliseconds;
      if (isNews || isTime) await write(status);
      else held = status;
    },
    async end() {
      if (held !== null) await write(held);
    },
  };
}

/** One JSON status a line, each that comes. */
export function jsonLines(io: Io): Display {
  return {
    show: (status) => io.out(`${JSON.stringify(status)}\n`),
    end: () => Promise.resolve(),
  };
}

/** Follows a campaign to the end. Null: the messages ended before the campaign did. */
export async function follow(
  messages: AsyncIterable<LiveMessage>,
  display: Display,
): Promise<DeliveryStatus | null> {
  for await (const message of messages) {
    // What an event tells, the status beside it tells too.
    if (message.type === "event") continue;
    const { status } = message;
    await display.show(status);
    if (!isOver(status)) continue;
    await display.end();
    return status;
  }
  await display.end();
  return null;
}

/** The last line: what it came to, and what is left to look at. */
export function verdict(status: DeliveryStatus): { text: string; code: ExitCode } {
  const { stats, startedAt, finishedAt, campaignId, duplicatesPrevented } = status;
  const seconds =
    startedAt === null || finishedAt === null
      ? null
      : (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000;
  const took = seconds === null ? "" : ` in ${duration(seconds)}`;
  const prevented =
    duplicatesPrevented > 0 ? `, ${some(duplicatesPrevented, "duplicate")} prevented` : "";
  const isClean = status.state === "finished" && stats.failed === 0 && stats.inDoubt === 0;
  const rest = settled(status) - stats.sent;
  const others = rest > 0 ? `, ${count(rest)} not` : "";
  return {
    text: `${campaignId} ${status.state}: ${count(stats.sent)} sent${others}${took}${prevented}.\n`,
    code: isClean ? EXIT.ok : EXIT.attention,
  };
}
