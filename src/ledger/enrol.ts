/**
 * Puts recipients into the ledger. The row is the first guard of G1: its id and its normal address
 * are unique in the campaign, so nobody is enrolled twice however often a list is uploaded.
 */
import type { Address } from "../domain/ids.ts";
import { ENROL_PAGE, MAX_PROBLEMS } from "../domain/limits.ts";
import type { EnrolRefusal } from "../domain/refusal.ts";
import { accept, assert, refuse, type Result } from "../domain/result.ts";
import type { EnrolProblem, EnrolReport, Enrolment } from "../domain/enrolment.ts";
import type { SuppressionEntry } from "../domain/suppression.ts";
import type { Book } from "./book.ts";
import { all, statement } from "./sql.ts";
import { erasedAmong, rememberErased } from "./suppress.ts";

const insertRecipients = statement<
  { id: string; address: string; suppression: string | null },
  { rows: string; now: number }
>(
  "enrol.insertRecipients",
  `INSERT INTO recipients
      (id, address, email, data, status, suppression, suppressed_at, reason, updated_at)
    SELECT j.value ->> 'id', j.value ->> 'address', j.value ->> 'email', j.value ->> 'data',
      CASE WHEN coalesce(j.value ->> 'suppression', s.reason) IS NULL
        THEN 'pending' ELSE 'suppressed' END,
      coalesce(j.value ->> 'suppression', s.reason),
      coalesce(j.value ->> 'suppressedAt', s.at),
      coalesce(j.value ->> 'suppression', s.reason),
      :now
    FROM json_each(:rows) AS j LEFT JOIN suppressions AS s ON s.address = j.value ->> 'address'
    WHERE s.erased_at IS NULL
    ON CONFLICT DO NOTHING
    RETURNING id, address, suppression`,
);
const knownIds = statement<{ id: string }, { ids: string }>(
  "enrol.knownIds",
  "SELECT id FROM recipients WHERE id IN (SELECT value FROM json_each(:ids))",
);

/**
 * @param known suppressions among these addresses that the account has told; those that reached
 *   this campaign in the meantime are in its own table and count as well (SPEC G6)
 */
export function enrol(
  book: Book,
  page: readonly Enrolment[],
  known: readonly SuppressionEntry[],
): EnrolReport {
  assert(page.length <= ENROL_PAGE, "a page is bounded");
  rememberErased(book, known);
  const suppressed = new Map(known.map((entry) => [entry.address, entry]));
  const rows = JSON.stringify(page.map((row) => insertable(row, suppressed)));
  const inserted = all(book.storage, insertRecipients, { rows, now: book.now });
  const withheld = new Set(inserted.filter((row) => row.suppression !== null).map(keyOf));
  book.add("pending", inserted.length - withheld.size);
  book.add("suppressed", withheld.size);
  const left = leftOut(page, new Set(inserted.map(keyOf)));
  const erased = erasedAmong(
    book,
    left.map(({ address }) => address),
  );
  const unwanted = left.filter(({ address }) => erased.has(address));
  const doubles = left.filter(({ address }) => !erased.has(address));
  return {
    added: inserted.length - withheld.size,
    duplicates: doubles.length,
    // Whoever was erased gets no row: it would bring back what was to be forgotten.
    suppressed: withheld.size + unwanted.length,
    total: book.counters.total,
    problems: problemsOf(book, doubles, [
      ...page.filter((row) => withheld.has(keyOf(row))),
      ...unwanted,
    ]),
  };
}

/** A row that stands twice in one page was inserted once: the first of the two is it. */
function leftOut(page: readonly Enrolment[], inserted: ReadonlySet<string>): Enrolment[] {
  if (inserted.size === page.length) return [];
  const left = new Set(inserted);
  return page.filter((row) => !left.delete(keyOf(row)));
}

/** Names a row of the page by both of its identities, since either may be the one that collided. */
function keyOf(row: { readonly id: string; readonly address: string }): string {
  return `${row.address}\n${row.id}`;
}

function insertable(row: Enrolment, suppressed: ReadonlyMap<Address, SuppressionEntry>) {
  const entry = suppressed.get(row.address);
  return {
    id: row.id,
    address: row.address,
    // The normal form serves for sending where it is what was written.
    email: row.email === row.address ? null : row.email,
    data: JSON.stringify(row.data),
    suppression: entry?.reason ?? null,
    suppressedAt: entry?.at ?? null,
  };
}

function problemsOf(
  book: Book,
  doubles: readonly Enrolment[],
  withheld: readonly Enrolment[],
): EnrolProblem[] {
  if (doubles.length === 0 && withheld.length === 0) return [];
  const named = doubles.slice(0, MAX_PROBLEMS);
  const ids = JSON.stringify(named.map((row) => row.id));
  const known = new Set(all(book.storage, knownIds, { ids }).map((row) => row.id));
  const problems = [
    ...named.map((row) => duplicateProblem(row, known.has(row.id))),
    ...withheld.map(suppressedProblem),
  ];
  return problems.toSorted((a, b) => a.line - b.line).slice(0, MAX_PROBLEMS);
}

function duplicateProblem(row: Enrolment, byId: boolean): EnrolProblem {
  return byId
    ? { line: row.line, code: "duplicateId", detail: `the id ${row.id} is enrolled already` }
    : { line: row.line, code: "duplicateAddress", detail: `${row.email} is enrolled already` };
}

function suppressedProblem(row: Enrolment): EnrolProblem {
  return { line: row.line, code: "suppressed", detail: `${row.email} must not be mailed` };
}

/**
 * The same, where the audience may still grow: that of a managed campaign is frozen at start, an
 * external one is never closed before its consumer says so.
 */
export function enrolIfOpen(
  book: Book,
  page: readonly Enrolment[],
  known: readonly SuppressionEntry[],
): Result<EnrolReport, EnrolRefusal> {
  const { delivery, state, enrolment_closed } = book.campaign;
  const running = state === "sending" || state === "paused";
  const open = delivery === "external" && running && enrolment_closed === 0;
  if (!open && state !== "draft" && state !== "scheduled") {
    return refuse({ code: "wrongState", state, command: "edit" });
  }
  return accept(enrol(book, page, known));
}
