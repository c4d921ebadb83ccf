/** What has happened to a campaign: events, dead-letters. */
import type { CampaignEvent, DeadLetter } from "../../client/types.ts";
import { count, moment, plain } from "../format.ts";
import { allOption, cursorOption, limitOption, tellList, type List } from "../listing.ts";
import type { Act, AddCommands, Program, Session } from "../session.ts";

export const addHistoryCommands: AddCommands = (program, act) => {
  addList(program, act, "events", "the audit trail, newest first", eventsOf);
  const summary = "messages that ended in the dead-letter queue, and why";
  addList(program, act, "dead-letters", summary, deadLettersOf);
};

function addList<Item>(
  program: Program,
  act: Act,
  name: string,
  summary: string,
  listOf: (session: Session, campaign: string) => List<Item>,
): void {
  program
    .command(name)
    .summary(summary)
    .description("One page, or all of it; with --all --json one entry a line.")
    .argument("<campaign>")
    .addOption(limitOption())
    .addOption(cursorOption())
    .addOption(allOption())
    .action((campaign, flags) =>
      act((session) => tellList(session, flags, listOf(session, campaign))),
    );
}

function eventsOf({ client }: Session, campaign: string): List<CampaignEvent> {
  return {
    noun: "event",
    headings: ["AT", "EVENT", "DETAIL"],
    row: ({ at, type, detail }) => [moment(at), plain(type), detailText(detail)],
    read: (query) => client.events(campaign, query),
  };
}

/** `reserved=50 reason=operator`: numbers and words as they are, the rest as JSON. */
function detailText(detail: CampaignEvent["detail"]): string {
  return Object.entries(detail)
    .map(
      ([name, value]) =>
        `${plain(name)}=${plain(typeof value === "string" ? value : JSON.stringify(value))}`,
    )
    .join(" ");
}

function deadLettersOf({ client }: Session, campaign: string): List<DeadLetter> {
  return {
    noun: "dead letter",
    headings: ["NUMBER", "AT", "RECIPIENTS", "ATTEMPTS", "REPLAYED", "ERROR"],
    row: ({ number, at, recipients, attempts, replayedAt, error }) => [
      String(number),
      moment(at),
      count(recipients),
      String(attempts),
      replayedAt === null ? "no" : moment(replayedAt),
      plain(error),
    ],
    read: (query) => client.deadLetters(campaign, query),
  };
}
