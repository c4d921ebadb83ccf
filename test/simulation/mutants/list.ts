/**
 * Faults of our own: each is one small change of the shipping code that breaks a promise. The
 * simulator has to notice every one of them, or it would not notice the mistake that looks like it.
 */
import {
  LATE_ACCEPTANCES,
  MANY_LATE_REFUSALS,
  PAUSED_REDELIVERIES,
  SUPPRESSED_IN_FLIGHT,
  SUPPRESSED_WHILE_WAITING,
  type Theme,
} from "../themes.ts";

export type Mutant = {
  readonly name: string;
  /** Below src/. */
  readonly file: string;
  readonly search: string;
  readonly replace: string;
  /**
   * Missing: whichever each seed draws. Given where one seed in a hundred has the coincidence that
   * tells: any change of the timing would hide it, and the others would be run for nothing.
   */
  readonly theme?: Theme;
};

export const MUTANTS: readonly Mutant[] = [
  {
    name: "ignore the token",
    file: "ledger/report.ts",
    search: 'if (token !== batch.token || batch.state !== "leased") return stale(book, batch);',
    replace: 'if (batch.state !== "leased") return stale(book, batch);',
    // Somebody else has to hold the batch while the first one reports.
    theme: MANY_LATE_REFUSALS,
  },
  {
    name: "stale failed accepted",
    file: "ledger/report.ts",
    search: "if (isCurrent) failReported(book, batch, failed);",
    replace: "failReported(book, batch, failed);",
    // The repeat of a key is answered alike, so only the moment between the two reports can tell.
    theme: MANY_LATE_REFUSALS,
  },
  {
    name: "count twice",
    file: "ledger/enrol.ts",
    search: 'book.add("pending", inserted.length - withheld.size);',
    replace: 'book.add("pending", page.length - withheld.size);',
  },
  {
    name: "time-out means failed",
    file: "ledger/report.ts",
    search: "return repeatOrDoubt(book, batch, outcome.repeat ? delay : null, outcome.reason);",
    replace:
      'void delay; return reject(book, batch, { kind: "rejected", reason: outcome.reason, faults: [] });',
  },
  {
    name: "believe a rejection after a doubt",
    file: "ledger/report.ts",
    search: "if (batch.unknown_attempts > 0) {",
    replace: "if (batch.unknown_attempts > 1_000) {",
  },
  {
    name: "settle without all members",
    file: "ledger/batches.ts",
    search: 'if (unsettled === 0 && batch.state !== "settled"',
    replace: 'if (unsettled <= 1 && batch.state !== "settled"',
  },
  {
    name: "sweep early",
    file: "ledger/sweep.ts",
    search:
      'if (batch.state !== "leased" || batch.due_at === null || batch.due_at > book.now) return batch;',
    replace:
      'if (batch.state !== "leased" || batch.due_at === null || batch.due_at > book.now + 3_000) return batch;',
    theme: MANY_LATE_REFUSALS,
  },
  {
    name: "sweep past the window",
    file: "ledger/batches.ts",
    search: "windowUntil: book.now + windowSeconds * 1000,",
    replace: "windowUntil: book.now + windowSeconds * 1000 + 600_000,",
  },
  {
    name: "trust the key to its last second",
    file: "ledger/batches.ts",
    search: "Math.min(book.settings.idempotencyWindowSeconds, REPEAT_MOST_SECONDS)",
    replace: "Math.max(book.settings.idempotencyWindowSeconds, REPEAT_MOST_SECONDS + 2_000)",
  },
  {
    name: "release instead of doubt",
    file: "ledger/waiting.ts",
    search: "if (unknownAttempts === 0) return dissolve(",
    replace: "if (unknownAttempts <= 1) return dissolve(",
  },
  {
    name: "an expired lease was never sent",
    file: "ledger/sweep.ts",
    search: 'repeatOrDoubt(book, written, 0, "the lease ran out without a report");',
    replace:
      'release(book, batch, batch.members, 100, null); endBatch(book, batch, "dissolve", { unsettled: 0, unknownAttempts: 0 });',
  },
  {
    name: "key per attempt",
    file: "ledger/reserve.ts",
    search: "idempotencyKey: idempotencyKey(book.campaign.id, batch.batch),",
    replace: "idempotencyKey: `${idempotencyKey(book.campaign.id, batch.batch)}.${batch.token}`,",
  },
  {
    name: "re-render the batch",
    file: "ledger/reserve.ts",
    search: 'return external ? rows.filter((row) => row.status === "reserved") : rows;',
    replace: "return rows.filter((row) => !hasSuppressed(book.storage, `[${row.seq}]`));",
    theme: SUPPRESSED_WHILE_WAITING,
  },
  {
    name: "claim not compared",
    file: "ledger/reserve.ts",
    search: 'if (batch.state === "leased" && claim !== null && batch.claim === claim) {',
    replace: 'if (batch.state === "leased" && claim !== null) {',
  },
  {
    name: "pause not checked on repeat",
    file: "ledger/reserve.ts",
    search:
      "  if (reason !== null) {\n    countPrevented(book, batch);\n    return refused(reason);",
    replace:
      '  if (reason !== null && !(reason === "paused" && batch !== null)) {\n    return refused(reason);',
    theme: PAUSED_REDELIVERIES,
  },
  {
    name: "drop the suppression check",
    file: "ledger/suppress.ts",
    search: "if (row === null || row.suppression !== null) return;",
    replace: "return;",
  },
  {
    name: "suppress a row that is not written down",
    file: "ledger/suppress.ts",
    search: "const row = whereItStands(book, () => maybeOne(book.storage, find, { address }));",
    replace: "void whereItStands; const row = maybeOne(book.storage, find, { address });",
  },
  {
    name: "believe a row that is not written down, of a webhook",
    file: "ledger/feedback.ts",
    search:
      "const row = whereItStands(book, () => maybeOne(book.storage, named, { seq: event.seq }));",
    replace:
      "void whereItStands; const found = maybeOne(book.storage, named, { seq: event.seq }); const row = found === null ? null : { ...found, batch: found.batch ?? (1 as BatchNumber) };",
  },
  {
    name: "list rows that are not written down",
    file: "ledger/listing.ts",
    search: "  writeDownAll(book);\n",
    replace: "  void writeDownAll;\n",
  },
  {
    name: "cancel who is in an unwritten batch",
    file: "ledger/cancel.ts",
    search: "{ from: book.counters.next_seq, now: book.now }",
    replace: "{ from: 1, now: book.now }",
    theme: LATE_ACCEPTANCES,
  },
  {
    name: "a lease that runs out writes nobody down",
    file: "ledger/sweep.ts",
    search: "const written = writeDown(book, batch);",
    replace: "void writeDown; const written = batch;",
  },
  {
    name: "settle an unwritten batch by some of it",
    file: "ledger/unwritten.ts",
    search: "named.size === batch.size && sent.length === batch.size",
    replace: "named.size > 0",
    theme: MANY_LATE_REFUSALS,
  },
  {
    name: "write down the wrong batch",
    file: "ledger/unwritten.ts",
    search: "(JSON.parse(members) as Seq[]).includes(row.seq),",
    replace: "members.length > 0,",
    theme: SUPPRESSED_IN_FLIGHT,
  },
  {
    name: "pick again from the beginning",
    file: "ledger/pick.ts",
    search: "{ from: book.counters.next_seq, limit: size }",
    replace: "{ from: 1, limit: size }",
  },
  {
    name: "mail the suppressed again after a clean wait",
    file: "ledger/reserve.ts",
    search: "if (batch.unknown_attempts === 0 && hasSuppressed(book.storage, batch.members)) {",
    replace: "if (batch.unknown_attempts > 1_000 && hasSuppressed(book.storage, batch.members)) {",
  },
  {
    name: "forget the alarm",
    file: "campaign/campaign.ts",
    search: "return this.#arm(this.#ledger.report(told, this.#ports.chance(), now));",
    replace: "return this.#ledger.report(told, this.#ports.chance(), now);",
  },
  {
    name: "an alarm that throws",
    file: "campaign/campaign.ts",
    search: "this.#alarm.arm(now + BACKOFF_FIRST_SECONDS * 1000, now, this.#clock);",
    replace: "throw error;",
  },
  {
    name: "mark out before sent",
    file: "campaign/dispatch.ts",
    search: "  try {\n    await within(",
    replace:
      "  ledger.dispatchesSent(dispatches, ports.clock().now());\n  try {\n    await within(",
  },
  {
    name: "don't recall lost dispatches",
    file: "ledger/outbox.ts",
    search:
      "if (at !== null && at <= book.now) run(book.storage, recall, { now: book.now, openedAt });",
    replace: "void at;",
  },
  {
    name: "repeat nobody",
    file: "ledger/sweep.ts",
    search: "    dispatchAgain(book, batch.batch);",
    replace: "    void dispatchAgain;",
  },
  {
    // As it was before the simulator found it.
    name: "count the lease from its answer",
    file: "queue/send-consumer.ts",
    search: "const expiresAt = askedAt + grant.leaseMilliseconds;",
    replace: "const expiresAt = deps.monotonic() + grant.leaseMilliseconds; void askedAt;",
  },
  {
    // As it was before the simulator found it: a campaign with nobody to mail could not start.
    name: "finish without having begun",
    file: "ledger/book.ts",
    search:
      'run(this.storage, writeCampaign, this.campaign);\n    this.campaign.state = "finished";',
    replace: 'this.campaign.state = "finished";',
  },
  {
    name: "acknowledge before the report",
    file: "queue/send-consumer.ts",
    search: "    await deliver(dispatch, deps);\n    message.ack();",
    replace: "    message.ack();\n    await deliver(dispatch, deps);",
  },
  {
    name: "retry-after not shared",
    file: "queue/send-consumer.ts",
    search: "  await holdForAll(outcome, deps);\n",
    replace: "  void holdForAll;\n",
  },
  {
    name: "send without a slot",
    file: "queue/send-consumer.ts",
    search: "  await leaveInSlot(callAt, deps);\n",
    replace: "  void leaveInSlot; void callAt;\n",
  },
];
