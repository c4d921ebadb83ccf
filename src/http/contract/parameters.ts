/** Parameters of paths, queries and headers, with their limits. */
import {
  DEFAULT_PAGE,
  MAX_CAMPAIGN_ID_CHARACTERS,
  MAX_CLAIM_CHARACTERS,
  MAX_CURSOR_CHARACTERS,
  MAX_PAGE,
  MAX_RECIPIENT_ID_CHARACTERS,
  MAX_RESERVATION_ID_CHARACTERS,
  MAX_WRITTEN_ADDRESS_CHARACTERS,
} from "../../domain/limits.ts";
import { RECIPIENT_STATUSES } from "../../domain/recipient.ts";
import type { Parameter, PathParameter } from "./operation.ts";

/** A named part of a path, and what it is in an example that says nothing else. */
type PathPart = Parameter & { readonly example: string };

export const PATH_PARAMETERS: Readonly<Record<PathParameter, PathPart>> = {
  id: {
    text: "The campaign.",
    schema: { type: "string", pattern: `^[A-Za-z0-9_-]{1,${MAX_CAMPAIGN_ID_CHARACTERS}}$` },
    example: "spring",
  },
  recipientId: {
    text: "The recipient, percent-encoded.",
    schema: { type: "string", minLength: 1, maxLength: MAX_RECIPIENT_ID_CHARACTERS },
    example: "u_81",
  },
  reservationId: {
    text: "The reservation, percent-encoded.",
    schema: { type: "string", minLength: 1, maxLength: MAX_RESERVATION_ID_CHARACTERS },
    example: "message-1",
  },
  address: {
    text: "An email address in any spelling, percent-encoded.",
    schema: { type: "string", maxLength: MAX_WRITTEN_ADDRESS_CHARACTERS },
    example: "grace@mail.example",
  },
  token: {
    text: "What the link in a mail holds; signed, and for one recipient of one campaign.",
    schema: { type: "string" },
    example: "spring.1.0000000000000000000000000000000000000000000",
  },
};

/** @param most rows of one page */
export function pageParameters(most = MAX_PAGE) {
  const usual = Math.min(DEFAULT_PAGE, most);
  return {
    limit: {
      text: `Rows of a page; ${usual} where not said.`,
      schema: { type: "integer", minimum: 1, maximum: most, default: usual },
    },
    cursor: {
      text: "As the page before gave it.",
      schema: { type: "string", minLength: 1, maxLength: MAX_CURSOR_CHARACTERS },
    },
  } satisfies Record<string, Parameter>;
}

export const STATUS_PARAMETER: Parameter = {
  text: "Only recipients in this status; `remaining` is another word for `pending`.",
  schema: { type: "string", enum: [...RECIPIENT_STATUSES, "remaining"] },
};

export const EMAIL_PARAMETER: Parameter = {
  text: "Only the recipient with this address, in any spelling.",
  schema: { type: "string", maxLength: MAX_WRITTEN_ADDRESS_CHARACTERS },
};

export const columnParameter = (of: string, usual: string): Parameter => ({
  text: `The column of a CSV that holds the ${of}, where it is not \`${usual}\`.`,
  schema: { type: "string" },
});

/** Of an answer that is a whole campaign. */
export const ETAG = { ETag: "Names what was answered, for a later `If-Match` (RFC 9110 §8.8.3)." };

export const IF_MATCH: Parameter = {
  text: "The `ETag` of the answer that the change was made from, or several; none: whatever stands.",
  schema: { type: "string" },
};

export const CLAIM_HEADER: Parameter = {
  text:
    "Names this ask. The same ask again gets the grant that it was given, so that a lost answer " +
    "costs nothing.",
  schema: { type: "string", minLength: 1, maxLength: MAX_CLAIM_CHARACTERS },
};
