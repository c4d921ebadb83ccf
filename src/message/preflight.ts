/**
 * What a campaign would do if it were started now: how many it would mail, why not the others, and
 * what is wrong with it. Fed with recipients page by page, in memory that doesn't grow with them.
 *
 * An error is what would fail for certain and keeps a campaign from being started. A warning is
 * what an author may have meant.
 */
import { counted } from "../domain/counted.ts";
import type { Content } from "../domain/draft.ts";
import { isSpecialUse } from "../domain/address.ts";
import type { Address } from "../domain/ids.ts";
import {
  LARGE_HTML_BYTES,
  MAX_REQUEST_BYTES,
  NAMED_BY_PREFLIGHT,
  SLOT_SPACING,
} from "../domain/limits.ts";
import type { Finding, PreflightReport } from "../domain/preflight.ts";
import type { RecipientStatus } from "../domain/recipient.ts";
import type { Settings } from "../domain/settings.ts";
import type { SuppressionReason } from "../domain/suppression.ts";
import { MergeCheck, type MergeFault } from "./merge-check.ts";
import { mergeFields } from "./merge-fields.ts";
import type { Recipient } from "./render-mail.ts";
import { contentWarnings, linkErrors } from "./content-warnings.ts";

export type PreflightSubject = {
  readonly content: Content;
  readonly settings: Settings;
  /** Origin of the unsubscribe links. */
  readonly publicUrl: string;
  /** What the provider allows all campaigns together. */
  readonly requestsPerSecond: number;
};

export type CheckedRecipient = Recipient & {
  readonly status: RecipientStatus;
  readonly reason: string | null;
};

type Hit = { readonly finding: Finding; count: number; readonly recipients: string[] };

export class Preflight {
  readonly #subject: PreflightSubject;
  readonly #check: MergeCheck;
  readonly #faults = new Map<string, Hit>();
  readonly #specialUse: Hit = hitOf(SPECIAL_USE_RECIPIENTS);
  readonly #unchecked: Hit = hitOf(NOT_ALL_CHECKED);
  readonly #because = new Map<SuppressionReason, number>();
  readonly #notMailed = new Map<RecipientStatus, number>();
  #willBeMailed = 0;

  constructor(subject: PreflightSubject) {
    this.#subject = subject;
    this.#check = new MergeCheck(subject.content);
  }

  /** Whether one recipient to be mailed is enough to know all errors. */
  get isSameForAll(): boolean {
    return this.#check.isSameForAll;
  }

  /**
   * Takes the next recipients.
   * @param suppressed addresses among them that the account has suppressed meanwhile
   */
  see(
    recipients: readonly CheckedRecipient[],
    suppressed: ReadonlyMap<Address, SuppressionReason>,
  ): void {
    for (const recipient of recipients) this.#seeOne(recipient, suppressed);
  }

  #seeOne(recipient: CheckedRecipient, suppressed: ReadonlyMap<Address, SuppressionReason>): void {
    const { id, status, reason } = recipient;
    const address = addressOf(recipient);
    const since = suppressed.get(address);
    if (status !== "pending" || since !== undefined) {
      const end = status === "pending" ? "suppressed" : status;
      countUp(this.#notMailed, end);
      if (end === "suppressed") countUp(this.#because, since ?? (reason as SuppressionReason));
      return;
    }
    this.#willBeMailed += 1;
    if (isSpecialUse(address)) hit(this.#specialUse, id);
    this.#checkMail(recipient);
  }

  #checkMail(recipient: CheckedRecipient): void {
    const faults = this.#check.faultsOf(recipient);
    if (faults === null) hit(this.#unchecked, recipient.id);
    const named = new Set<string>();
    for (const fault of faults ?? []) {
      const key = fault.field ?? `${fault.part}: ${fault.detail}`;
      // One that is missing in two parts hits its recipient once.
      if (named.has(key)) continue;
      named.add(key);
      let found = this.#faults.get(key);
      if (found === undefined) {
        found = hitOf(this.#findingOf(fault));
        this.#faults.set(key, found);
      }
      hit(found, recipient.id);
    }
  }

  #findingOf({ field, part, detail }: MergeFault): Finding {
    if (field === null) return { code: "templateFault", detail: `${part}: ${detail}` };
    const used = mergeFields(this.#subject.content).find(({ name }) => name === field);
    // Of the parts that print it, those without a default. Where none seems to, the mail knows best.
    const needing = used?.neededIn ?? [];
    const where = (needing.includes(part) ? needing : [part]).join(" and ");
    const advice = `give them a value, or write {{ ${field} | default: "…" }}`;
    return { code: "missingField", field, detail: `"${field}" in ${where} is empty: ${advice}.` };
  }

  report(): PreflightReport {
    const { content, publicUrl } = this.#subject;
    const errors = [
      ...[...this.#faults.values()].map(findingOf),
      ...this.#sizeErrors(),
      ...linkErrors(content, publicUrl),
    ];
    const warnings = [
      ...(this.#willBeMailed === 0 ? [NO_RECIPIENTS] : []),
      ...contentWarnings(content, publicUrl),
      ...this.#sizeWarnings(),
      ...[this.#specialUse, this.#unchecked].filter(({ count }) => count > 0).map(findingOf),
    ];
    return {
      ok: errors.length === 0,
      willBeMailed: this.#willBeMailed,
      notMailed: { suppressed: 0, ...Object.fromEntries(this.#notMailed) },
      suppressedBecause: Object.fromEntries(this.#because),
      errors,
      warnings,
      estimatedSeconds: this.#estimatedSeconds(),
    };
  }

  #sizeErrors(): readonly Finding[] {
    const { batchSize } = this.#subject.settings;
    const bytes = this.#check.largestBytes;
    if (bytes * batchSize <= MAX_REQUEST_BYTES) return [];
    const fits = Math.max(1, Math.floor(MAX_REQUEST_BYTES / bytes));
    const request = `one request with ${counted(batchSize, "mail")} of ${bytes} bytes is too large`;
    return [{ code: "oversizedRequest", detail: `${request}; set settings.batchSize to ${fits}.` }];
  }

  #sizeWarnings(): readonly Finding[] {
    const bytes = this.#check.largestHtmlBytes;
    if (bytes <= LARGE_HTML_BYTES) return [];
    const why = `Gmail cuts off what comes after ${LARGE_HTML_BYTES}, such as the unsubscribe link`;
    return [{ code: "largeHtml", detail: `The html has ${bytes} bytes; ${why}.` }];
  }

  #estimatedSeconds(): number {
    const { settings, requestsPerSecond } = this.#subject;
    const rate = Math.min(requestsPerSecond, settings.requestsPerSecond ?? requestsPerSecond);
    const requests = Math.ceil(this.#willBeMailed / settings.batchSize);
    return Math.ceil((requests * SLOT_SPACING) / rate);
  }
}

const SPECIAL_USE_RECIPIENTS: Finding = {
  code: "specialUseRecipients",
  detail: "These addresses are of domains for trials and examples; the provider refuses them.",
};
const NO_RECIPIENTS: Finding = {
  code: "noRecipients",
  detail:
    "There is nobody to mail: a start at once ends the campaign, and nobody can be added then.",
};
const NOT_ALL_CHECKED: Finding = {
  code: "notAllChecked",
  detail: "The mails differ too much to look at all; whoever can't be rendered fails alone.",
};

function hitOf(finding: Finding): Hit {
  return { finding, count: 0, recipients: [] };
}

function hit(found: Hit, id: string): void {
  found.count += 1;
  if (found.recipients.length < NAMED_BY_PREFLIGHT) found.recipients.push(id);
}

function findingOf({ finding, count, recipients }: Hit): Finding {
  return { ...finding, count, recipients };
}

function countUp<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** The normal form of an address that has passed the check: what was written, in lower case. */
export function addressOf({ email }: { readonly email: string }): Address {
  return email.toLowerCase() as Address;
}
