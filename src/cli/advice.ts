/**
 * What to do next about a refusal. The server's detail says what is wrong; this says what helps.
 * The table is total over the server's codes: a new code doesn't compile until somebody has thought
 * about it.
 */
import type { SendonceProblem } from "../client/problem.ts";
import type { ProblemCode } from "../client/problem-codes.ts";

/** Null where the detail says it all. */
const ADVICE: Readonly<Record<ProblemCode, string | null>> = {
  malformedPath: null,
  invalidQuery: null,
  invalidHeader: null,
  bodyInterrupted: "Ask again: the connection was lost before all of it had arrived.",
  malformedText: "Save the file as UTF-8.",
  malformedJson: "Check the file with a JSON parser, or `--format csv` if it is none.",
  invalidFields: null,
  invalidUpload:
    "`--email-column` and `--id-column` name the columns of a CSV, and `--format` the format.",
  uploadInterrupted: "Mend the place that is named, and import the same file again.",
  notInBatch: null,
  templateFault: "Give the merge field a default: {{ firstName | default: 'there' }}.",
  noToken: "Give --token, or set SENDONCE_TOKEN.",
  badSignature: null,
  unknownToken: "Compare the token with OPERATOR_TOKEN or VIEWER_TOKEN of the deployment.",
  sessionEnded: null,
  viewerOnly: "Use OPERATOR_TOKEN; the one that was given may only read.",
  wrongOrigin: null,
  pathNotFound: "The server may be older than this command, or --url may not be its origin.",
  campaignNotFound: "`sendonce status` lists the campaigns there are.",
  recipientNotFound: "`sendonce recipients <campaign> --all` lists them with their ids.",
  reservationNotFound: null,
  segmentNotFound:
    'List the views: wrangler d1 execute <database> --command "SELECT name FROM sqlite_schema".',
  suppressionNotFound: "`sendonce suppress list` shows who is on it.",
  methodNotAllowed: "The server may be older than this command.",
  campaignExists: "Choose another id, or change the campaign that has it.",
  wrongState: "`sendonce status <campaign>` says what state it is in.",
  wrongDelivery: "`delivery` was fixed when the campaign was created; create another one.",
  segmentUnfit: "Name its columns with --email-column and --id-column, or mend the view.",
  stillReserved: "Wait until nobody is in flight, and ask again.",
  staleToken: null,
  duplicateRisk: "Settle them with `sendonce resolve`, or accept it: --accept-duplicate-risk.",
  preflightFailed: "`sendonce preflight <campaign>` shows all of it. Mend the draft or the list.",
  notInDoubt: "`sendonce recipients <campaign> --status inDoubt` lists those that are.",
  changedMeanwhile: "Read it again, and make the change of what it is now.",
  tooLarge: "Split it up; an import may be of any size, its single records may not.",
  unsupportedMediaType: "Name the format with --format csv, ndjson or json.",
  upgradeRequired: null,
  tooManyGuesses: "Compare the token with OPERATOR_TOKEN or VIEWER_TOKEN before the next try.",
  internal: "Ask again; if it stays, the server's log has the cause.",
  testNotSent: "Look at what the provider says; nobody of the campaign was mailed.",
  notConfigured: "Set it: `wrangler secret put OPERATOR_TOKEN`.",
  webhookNotConfigured: null,
  overloaded: "Ask again a little later.",
  storageFull: "Erase campaigns that are over, then ask again.",
  campaignsSilent: "Ask again; `--json` has what the others have answered.",
  unavailable: "Ask again: see `sendonce status <campaign>` for what has been carried out.",
};

export function adviceFor(problem: SendonceProblem): string | null {
  return problem.code === "unknown" ? null : ADVICE[problem.code];
}
