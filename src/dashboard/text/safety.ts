/** What is going on, and what may safely be done now, in sentences. Pure: `now` is an argument. */
import type { DeliveryStatus } from "../../client/types.ts";
import { count, counted, shortTime } from "./format.ts";

export type Tone = "calm" | "busy" | "attention" | "done";
export type Safety = {
  readonly tone: Tone;
  readonly title: string;
  readonly lines: readonly string[];
};

type Situation = {
  readonly status: DeliveryStatus;
  readonly leaseSeconds: number;
  readonly scheduledAt: string | null;
  readonly delivery: "managed" | "external";
  readonly enrolmentClosed: boolean;
};

type PauseReason = NonNullable<DeliveryStatus["pause"]>["reason"];

const PAUSED_BY: Readonly<Record<PauseReason, string>> = {
  operator: "Paused by the operator",
  providerAuth: "Paused: the provider refuses the key",
  providerQuota: "Paused: the provider's quota is used up",
  senderRefused: "Paused: the provider refuses the sender",
  failureRate: "Paused: too many recipients fail",
  deadLetters: "Paused: too many dead letters",
};

const BEFORE_RESUME: Readonly<Record<PauseReason, string>> = {
  operator: "",
  providerAuth: "Set RESEND_API_KEY before you resume. Nobody was failed for it.",
  providerQuota: "Resume when there is quota again. Nobody was failed for it.",
  senderRefused: "Verify the sender's domain with the provider before you resume.",
  failureRate: "Look at the failed ones before you resume; the count begins anew then.",
  deadLetters: "Look at the dead letters before you resume.",
};

export function safetyOf(situation: Situation, now: number, zone?: string): Safety {
  const { status } = situation;
  switch (status.state) {
    case "draft":
      return ofDraft(situation);
    case "scheduled":
      return ofScheduled(situation, now, zone);
    case "sending":
      return ofSending(situation);
    case "paused":
      return ofPaused(situation, now, zone);
    case "finished":
      return ofFinished(status, now, zone);
    case "cancelled":
      return ofCancelled(status, now, zone);
  }
}

function ofDraft({ status, delivery }: Situation): Safety {
  const { total } = status.stats;
  if (total === 0 && delivery === "managed") {
    return calm("Draft", "Nobody to mail yet. Upload recipients, look at the preview, then start.");
  }
  const free =
    "Content, settings and recipients can still change. Nothing is mailed before it starts.";
  return calm(total === 0 ? "Draft" : `Draft for ${counted(total, "recipient")}`, free);
}

function ofScheduled({ scheduledAt }: Situation, now: number, zone?: string): Safety {
  const at = scheduledAt === null ? "its time" : shortTime(scheduledAt, now, zone);
  const free = "Until then content and recipients can change, and cancelling mails nobody.";
  const later = "To send it later, pause it, and resume it when it may begin.";
  return { tone: "calm", title: `Starts at ${at}`, lines: [free, later] };
}

function ofSending({ status, delivery, enrolmentClosed }: Situation): Safety {
  const { reserved, remaining } = status.stats;
  const open = delivery === "external" && !enrolmentClosed && remaining === 0 && reserved === 0;
  if (open) {
    const wait = "Nobody is left to mail. Its consumers may bring more, until you close it.";
    return { tone: "busy", title: "Waiting for its consumers", lines: [wait] };
  }
  const pause =
    reserved === 0
      ? "Pausing takes effect at once."
      : `Pausing takes effect at once; ${count(reserved)} in flight can still finish.`;
  const restart = "A deploy or a restart is safe at any time: nobody is lost or mailed twice.";
  return { tone: "busy", title: "Sending", lines: [pause, restart] };
}

function ofPaused({ status, leaseSeconds, scheduledAt }: Situation, now: number, zone?: string) {
  const { pause, stats, startedAt } = status;
  const reason = pause?.reason ?? "operator";
  const detail = reason === "operator" ? "" : (pause?.detail ?? "");
  const lines = [
    detail,
    BEFORE_RESUME[reason],
    startedAt === null
      ? beforeStart(scheduledAt, now, zone)
      : flight(status, leaseSeconds, now, zone),
    stats.remaining > 0
      ? `${counted(stats.remaining, "recipient")} not mailed yet, waiting for you.`
      : "",
  ];
  const tone = reason === "operator" ? "calm" : "attention";
  return { tone, title: PAUSED_BY[reason], lines: lines.filter((line) => line !== "") } as const;
}

function beforeStart(scheduledAt: string | null, now: number, zone?: string): string {
  if (scheduledAt === null) return "Nothing has been mailed.";
  const at = shortTime(scheduledAt, now, zone);
  return new Date(scheduledAt).getTime() > now
    ? `Nothing has been mailed. Resumed before ${at}, it starts then.`
    : `Nothing has been mailed. Its time was ${at}: resumed, it starts at once.`;
}

/** No lease is granted while it is paused, so the last one ends a lease after the pause began. */
function flight(status: DeliveryStatus, leaseSeconds: number, now: number, zone?: string): string {
  const { reserved } = status.stats;
  if (reserved === 0) {
    return "Nothing is in flight. It is safe to resume, to cancel or to wait for as long as you like.";
  }
  const since = status.pause === null ? now : new Date(status.pause.since).getTime();
  const until = since + leaseSeconds * 1000;
  if (now < until) {
    return `${count(reserved)} in flight until ${shortTime(until, now, zone)} at the latest; nobody new is mailed.`;
  }
  const which = reserved === 1 ? "1 waits" : `${count(reserved)} wait`;
  return `Nothing is on its way. ${which} to be asked for again under the same key when you resume, which mails nobody twice.`;
}

function ofFinished(status: DeliveryStatus, now: number, zone?: string): Safety {
  const { failed, inDoubt } = status.stats;
  const at = status.finishedAt === null ? "" : ` at ${shortTime(status.finishedAt, now, zone)}`;
  const lines = [
    inDoubt > 0
      ? `${count(inDoubt)} in doubt: ask the provider, or look them up there and settle them.`
      : "",
    failed > 0
      ? `${count(failed)} failed: nothing was mailed to them, and they can be replayed.`
      : "",
    inDoubt + failed === 0 ? "Everybody has a final state. Nothing is left to do." : "",
  ];
  const tone = inDoubt > 0 ? "attention" : "done";
  return { tone, title: `Finished${at}`, lines: lines.filter((line) => line !== "") };
}

function ofCancelled(status: DeliveryStatus, now: number, zone?: string): Safety {
  const { reserved, inDoubt, cancelled } = status.stats;
  const at = status.finishedAt === null ? "" : ` at ${shortTime(status.finishedAt, now, zone)}`;
  const lines = [
    `${counted(cancelled, "recipient")} will not be mailed.`,
    reserved > 0 ? `${count(reserved)} in flight can still finish.` : "",
    inDoubt > 0 ? `${count(inDoubt)} in doubt: they may have been mailed.` : "",
  ];
  const tone = inDoubt > 0 ? "attention" : "calm";
  return { tone, title: `Cancelled${at}`, lines: lines.filter((line) => line !== "") };
}

function calm(title: string, line: string): Safety {
  return { tone: "calm", title, lines: [line] };
}
