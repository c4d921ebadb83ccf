/** Putting recipients into the ledger: the checked row of an upload, and what became of it. */
import type { Address, RecipientId } from "./ids.ts";

/** One row of an upload that has passed the address check. `line` names it in problems. */
export type Enrolment = {
  readonly line: number;
  readonly id: RecipientId;
  /** Normal form, for uniqueness and suppression. */
  readonly address: Address;
  /** As written, for sending. */
  readonly email: string;
  readonly data: Readonly<Record<string, unknown>>;
};

export type EnrolProblem = {
  readonly line: number;
  readonly code: "duplicateId" | "duplicateAddress" | "suppressed";
  readonly detail: string;
};

export type EnrolReport = {
  readonly added: number;
  readonly duplicates: number;
  readonly suppressed: number;
  /** Recipients of the campaign after this page. */
  readonly total: number;
  /** Duplicates and suppressed rows, in the order of their lines, MAX_PROBLEMS at most. */
  readonly problems: readonly EnrolProblem[];
};
