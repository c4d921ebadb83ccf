/**
 * The closed set of codes that a refusal may have, as it is known where this client was built. The
 * compiler compares it with the server's own set, in both directions.
 */
import type { ProblemCode as CodeOfServer } from "../http/problem.ts";

const CODES = {
  malformedPath: true,
  invalidQuery: true,
  invalidHeader: true,
  bodyInterrupted: true,
  malformedText: true,
  malformedJson: true,
  invalidFields: true,
  invalidUpload: true,
  uploadInterrupted: true,
  notInBatch: true,
  templateFault: true,
  noToken: true,
  badSignature: true,
  unknownToken: true,
  sessionEnded: true,
  viewerOnly: true,
  wrongOrigin: true,
  pathNotFound: true,
  campaignNotFound: true,
  recipientNotFound: true,
  reservationNotFound: true,
  segmentNotFound: true,
  suppressionNotFound: true,
  methodNotAllowed: true,
  campaignExists: true,
  wrongState: true,
  wrongDelivery: true,
  segmentUnfit: true,
  stillReserved: true,
  staleToken: true,
  duplicateRisk: true,
  preflightFailed: true,
  notInDoubt: true,
  changedMeanwhile: true,
  tooLarge: true,
  unsupportedMediaType: true,
  upgradeRequired: true,
  tooManyGuesses: true,
  internal: true,
  testNotSent: true,
  notConfigured: true,
  webhookNotConfigured: true,
  overloaded: true,
  storageFull: true,
  campaignsSilent: true,
  unavailable: true,
} as const satisfies Record<CodeOfServer, true>;

export type ProblemCode = keyof typeof CODES;

export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(CODES, text);
}
