/** A campaign's status as it changes, the events it tells, and how good the connection is. */
import { useEffect, useState } from "preact/hooks";
import { LiveStream, type LiveState } from "../client/live-stream.ts";
import { livePath, whoAmI } from "./api/calls.ts";
import { reached } from "./api/reach.ts";
import type { CampaignEvent, DeliveryStatus } from "../client/types.ts";
import { keepSamples, recalledSamples, withSample, type Sample } from "./samples.ts";

const EVENTS_KEPT = 20;

export type Live = {
  readonly status: DeliveryStatus | null;
  readonly state: LiveState;
  /** When the last status came, in milliseconds since 1970. */
  readonly heardAt: number;
  /** Newest first, as far as this page has seen them. */
  readonly events: readonly CampaignEvent[];
  readonly samples: readonly Sample[];
  /** Takes a status that was asked for, where it is not older. */
  readonly take: (status: DeliveryStatus) => void;
};

type Seen = Omit<Live, "take">;

const NOTHING: Seen = {
  status: null,
  state: { kind: "connecting" },
  heardAt: 0,
  events: [],
  samples: [],
};

/** What came after the end is no part of the curve, and an end that nobody watched is no curve. */
function sampled(
  before: readonly Sample[],
  { startedAt, finishedAt, stats }: DeliveryStatus,
  now: number,
): readonly Sample[] {
  if (startedAt === null) return [];
  const isOver = finishedAt !== null && (before.length === 0 || before.at(-1)?.sent === stats.sent);
  return isOver ? before : withSample(before, now, stats.sent);
}

function withStatus(seen: Seen, status: DeliveryStatus): Seen {
  const now = Date.now();
  const isSameRun = seen.status !== null && seen.status.startedAt === status.startedAt;
  const before = isSameRun ? seen.samples : recalledSamples(status);
  const samples = sampled(before, status, now);
  keepSamples(status, samples);
  return { ...seen, status, heardAt: now, samples };
}

/** @param campaign null while it is not known whether there is one */
export function useLive(campaign: string | null): Live {
  const [seen, setSeen] = useState<Seen>(NOTHING);

  useEffect(() => {
    setSeen(NOTHING);
    if (campaign === null) return undefined;
    const stream = new LiveStream({
      connect: () =>
        new WebSocket(`${location.origin.replace(/^http/, "ws")}${livePath(campaign)}`),
      now: () => Date.now(),
      chance: Math.random,
      later: (milliseconds, work) => {
        const timer = setTimeout(work, milliseconds);
        return () => clearTimeout(timer);
      },
      onState: (state) => {
        setSeen((before) => ({ ...before, state }));
        if (state.kind === "live") reached();
        // A browser doesn't tell why an upgrade was refused; a session that is over says so here.
        if (state.kind === "waiting") whoAmI().catch(() => undefined);
      },
      onStatus: (status) => setSeen((before) => withStatus(before, status)),
      onEvent: (event) =>
        setSeen((before) => ({
          ...before,
          events: [event, ...before.events].slice(0, EVENTS_KEPT),
        })),
    });
    const retry = (): void => stream.retryNow();
    // Numbers that nobody can bring up to date are not shown as live until a ping has failed.
    const drop = (): void => stream.dropNow();
    addEventListener("online", retry);
    addEventListener("offline", drop);
    return () => {
      removeEventListener("online", retry);
      removeEventListener("offline", drop);
      stream.stop();
    };
  }, [campaign]);

  const take = (status: DeliveryStatus): void =>
    setSeen((before) =>
      before.status === null || status.version >= before.status.version
        ? withStatus(before, status)
        : before,
    );
  return { ...seen, take };
}
