/** Before the start, with a draft that is there: import, segment, preview, preflight, test. */
import { Option } from "@commander-js/extra-typings";
import type { MailPreview, PreflightReport, TestReport, UploadReport } from "../../client/types.ts";
import { EXIT } from "../exit.ts";
import { FORMATS, formatOf, openFile } from "../files.ts";
import { count, duration, plain, some } from "../format.ts";
import { withProgress } from "../progress.ts";
import type { AddCommands } from "../session.ts";

export const addDraftCommands: AddCommands = (program, act) => {
  addImport(program, act);
  addSegment(program, act);
  addPreview(program, act);
  addPreflight(program, act);
  addTest(program, act);
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

const addPreview: AddCommands = (program, act) => {
  program
    .command("preview")
    .summary("what one recipient would get")
    .description("Renders the mail of one recipient, and sends nothing.")
    .argument("<campaign>")
    .option("--as <recipient>", "whose mail, by id; none: the first recipient's")
    .addOption(new Option("--part <part>", "that part alone").choices(["subject", "html", "text"]))
    .action((campaign, { as: recipientId, part }) =>
      act(async ({ client, tell }) => {
        const mail = await client.preview(
          campaign,
          recipientId === undefined ? {} : { recipientId },
        );
        await tell(mail, () => (part === undefined ? mailText(mail) : `${mail[part] ?? ""}\n`));
      }),
    );
};

function mailText({ from, recipient, subject, html, text }: MailPreview): string {
  const head = [`From: ${from}`, `To: ${recipient.email}`, `Subject: ${subject ?? ""}`];
  const more = html === null ? "" : "\n(--part html has the other part)\n";
  return `${head.map(plain).join("\n")}\n\n${text ?? html ?? ""}\n${text === null ? "" : more}`;
}

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
