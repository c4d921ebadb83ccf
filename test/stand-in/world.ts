/**
 * All state of one stand-in. What has been accepted, what is remembered under keys and how far the
 * clock was put forward are folds over the log: a restart with the same file gives the same state.
 */
import { randomBytes } from "node:crypto";
import { Clock } from "./clock.ts";
import { Faults } from "./faults.ts";
import { KeyMemory } from "./key-memory.ts";
import { LogFile, type AcceptedLine, type LogLine } from "./log-file.ts";
import { RateWindow } from "./rate-window.ts";
import { DEFAULT_SETTINGS, type StandInSettings } from "./settings.ts";
import { Tally } from "./tally.ts";

export class World {
  readonly clock = new Clock();
  readonly keys = new KeyMemory();
  readonly log: LogFile;
  settings: StandInSettings = DEFAULT_SETTINGS;
  faults = new Faults();
  tally = new Tally();
  /** Requests let through, for the limit. */
  admitted = new RateWindow();
  /** Requests that came in, let through or not. */
  arrived = new RateWindow();
  /** What lets each held answer go. */
  readonly held = new Set<() => void>();
  /** By the number of the mail; the others were only just sent. */
  readonly lastEvents = new Map<number, string>();
  #idPrefix = randomPrefix();

  constructor(logFile: string | null) {
    this.log = new LogFile(logFile);
    this.log.load((line) => this.#apply(line));
  }

  /** Writes what one request caused, and only then counts it. */
  record(group: readonly LogLine[]): void {
    this.log.append(group);
    for (const line of group) this.#apply(line);
  }

  /** The id holds the mail's number in the log, so that finding a mail needs no index. */
  idOf(number: number): string {
    return `${this.#idPrefix}-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
  }

  mailWithId(id: string): { readonly number: number; readonly line: AcceptedLine } | null {
    const number = Number.parseInt(id.slice(-12), 16);
    const line = this.log.read("accepted", number);
    return line?.kind === "accepted" && line.id === id ? { number, line } : null;
  }

  /** Lets every held answer go. @returns how many there were */
  release(): number {
    const waiting = [...this.held];
    for (const letGo of waiting) letGo();
    return waiting.length;
  }

  reset(): void {
    this.release();
    this.log.clear();
    this.keys.clear();
    this.clock.reset();
    this.lastEvents.clear();
    this.settings = DEFAULT_SETTINGS;
    this.faults = new Faults();
    this.tally = new Tally();
    this.admitted = new RateWindow();
    this.arrived = new RateWindow();
    this.#idPrefix = randomPrefix();
  }

  #apply(line: LogLine): void {
    switch (line.kind) {
      case "accepted":
        return this.tally.accept(line);
      case "request":
        return this.tally.request(line);
      case "key":
        return this.keys.remember(line);
      case "clock":
        return this.clock.advance(line.seconds);
    }
  }
}

function randomPrefix(): string {
  return randomBytes(4).toString("hex");
}
