/** The run: start, watch, pause, resume, finish, cancel, status. */
import type { CampaignEntry, DeliveryStatus, StartTime } from "../../client/types.ts";
import { EXIT, UsageError } from "../exit.ts";
import { count, moment, percent, plain, some, table } from "../format.ts";
import type { AddCommands, Session } from "../session.ts";
import { statusText } from "../status-text.ts";
import { follow, jsonLines, lineByLine, redrawing, verdict, type Display } from "../watch.ts";

export const addRunCommands: AddCommands = (program, act) => {
  program
    .command("start")
    .summary("begin to send, now or later")
    .argument("<campaign>")
    .option("--at <time>", "2026-12-01T09:00:00+01:00, or without an offset beside --in-zone")
    .option("--in-zone <zone>", "the place whose clocks --at is read on, such as Europe/Berlin")
    .action((campaign, { at, inZone }) =>
      act(async (session) => {
        const when = startTime(at, inZone);
        const status = await session.client.start(campaign, when);
        await session.tell(status, () => startText(status, at, inZone));
      }),
    );

  program
    .command("watch")
    .summary("follow the run to its end; exit with 4 where somebody has to look")
    .argument("<campaign>")
    .option("--every <seconds>", "between two lines, where it is no terminal", "1")
    .action((campaign, { every }) => act((session) => watch(session, campaign, every)));

  for (const [name, summary] of [
    ["pause", "grant no further reservation; what is in flight still finishes"],
    ["finish", "close the enrolment of an external campaign, which ends when all are settled"],
  ] as const) {
    program
      .command(name)
      .summary(summary)
      .argument("<campaign>")
      .action((campaign) =>
        act(async ({ client, tell }) => {
          const status = await client[name](campaign);
          await tell(status, () => statusText(status));
        }),
      );
  }

  program
    .command("resume")
    .summary("go on with a paused campaign")
    .argument("<campaign>")
    .option("--accept-duplicate-risk", "of a campaign that was restored from a backup")
    .action((campaign, { acceptDuplicateRisk }) =>
      act(async ({ client, tell }) => {
        const request = acceptDuplicateRisk === true ? { acceptDuplicateRisk } : {};
        const status = await client.resume(campaign, request);
        await tell(status, () => statusText(status));
      }),
    );

  program
    .command("cancel")
    .summary("end a campaign for good")
    .argument("<campaign>")
    .option("--yes", "it can't be taken back; without this nothing is done")
    .action((campaign, { yes }) =>
      act(async ({ client, tell }) => {
        if (yes !== true) throw wouldCancel(await client.deliveryStatus(campaign));
        const status = await client.cancel(campaign);
        await tell(status, () => statusText(status));
      }),
    );

  addStatus(program, act);
};

const addStatus: AddCommands = (program, act) => {
  program
    .command("status")
    .summary("the numbers of one campaign, or the list of all")
    .argument("[campaign]")
    .action((campaign) =>
      act(async (session) => {
        if (campaign === undefined) return listCampaigns(session);
        const status = await session.client.deliveryStatus(campaign);
        await session.tell(status, () => statusText(status));
      }),
    );
};

function startTime(at: string | undefined, zone: string | undefined): StartTime {
  if (zone === undefined) return at === undefined ? {} : { at };
  if (at !== undefined) return { local: at, zone };
  throw new UsageError("--in-zone says on whose clocks --at is read; give --at too.");
}

function startText(status: DeliveryStatus, at?: string, zone?: string): string {
  if (status.state !== "scheduled") return statusText(status);
  const place = zone === undefined ? "" : ` in ${plain(zone)}`;
  return `${status.campaignId} is scheduled for ${plain(at ?? "later")}${place}.\n`;
}

function wouldCancel({ campaignId, stats }: DeliveryStatus): UsageError {
  const open = some(stats.remaining, "recipient");
  const flight = stats.reserved > 0 ? `; ${count(stats.reserved)} in flight can still finish` : "";
  return new UsageError(
    `cancelling ${campaignId} can't be taken back: ${open} would never be mailed${flight}. ` +
      "Give --yes if that is what you want; `sendonce pause` can be taken back.",
  );
}

async function watch(session: Session, campaign: string, every: string) {
  const { client, io } = session;
  if (!/^\d+(\.\d+)?$/.test(every)) {
    throw new UsageError(`--every ${every}: give a number of seconds, such as 5.`);
  }
  const display = displayOf(session, Number(every) * 1000);
  const last = await follow(client.watch(campaign, { signal: io.interrupted }), display);
  // The campaign goes on; only the watching was ended.
  if (last === null) return EXIT.interrupted;
  const { text, code } = verdict(last);
  if (!session.json) await io.out(text);
  return code;
}

function displayOf({ io, json }: Session, everyMilliseconds: number): Display {
  if (json) return jsonLines(io);
  return io.outIsTerminal ? redrawing(io) : lineByLine(io, everyMilliseconds);
}

async function listCampaigns({ client, tell }: Session): Promise<void> {
  const campaigns: CampaignEntry[] = [];
  for await (const entry of client.campaigns()) campaigns.push(entry);
  await tell(campaigns, () => listText(campaigns));
}

function listText(campaigns: readonly CampaignEntry[]): string {
  if (campaigns.length === 0) return "There are no campaigns yet: sendonce create\n";
  const rows = campaigns.map(({ id, name, createdAt, status: { state, stats } }) => [
    id,
    state,
    `${count(stats.sent)} of ${count(stats.total)}`,
    percent(stats.sent, stats.total),
    moment(createdAt),
    plain(name),
  ]);
  return table([["CAMPAIGN", "STATE", "SENT", "", "CREATED", "NAME"], ...rows]);
}
