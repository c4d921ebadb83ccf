/**
 * Who watches a campaign, and what each of them is sent when (DESIGN §5).
 *
 * A change starts a round of pulses, a quarter of a second apart, in which every viewer is told once.
 * A pulse sends the newest status to the next hundred or so: mostly that is everybody, and where it
 * isn't the object still has most of its time for the campaign. A change during a round starts
 * another one. So nobody gets more than four statuses a second, the last change always arrives, and
 * `version` rises with each one: the ledger gives every visible change a version of its own, and a
 * viewer is skipped that has it.
 *
 * The wait is a timer and not the object's alarm: an alarm is a row written and there is only one,
 * kept for deadlines. The timer keeps the object from hibernating for that moment after the last
 * change; with nobody watching there is none.
 *
 * What a viewer has seen is in memory while pulses go on, and is put into its attachment when they
 * pause. The object can only hibernate after that, so whoever wakes with viewers knows what they
 * have; a crash or a deploy breaks the sockets, and they come back to a new snapshot.
 */
import type { EventView } from "../domain/history.ts";
import { faultOf } from "../domain/fault-text.ts";
import type { Instant } from "../domain/ids.ts";
import {
  LIVE_EVENTS_AT_MOST,
  LIVE_PULSE_MILLISECONDS,
  LIVE_PULSE_VIEWERS,
  MAX_VIEWERS,
  VIEWER_LOOK_SECONDS,
  VIEWER_SILENT_SECONDS,
  VIEWER_UNHEARD_SECONDS,
} from "../domain/limits.ts";
import type { Log } from "../domain/log-event.ts";
import { shownEvent, shownStatus, type LiveMessage } from "../domain/shown.ts";
import type { DeliveryStatus } from "../domain/status.ts";

/** What a viewer has been sent, and since when it watches. */
export type Seen = {
  readonly version: number;
  /** Number of the newest event it was told of, or that came before it. */
  readonly event: number;
  readonly connectedAt: Instant;
  /** It is told nothing after that, the end of its session; null: there is no end. */
  readonly until: Instant | null;
};

/** One socket. `send` and `close` may throw where the other side is gone already. */
export interface Viewer {
  /** What was remembered last, also from before the object slept. */
  remembered(): Seen;
  remember(seen: Seen): void;
  send(text: string): void;
  close(code: number, reason: string): void;
  isOpen(): boolean;
  /** When its last ping was answered; null: it has never pinged. */
  pingedAt(): Instant | null;
}

export type LivePorts = {
  /** Null where there is no campaign any more. */
  status(): DeliveryStatus | null;
  /** Newest first. */
  newestEvents(limit: number): readonly EventView[];
  now(): Instant;
  later(milliseconds: number, work: () => void): void;
  readonly log: Log;
};

/** WebSocket close codes (RFC 6455 §7.4.1). */
const CLOSED_NORMALLY = 1000;
const GOING_AWAY = 1001;
const POLICY_VIOLATION = 1008;

/** The events that are sent; all others show in the numbers and in the audit trail. */
const TOLD: ReadonlySet<string> = new Set(["paused", "resumed", "deadLetter", "finished"]);

/** What is new, made into text once for all viewers. */
export type News = {
  readonly version: number;
  readonly status: string;
  /** Oldest first, of all types; `text` is null for those that are not sent. */
  readonly events: readonly { readonly number: number; readonly text: string | null }[];
};

export function newsOf(status: DeliveryStatus, newestFirst: readonly EventView[]): News {
  return {
    version: status.version,
    status: message({ type: "status", status: shownStatus(status) }),
    events: newestFirst.toReversed().map((event) => ({
      number: event.number,
      text: TOLD.has(event.type) ? message({ type: "event", event: shownEvent(event) }) : null,
    })),
  };
}

function message(content: LiveMessage): string {
  return JSON.stringify(content);
}

/** What one viewer is sent of the news, the status first, and what it has seen then. */
export function toldTo(seen: Seen, news: News): { texts: readonly string[]; seen: Seen } {
  const isNew = news.version > seen.version;
  const events = news.events.filter(({ number }) => number > seen.event);
  return {
    texts: [
      ...(isNew ? [news.status] : []),
      ...events.flatMap(({ text }) => (text === null ? [] : [text])),
    ],
    seen: {
      ...seen,
      version: isNew ? news.version : seen.version,
      event: events.at(-1)?.number ?? seen.event,
    },
  };
}

/**
 * Whether nobody is at the other end any more. Who has pinged once has promised to go on; who never
 * has may be a program that only listens, and gets much longer.
 */
export function isDead(pingedAt: Instant | null, connectedAt: Instant, now: Instant): boolean {
  return pingedAt === null
    ? now - connectedAt > VIEWER_UNHEARD_SECONDS * 1000
    : now - pingedAt > VIEWER_SILENT_SECONDS * 1000;
}

export class Live {
  readonly #ports: LivePorts;
  readonly #viewers = new Map<Viewer, Seen>();
  /** Whether a pulse is due, or was a moment ago. */
  #isPulsing = false;
  /** Whether there is something new since the round began. */
  #hasChanged = false;
  /** Those who are still to be told in this round. */
  #round: Viewer[] = [];
  #lookedAt: Instant = 0;

  /** @param viewers those that the object wakes with; what they missed is sent to them */
  constructor(ports: LivePorts, viewers: readonly Viewer[]) {
    this.#ports = ports;
    for (const viewer of viewers) this.#viewers.set(viewer, viewer.remembered());
    this.changed();
  }

  /** Whether one more may watch. Dead viewers make room first. */
  hasRoom(): boolean {
    if (this.#viewers.size >= MAX_VIEWERS) this.#dropDead();
    return this.#viewers.size < MAX_VIEWERS;
  }

  /** Sends the snapshot; the viewer has no part in what came before it. */
  join(viewer: Viewer, status: DeliveryStatus, until: Instant | null): void {
    const seen = {
      version: status.version,
      event: this.#ports.newestEvents(1)[0]?.number ?? 0,
      connectedAt: this.#ports.now(),
      until,
    };
    viewer.remember(seen);
    this.#viewers.set(viewer, seen);
    this.#trySend(viewer, [message({ type: "snapshot", status: shownStatus(status) })]);
  }

  get count(): number {
    return this.#viewers.size;
  }

  leave(viewer: Viewer): void {
    this.#viewers.delete(viewer);
  }

  /** Tells that the status may have changed. Costs nothing where nobody watches. */
  changed(): void {
    if (this.#viewers.size === 0) return;
    this.#hasChanged = true;
    if (this.#isPulsing) return;
    this.#isPulsing = true;
    // Not at once: what the object was asked comes first, and a burst becomes one message.
    this.#ports.later(0, () => this.#pulse());
  }

  #pulse(): void {
    this.#ports.later(LIVE_PULSE_MILLISECONDS, () => this.#cooled());
    if (this.#round.length === 0) {
      this.#round = [...this.#viewers.keys()];
      this.#hasChanged = false;
    }
    try {
      this.#tell(this.#round.splice(0, LIVE_PULSE_VIEWERS));
    } catch (error) {
      // The stream is a view of the ledger: whatever fails here must not reach the campaign.
      this.#ports.log("liveFailed", faultOf(error));
    }
  }

  #cooled(): void {
    if (this.#hasChanged || this.#round.length > 0) return this.#pulse();
    this.#isPulsing = false;
    for (const [viewer, seen] of this.#viewers) viewer.remember(seen);
  }

  #tell(viewers: readonly Viewer[]): void {
    const status = this.#ports.status();
    const news = status && newsOf(status, this.#ports.newestEvents(LIVE_EVENTS_AT_MOST));
    const now = this.#ports.now();
    for (const viewer of viewers) {
      const before = this.#viewers.get(viewer);
      // It has left during the round.
      if (before === undefined) continue;
      // An attachment of an earlier release says nothing of it.
      if ((before.until ?? Infinity) <= now) {
        this.#drop(viewer, POLICY_VIOLATION, "the session is over");
        continue;
      }
      // A version only rises, so a lower one is of a new campaign under the id of an erased one.
      if (news === null || news.version < before.version) {
        this.#drop(viewer, CLOSED_NORMALLY, "the campaign was erased");
        continue;
      }
      const { texts, seen } = toldTo(before, news);
      this.#viewers.set(viewer, seen);
      this.#trySend(viewer, texts);
    }
    if (now - this.#lookedAt >= VIEWER_LOOK_SECONDS * 1000) this.#dropDead();
  }

  /** A socket that can't be written to has ended, or is about to say so. */
  #trySend(viewer: Viewer, texts: readonly string[]): void {
    try {
      for (const text of texts) viewer.send(text);
    } catch {
      this.#drop(viewer, GOING_AWAY, "nobody there");
    }
  }

  #dropDead(): void {
    const now = this.#ports.now();
    this.#lookedAt = now;
    for (const [viewer, { connectedAt }] of this.#viewers) {
      if (!viewer.isOpen()) this.#viewers.delete(viewer);
      else if (isDead(viewer.pingedAt(), connectedAt, now)) {
        this.#drop(viewer, GOING_AWAY, "no ping");
      }
    }
  }

  #drop(viewer: Viewer, code: number, reason: string): void {
    this.#viewers.delete(viewer);
    try {
      viewer.close(code, reason);
    } catch {
      // It was closed already.
    }
  }
}
