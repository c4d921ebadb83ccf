/** A campaign's status in words: whole, and as one line of a run that is watched. */
import type { DeliveryStatus } from "../client/types.ts";
import { bar, clock, count, duration, moment, percent, plain, settled, some } from "./format.ts";

/** `paused (operator: Paused by the operator.)` */
function stateText({ state, pause }: DeliveryStatus): string {
  return pause === null ? state : `${state} (${pause.reason}: ${plain(pause.detail)})`;
}

/** Everything, one fact a line. Zeros that are no news are left out. */
export function statusText(status: DeliveryStatus): string {
  const { stats, feedback } = status;
  const lines = [
    `${status.campaignId}: ${stateText(status)}`,
    `  ${count(stats.sent)} of ${count(stats.total)} sent (${percent(stats.sent, stats.total)})`,
    ...facts([
      [stats.remaining, "remaining"],
      [stats.reserved, "in flight"],
      [stats.failed, "failed"],
      [stats.suppressed, "suppressed"],
      [stats.inDoubt, "in doubt"],
      [stats.cancelled, "cancelled"],
    ]),
    ...facts([
      [feedback.delivered, "delivered"],
      [feedback.delayed, "delayed"],
      [feedback.bounced, "bounced"],
      [feedback.complained, "complained"],
    ]),
    ...facts([
      [status.duplicatesPrevented, "prevented duplicate", some],
      [status.deadLetters, "dead letter", some],
    ]),
    ...timesOf(status),
    ...nextSteps(status),
  ];
  return `${lines.join("\n")}\n`;
}

/** A number and what it is of. Without a third, that is no noun, and the same for every number. */
type Fact = readonly [value: number, of: string, say?: (value: number, of: string) => string];

function facts(numbers: readonly Fact[]): string[] {
  const said = numbers.filter(([value]) => value > 0);
  const texts = said.map(([value, of, say]) => say?.(value, of) ?? `${count(value)} ${of}`);
  return texts.length === 0 ? [] : [`  ${texts.join(", ")}`];
}

function timesOf(status: DeliveryStatus): string[] {
  const { startedAt, finishedAt, expectedFinishAt, ratePerSecond } = status;
  const times = [
    startedAt === null ? null : `started ${moment(startedAt)}`,
    finishedAt === null ? null : `ended ${moment(finishedAt)}`,
    ratePerSecond > 0 ? `${ratePerSecond.toFixed(1)} a second` : null,
    expectedFinishAt === null ? null : `ends about ${moment(expectedFinishAt)}`,
  ].filter((text) => text !== null);
  return times.length === 0 ? [] : [`  ${times.join(", ")}`];
}

/** What a person may want to do now. */
function nextSteps({ campaignId, state, stats, pause }: DeliveryStatus): string[] {
  const steps: string[] = [];
  const add = (why: string, command: string): number => steps.push(`  ${why}: sendonce ${command}`);
  if (pause !== null) add("to go on", `resume ${campaignId}`);
  if (state === "draft" && stats.total === 0) add("to add recipients", `import ${campaignId} FILE`);
  else if (state === "draft") add("to look it over", `preflight ${campaignId}`);
  if (stats.failed > 0) add("who failed and why", `recipients ${campaignId} --status failed`);
  if (stats.inDoubt > 0) add("who is in doubt", `recipients ${campaignId} --status inDoubt`);
  return steps;
}

/** Who is neither sent nor still to be sent, as a short list; empty where there is nobody. */
function troubles({ stats, deadLetters }: DeliveryStatus): string[] {
  return facts([
    [stats.failed, "failed"],
    [stats.inDoubt, "in doubt"],
    [stats.cancelled, "cancelled"],
    [deadLetters, "dead letter", some],
  ]).map((text) => text.trim());
}

/** `sending  7,890 of 12,480 (63.2 %)  120 in flight  940.5/s  ends 10:32:05Z  12 failed` */
export function progressText(status: DeliveryStatus): string {
  const { stats, ratePerSecond, expectedFinishAt } = status;
  const done = settled(status);
  const isSending = status.state === "sending";
  const parts = [
    stateText(status),
    `${count(done)} of ${count(stats.total)} (${percent(done, stats.total)})`,
    stats.reserved > 0 ? `${count(stats.reserved)} in flight` : null,
    isSending && ratePerSecond > 0 ? `${ratePerSecond.toFixed(1)}/s` : null,
    expectedFinishAt === null ? null : `ends ${clock(expectedFinishAt)}`,
    ...troubles(status),
  ];
  return parts.filter((part) => part !== null).join("  ");
}

const BAR_COLUMNS = 24;
/** In a narrower terminal the numbers need the room. */
const COLUMNS_FOR_A_BAR = 60;

/** The same for a terminal: a bar, and the seconds that are left. No wider than `columns`. */
export function progressBar(status: DeliveryStatus, columns: number, now: number): string {
  const { stats, ratePerSecond, expectedFinishAt } = status;
  const done = settled(status);
  const isSending = status.state === "sending";
  const left = expectedFinishAt === null ? null : (Date.parse(expectedFinishAt) - now) / 1000;
  const parts = [
    stats.total === 0 || columns < COLUMNS_FOR_A_BAR ? null : bar(done / stats.total, BAR_COLUMNS),
    percent(done, stats.total).padStart(7),
    `${count(done)}/${count(stats.total)}`,
    isSending ? null : stateText(status),
    stats.reserved > 0 ? `${count(stats.reserved)} in flight` : null,
    isSending && ratePerSecond > 0 ? `${ratePerSecond.toFixed(0)}/s` : null,
    left === null ? null : `${duration(left)} left`,
    ...troubles(status),
  ];
  const text = parts.filter((part) => part !== null).join("  ");
  return text.length <= columns ? text : `${text.slice(0, Math.max(columns - 1, 0))}…`;
}
