/**
 * The schemas of request bodies by their names in the contract. All that are JSON are the very
 * schemas that check the requests; only uploads, which are read as they come in, are described here.
 */
import * as z from "zod";
import {
  MAX_PREVIEW_BYTES,
  MAX_RECORD_BYTES,
  MAX_TOKEN_CHARACTERS,
  MAX_WEBHOOK_BYTES,
} from "../../domain/limits.ts";
import { signIn } from "../routes/session.ts";
import { change, written } from "../schemas/campaign.ts";
import { nothing } from "../schemas/empty.ts";
import { preview } from "../schemas/preview.ts";
import { recipient } from "../schemas/recipient.ts";
import { replay, resolve, resume } from "../schemas/replay.ts";
import { report, reservation } from "../schemas/reservation.ts";
import { segment } from "../schemas/segment.ts";
import { start, startAtLocal } from "../schemas/start.ts";
import { suppressions } from "../schemas/suppression.ts";
import { test } from "../schemas/test-send.ts";

const uploadedRow = z.strictObject({
  id: recipient.shape.id.nullable(),
  email: recipient.shape.email,
  data: recipient.shape.data.nullable(),
});

const record = `At most ${MAX_RECORD_BYTES} bytes a row.`;

export const REQUEST_SCHEMAS = {
  CampaignDraft: written,
  CampaignChange: change,
  Upload: z
    .strictObject({ recipients: z.array(uploadedRow) })
    .describe(`Any number of recipients. ${record}`),
  UploadLines: z
    .string()
    .describe(`One recipient a line, as JSON: {"id"?, "email", "data"?}. ${record}`),
  UploadTable: z
    .string()
    .describe(
      `CSV (RFC 4180) with a header line. The column \`email\` is required, \`id\` is not, and every other one is a merge field. ${record}`,
    ),
  Segment: segment,
  PreviewRequest: preview,
  TestRequest: test,
  Start: z.union([start, startAtLocal]),
  Nothing: nothing.describe("Nothing, or an object without fields."),
  Replay: replay,
  Resume: resume,
  Resolution: resolve,
  ReservationRequest: reservation,
  Report: report,
  SuppressionRequest: suppressions,
  SuppressionTable: z
    .string()
    .describe(
      `CSV with a header line and the columns \`address\` (or \`email\`), \`reason\` and \`at\`, of which only the first is required. ${record}`,
    ),
  SignIn: signIn.describe(`One of the two tokens, of at most ${MAX_TOKEN_CHARACTERS} characters.`),
  PreviewForm: z
    .object({ html: z.string() })
    .describe(`A form of at most ${MAX_PREVIEW_BYTES} bytes.`),
  ProviderEvent: z
    .looseObject({ type: z.string(), created_at: z.string().optional() })
    .describe(`An event of Resend, as it was signed; at most ${MAX_WEBHOOK_BYTES} bytes.`),
  OneClick: z
    .object({ "List-Unsubscribe": z.literal("One-Click").optional() })
    .describe("The form of RFC 8058; the token alone decides, so any body will do."),
} as const satisfies Record<string, z.ZodType>;

export type RequestName = keyof typeof REQUEST_SCHEMAS;
