/**
 * One question to every campaign of the account: page by page through the directory, so many at a
 * time. Nobody is left out in silence: whoever does not answer is named, and the answer is then no
 * success, since half of what is held about somebody would pass for all of it.
 */
import { counted } from "../domain/counted.ts";
import type { DirectoryEntry } from "../account/rpc.ts";
import type { CampaignRpc, Page } from "../campaign/rpc.ts";
import { within } from "../campaign/within.ts";
import type { CampaignId } from "../domain/ids.ts";
import {
  PERSON_CALL_SECONDS,
  PERSON_CAMPAIGNS_AT_ONCE,
  RETRY_OVERLOADED_SECONDS,
} from "../domain/limits.ts";
import { askAgain } from "./object-call.ts";
import { Refused } from "./problem.ts";
import type { HttpDeps } from "./route.ts";

export type CampaignAnswer<Answer> = { readonly id: CampaignId; readonly answer: Answer };

export type Answers<Answer> = {
  readonly answered: readonly CampaignAnswer<Answer>[];
  readonly unanswered: readonly CampaignId[];
  /** What kept the first of those from answering. */
  readonly cause: unknown;
};

/** @param ask may be asked again on another stub */
export async function askEveryCampaign<Answer>(
  deps: HttpDeps,
  ask: (campaign: CampaignRpc) => Promise<Answer>,
): Promise<Answers<Answer>> {
  const answered: CampaignAnswer<Answer>[] = [];
  const unanswered: CampaignId[] = [];
  const causes: unknown[] = [];
  let cursor: string | null = null;
  do {
    const from: string | null = cursor;
    const page: Page<DirectoryEntry> = await askAgain(() =>
      deps.account().campaigns(from, PERSON_CAMPAIGNS_AT_ONCE),
    );
    const asked = page.items.map(({ id }) =>
      within(
        PERSON_CALL_SECONDS,
        askAgain(() => ask(deps.campaign(id))),
      ),
    );
    for (const [at, each] of (await Promise.allSettled(asked)).entries()) {
      const id = page.items[at]?.id;
      if (id === undefined) continue;
      if (each.status === "fulfilled") answered.push({ id, answer: each.value });
      else {
        unanswered.push(id);
        causes.push(each.reason);
      }
    }
    cursor = page.cursor;
  } while (cursor !== null);
  return { answered, unanswered, cause: causes[0] };
}

/** @param evidence what the others have answered, in the form of a success */
export function refuseSilence(
  { unanswered, cause }: Answers<unknown>,
  evidence: Readonly<Record<string, unknown>>,
): void {
  if (unanswered.length === 0) return;
  const detail =
    `No answer of ${counted(unanswered.length, "campaign")}: ${unanswered.slice(0, 10).join(", ")}` +
    `${unanswered.length > 10 ? ", …" : ""}. It is safe to ask again.`;
  throw new Refused("campaignsSilent", detail, {
    evidence: { ...evidence, unanswered },
    headers: { "retry-after": String(RETRY_OVERLOADED_SECONDS) },
    cause,
  });
}
