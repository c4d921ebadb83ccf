/** From the objects' refusals to problems: one exhaustive switch for all of them. */
import { counted, isOrAre } from "../domain/counted.ts";
import type {
  CreateRefusal,
  Delivery,
  EditRefusal,
  EnrolRefusal,
  EraseRefusal,
  ReplayRefusal,
  ReportRefusal,
  ReserveRefusal,
  ResolveRefusal,
  ResumeRefusal,
} from "../campaign/rpc.ts";
import type { CampaignCommand, CampaignRefusal } from "../domain/campaign.ts";
import { RETRY_OVERLOADED_SECONDS } from "../domain/limits.ts";
import { unreachable, type Result } from "../domain/result.ts";
import { Refused } from "./problem.ts";

export type RpcRefusal =
  | CreateRefusal
  | EditRefusal
  | EnrolRefusal
  | EraseRefusal
  | ReserveRefusal
  | ReportRefusal
  | ReplayRefusal
  | ResumeRefusal
  | ResolveRefusal;

/** The value of an answer, or the refusal on its way to the client. */
export function granted<Value>(result: Result<Value, RpcRefusal>): Value {
  if (result.ok) return result.value;
  throw refused(result.refusal);
}

export function campaignNotFound(): Refused {
  return new Refused("campaignNotFound", "There is no campaign with this id.");
}

export function refused(refusal: RpcRefusal): Refused {
  switch (refusal.code) {
    case "notFound":
      return campaignNotFound();
    case "exists":
      return new Refused("campaignExists", "The id is taken by a campaign that is not the same.");
    case "wrongState":
      return wrongState(refusal);
    case "changed":
      return new Refused("overloaded", "Others change it all the time. Ask again.", {
        headers: { "retry-after": String(RETRY_OVERLOADED_SECONDS) },
      });
    case "inFlight":
      return new Refused("stillReserved", reservedText(refusal.reserved), {
        evidence: { reserved: refusal.reserved },
      });
    case "wrongDelivery":
      return new Refused("wrongDelivery", deliveryText(refusal.delivery), {
        evidence: { delivery: refusal.delivery },
      });
    case "unknownReservation":
      return new Refused("reservationNotFound", "No reservation of the campaign has this id.");
    case "staleToken":
      // The current token is not told: it belongs to whoever holds the reservation now.
      return new Refused("staleToken", "Somebody else holds the reservation. Nothing was changed.");
    case "notInBatch":
      return new Refused("notInBatch", "Nothing of the report was taken.", {
        evidence: { ids: refusal.ids },
      });
    case "unknownRecipients":
      return new Refused("recipientNotFound", "Some ids are unknown. Nothing was changed.", {
        evidence: { ids: refusal.ids },
      });
    case "duplicateRisk":
      return new Refused("duplicateRisk", riskText(refusal.inDoubt), {
        evidence: { inDoubt: refusal.inDoubt },
      });
    case "restored":
      return new Refused("duplicateRisk", restoredText(refusal.forgotten, refusal.decisions ?? 0), {
        evidence: { forgotten: refusal.forgotten },
      });
    case "notInDoubt":
      return new Refused("notInDoubt", "Only a doubt can be resolved. Nothing was changed.", {
        evidence: { recipients: refusal.recipients },
      });
    default:
      return unreachable(refusal);
  }
}

const DONE: Readonly<Record<CampaignCommand, string>> = {
  edit: "changed",
  schedule: "started",
  begin: "started",
  pause: "paused",
  resume: "resumed",
  cancel: "cancelled",
  finish: "finished",
  reopen: "replayed",
  erase: "erased",
};

function wrongState({ state, command }: CampaignRefusal): Refused {
  const detail = `The campaign is in state ${state} and can't be ${DONE[command]} now.`;
  return new Refused("wrongState", detail, { evidence: { state, command } });
}

function reservedText(reserved: number): string {
  const who = `${counted(reserved, "recipient")} ${isOrAre(reserved)}`;
  return `${who} with a consumer right now; ask again when that is settled.`;
}

function deliveryText(delivery: Delivery): string {
  return delivery === "managed"
    ? "The delivery is managed: Sendonce reserves, mails and finishes by itself."
    : "The delivery is external: its consumers bring the content and mail it themselves.";
}

function riskText(inDoubt: number): string {
  return (
    `${inDoubt} of them may have been mailed already. ` +
    "Send `acceptDuplicateRisk: true` to mail them all the same, or resolve them by hand."
  );
}

function restoredText(forgotten: number, decisions: number): string {
  return (
    "The ledger was restored from a backup and has forgotten " +
    `${counted(forgotten, "reservation")} and ${counted(decisions, "decision")} (pauses, ends and ` +
    "resolves), so that it calls people pending who were mailed or are not to be. Undo the " +
    "restore, or cancel; or send " +
    "`acceptDuplicateRisk: true` to mail them all the same."
  );
}
