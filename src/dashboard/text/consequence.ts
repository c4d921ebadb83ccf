/** What an action will do, in numbers, for the question before it. Pure. */
import type { Campaign, DeliveryStatus, Suppression } from "../../client/types.ts";
import { count, counted, duration } from "./format.ts";
import { REASON_LABELS } from "./segments.ts";

export type Consequence = {
  readonly title: string;
  readonly lines: readonly string[];
  readonly confirm: string;
  /** What has to be accepted in words first; null: nothing. */
  readonly accept: string | null;
  readonly isDangerous: boolean;
};

type Stats = DeliveryStatus["stats"];

/** @param estimatedSeconds as the preflight says; null: not known */
export function ofStart(
  stats: Stats,
  delivery: Campaign["delivery"],
  requestsPerSecond: number | null,
  estimatedSeconds: number | null,
): Consequence {
  const lines = delivery === "external" ? ofExternal(stats) : ofManaged(stats, estimatedSeconds);
  const limit =
    requestsPerSecond === null
      ? "It goes as fast as the account's rate limit allows."
      : `It makes at most ${counted(requestsPerSecond, "request")} a second.`;
  return {
    title: "Start this campaign?",
    lines: delivery === "external" ? lines : [...lines, limit, FROZEN],
    confirm: "Start",
    accept: null,
    isDangerous: false,
  };
}

const FROZEN = "Content and recipients can't be changed afterwards. You can pause at any time.";

function ofManaged({ remaining, suppressed }: Stats, estimatedSeconds: number | null): string[] {
  if (remaining === 0) return ["There is nobody to mail yet: add recipients first."];
  const takes = estimatedSeconds === null ? "" : `, in about ${duration(estimatedSeconds * 1000)}`;
  const left = suppressed > 0 ? [`Leaves out ${count(suppressed)} suppressed.`] : [];
  return [`Mails ${counted(remaining, "recipient")}${takes}.`, ...left];
}

function ofExternal({ remaining }: Stats): string[] {
  return [
    remaining === 0
      ? "Its consumers may reserve from then on, and bring their own recipients."
      : `Its consumers may reserve from then on: ${counted(remaining, "recipient")}, and those they bring.`,
    "You can pause at any time. It ends when you close the enrolment and all are settled.",
  ];
}

export function ofCancel({ remaining, reserved }: Stats): Consequence {
  const lines = [
    remaining === 0
      ? "Nobody is left to be mailed."
      : `Cancels ${counted(remaining, "recipient")} not mailed yet.`,
    reserved === 0
      ? "Nothing is in flight."
      : `${count(reserved)} in flight can still finish; whoever has no answer is left in doubt.`,
    "A cancelled campaign can't be resumed or replayed.",
  ];
  const title = "Cancel this campaign?";
  return { title, lines, confirm: "Cancel the campaign", accept: null, isDangerous: true };
}

export function ofErase({ total, sent }: Stats): Consequence {
  const lines = [
    `Erases ${counted(total, "recipient")} and the whole story of each; ${count(sent)} of them mailed.`,
    "Nothing can show afterwards who was mailed. Unsubscribe links of this campaign stop working.",
  ];
  const title = "Erase everything about this campaign?";
  return { title, lines, confirm: "Erase", accept: "I have what I need of it", isDangerous: true };
}

export function ofClose({ remaining, reserved }: Stats): Consequence {
  const open = remaining + reserved;
  const lines = [
    "Its consumers can't bring any more recipients.",
    open === 0
      ? "The campaign is finished at once."
      : `First ${counted(open, "recipient")} must be settled.`,
  ];
  const title = "Close the enrolment?";
  return { title, lines, confirm: "Close the enrolment", accept: null, isDangerous: false };
}

export function ofReplayFailed(failed: number): Consequence {
  const lines = [
    `Puts ${counted(failed, "failed recipient")} back to be mailed, under new keys.`,
    "The provider has refused each of them, so none of them has this mail.",
    "Suppressed addresses are left out.",
  ];
  const title = "Replay those who failed?";
  return { title, lines, confirm: `Replay ${count(failed)}`, accept: null, isDangerous: false };
}

export function ofReplayDoubts(inDoubt: number): Consequence {
  const lines = [
    `${counted(inDoubt, "recipient")} may have been mailed already.`,
    "Those whose key the provider still remembers are asked again under it, which mails nobody twice.",
    "All others get a new key. Whoever has the mail already gets it a second time.",
  ];
  return {
    title: "Replay those in doubt?",
    lines,
    confirm: `Replay ${count(inDoubt)}`,
    accept: "I accept that some of them may be mailed twice",
    isDangerous: true,
  };
}

export function ofReplayLetters(letters: number): Consequence {
  const lines = [
    `Looks again at the recipients of ${counted(letters, "dead letter")}.`,
    "Each batch is asked for again under its own key, so nobody is mailed twice.",
  ];
  const title = "Replay the dead letters?";
  return { title, lines, confirm: "Replay", accept: null, isDangerous: false };
}

export function ofSuppress(address: string): Consequence {
  const lines = [
    "No campaign mails it any more, those that are being sent included.",
    "What is in flight this moment can still arrive.",
  ];
  const title = `Never mail ${address}?`;
  return { title, lines, confirm: "Never mail it", accept: null, isDangerous: false };
}

export function ofLift(address: string, reason: Suppression["reason"]): Consequence {
  const lines = [
    "Campaigns that take it in from now on mail it. Those that hold it already leave it out.",
    ...(reason === "operator" ? [] : [`It is on the list for a reason: ${REASON_LABELS[reason]}.`]),
  ];
  return {
    title: `Let ${address} be mailed again?`,
    lines,
    confirm: "Let it be mailed",
    accept: reason === "operator" ? null : "I have this person's consent",
    isDangerous: reason !== "operator",
  };
}

export function ofErasePerson(address: string, campaigns: number): Consequence {
  const lines = [
    `Takes what is held about it out of ${counted(campaigns, "campaign")}. The numbers stay.`,
    "It stays on the list of those who must not be mailed. This can't be undone.",
    "Your own contacts and the provider's records are not touched.",
  ];
  const title = `Erase ${address}?`;
  return { title, lines, confirm: "Erase", accept: "I have what I need of it", isDangerous: true };
}

export function ofResolve(ids: number, as: "sent" | "failed"): Consequence {
  const who = counted(ids, "recipient");
  const lines =
    as === "sent"
      ? [`Records ${who} as sent. They are never mailed again by this campaign.`]
      : [
          `Records ${who} as failed: you have seen at the provider that nothing was accepted.`,
          "They can be replayed then, under new keys. If one has the mail after all, it gets a second.",
        ];
  const confirm = `Settle as ${as}`;
  return {
    title: `Settle ${who} as ${as}?`,
    lines,
    confirm,
    accept: null,
    isDangerous: as === "failed",
  };
}
