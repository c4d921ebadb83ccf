/** Before the start: create, import, segment, preflight, test. */
import { Option } from "@commander-js/extra-typings";
import type {
  CampaignDraft,
  PreflightReport,
  TestReport,
  UploadReport,
} from "../../client/types.ts";
import { EXIT, UsageError } from "../exit.ts";
import { FORMATS, formatOf, openFile, readText, readTextOrStdin, STDIN } from "../files.ts";
import { count, duration, plain, some } from "../format.ts";
import { withProgress } from "../progress.ts";
import type { AddCommands } from "../session.ts";
import { jsonObject } from "../settings.ts";

export const addDraftCommands: AddCommands = (program, act) => {
  addCreate(program, act);
  addImport(program, act);
  addSegment(program, act);
  addPreflight(program, act);
  addTest(program, act);
};

const addCreate: AddCommands = (program, act) => {
  program
    .command("create")
    .summary("create a draft")
    .description("Creates a draft from a JSON file, from flags, or from both; a flag wins.")
    .argument("[file]", "JSON as of POST /api/campaigns; - is stdin")
    .option("--id <id>", "letters, digits, _ and -; none: one is drawn")
    .option("--name <name>", "how the campaign is listed")
    .option("--from <mailbox>", "The Shop <news@shop.example>")
    .option("--reply-to <mailbox>")
    .option("--subject <text>")
    .option("--html <file>", "template of the HTML part")
    .option("--text <file>", "template of the text part")
    .option("--no-unsubscribe", "leave the unsubscribe links out")
    .option("--set <name=value...>", "settings, such as batchSize=50")
    .action((file, options) =>
      act(async ({ client, io, tell }) => {
        const written = file === undefined ? {} : draftIn(file, await readTextOrStdin(file, io));
        const { html, text, set, unsubscribe, ...fields } = options;
        const draft = {
          ...written,
          ...fields,
          ...(html === undefined ? {} : { html: readText(html) }),
          ...(text === undefined ? {} : { text: readText(text) }),
          ...(unsubscribe ? {} : { unsubscribe }),
          ...(set === undefined ? {} : { settings: settingsOf(set, written["settings"]) }),
        };
        // What is missing or wrong in it the server says by field.
        const campaign = await client.create(draft as unknown as CampaignDraft);
        await tell(
          campaign,
          () => `${campaign.id} is there, in state ${campaign.state}: ${plain(campaign.name)}\n`,
        );
      }),
    );
};

const addImport: AddCommands = (program, act) => {
  program
    .command("import")
    .summary("add recipients from a file")
    .description("Adds recipients from a file of any size. Safe to repeat.")
    .argument("<campaign>")
    .argument("<file>", "CSV with a header line, NDJSON or JSON; - is stdin")
    .addOption(new Option("--format <format>", "none: by the file's name").choices(FORMATS))
    .option("--email-column <name>", "the column of a CSV that holds the address")
    .option("--id-column <name>", "the column of a CSV that holds the id")
    .option("--strict", "exit with 4 where rows were left out")
    .action((campaign, file, options) =>
      act(async ({ client, io, tell }) => {
        const format = formatOf(file, options.format);
        const { body, bytes } = openFile(file, io);
        const { emailColumn, idColumn } = options;
        const report = await client.upload(campaign, {
          body: withProgress(body, bytes, io),
          format,
          ...(emailColumn === undefined ? {} : { emailColumn }),
          ...(idColumn === undefined ? {} : { idColumn }),
        });
        await tell(report, () => uploadText(report));
        return options.strict === true && report.invalid > 0 ? EXIT.attention : EXIT.ok;
      }),
    );
};

const addSegment: AddCommands = (program, act) => {
  program
    .command("segment")
    .summary("add everybody in a view of the audience's database")
    .description("Adds everybody in a D1 view with an id and an email. Safe to repeat.")
    .argument("<campaign>")
    .argument("<view>", "its name, such as active_customers")
    .option("--email-column <name>", "the column that holds the address")
    .option("--id-column <name>", "the column that holds the id")
    .option("--strict", "exit with 4 where rows were left out")
    .action((campaign, view, { emailColumn, idColumn, strict }) =>
      act(async ({ client, tell }) => {
        const report = await client.enrolSegment(campaign, {
          segment: view,
          ...(emailColumn === undefined ? {} : { email: emailColumn }),
          ...(idColumn === undefined ? {} : { id: idColumn }),
        });
        await tell(report, () => uploadText(report));
        return strict === true && report.invalid > 0 ? EXIT.attention : EXIT.ok;
      }),
    );
};

const addTest: AddCommands = (program, act) => {
  program
    .command("test")
    .summary("mail a marked copy to yourself, outside of the ledger")
    .description("Mails what one recipient would get to a few addresses. Nobody is counted.")
    .argument("<campaign>")
    .argument("<addresses...>", "one to five")
    .option("--as <recipient>", "whose mail, by id; none: the first recipient's")
    .action((campaign, to, { as: recipientId }) =>
      act(async ({ client, tell }) => {
        const whose = recipientId === undefined ? {} : { recipientId };
        const report = await client.sendTest(campaign, { to, ...whose });
        await tell(report, () => testText(report));
        return report.failed.length > 0 ? EXIT.attention : EXIT.ok;
      }),
    );
};

const addPreflight: AddCommands = (program, act) => {
  program
    .command("preflight")
    .summary("say what a start would do; exit with 4 where it would be refused")
    .argument("<campaign>")
    .action((campaign) =>
      act(async ({ client, tell }) => {
        const report = await client.preflight(campaign);
        await tell(report, () => preflightText(report));
        return report.ok ? EXIT.ok : EXIT.attention;
      }),
    );
};

function draftIn(file: string, text: string): Record<string, unknown> {
  return jsonObject(text, file === STDIN ? "stdin" : file);
}

/** `batchSize=50` over what the file has. Values are JSON, so that null and numbers are themselves. */
function settingsOf(set: readonly string[], written: unknown): Record<string, unknown> {
  const settings: Record<string, unknown> = { ...(written as object | undefined) };
  for (const each of set) {
    const [, name, value] = /^(\w+)=(.+)$/s.exec(each) ?? [];
    if (name === undefined || value === undefined) {
      throw new UsageError(`--set ${each}: give a name and a value, such as batchSize=50.`);
    }
    try {
      settings[name] = JSON.parse(value);
    } catch {
      throw new UsageError(`--set ${each}: the value has to be a number, or null.`);
    }
  }
  return settings;
}

function uploadText(report: UploadReport): string {
  const { added, duplicates, suppressed, invalid, total, problems } = report;
  const others = [
    duplicates > 0 ? `${count(duplicates)} there already` : null,
    suppressed > 0 ? `${count(suppressed)} suppressed` : null,
    invalid > 0 ? `${count(invalid)} unusable` : null,
  ].filter((text) => text !== null);
  const lines = [
    `${some(added, "recipient")} added${others.length === 0 ? "" : `; ${others.join(", ")}`}. ` +
      `The campaign has ${count(total)}.`,
    ...problems.map(({ line, code, detail }) => `  line ${line}: ${plain(detail)} (${code})`),
  ];
  return `${lines.join("\n")}\n`;
}

function testText({ subject, sent, failed }: TestReport): string {
  const lines = [
    `"${plain(subject)}" was sent to ${sent.map(({ to }) => plain(to)).join(", ")}.`,
    ...failed.map(({ to, reason }) => `  not to ${plain(to)}: ${plain(reason)}`),
  ];
  return `${lines.join("\n")}\n`;
}

function preflightText(report: PreflightReport): string {
  const notMailed = numbers(report.notMailed).map(
    ([status, recipients]) => `  ${count(recipients)} not: ${status}`,
  );
  const because = numbers(report.suppressedBecause).map(
    ([reason, recipients]) => `    ${count(recipients)} by ${reason}`,
  );
  const lines = [
    `${some(report.willBeMailed, "recipient")} would be mailed, ` +
      `in about ${duration(report.estimatedSeconds)}.`,
    ...notMailed,
    ...because,
    ...report.errors.map((finding) => findingText("error", finding)),
    ...report.warnings.map((finding) => findingText("warning", finding)),
    report.ok ? "Nothing keeps it from starting." : "A start would be refused.",
  ];
  return `${lines.join("\n")}\n`;
}

/** Those that are not zero. */
function numbers(counts: Readonly<Record<string, number>>): [string, number][] {
  return Object.entries(counts).filter(([, value]) => value > 0);
}

function findingText(
  kind: "error" | "warning",
  { code, detail, count: hits, recipients = [] }: PreflightReport["errors"][number],
): string {
  const whom =
    recipients.length === 0 ? "" : `, such as ${plain(recipients.slice(0, 3).join(", "))}`;
  const who = hits === undefined ? "" : ` It hits ${some(hits, "recipient")}${whom}.`;
  return `${kind}: ${plain(detail)}${who} (${code})`;
}
