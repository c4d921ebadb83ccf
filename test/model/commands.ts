/** The commands of the model test: each is given to both ledgers, and both are compared whole. */
import * as fc from "fast-check";
import { expect } from "vitest";
import type {
  Address,
  BatchNumber,
  DispatchNumber,
  RecipientId,
  Seq,
  Token,
} from "../../src/domain/ids.ts";
import type { AttemptOutcome } from "../../src/domain/outcome.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { asTheyStand, DRAWN } from "../contract/checked-ledger.ts";
import { person } from "../contract/rig.ts";
import type { NodeStorage } from "../support/node-storage.ts";
import type { ReferenceLedger } from "./reference-ledger.ts";

export type Real = {
  readonly storage: NodeStorage;
  readonly ledger: Ledger;
  /** What has happened at least once in the whole test. */
  readonly seen: Map<string, number>;
  /** Batches that were not written down after the command before. */
  readonly unwritten: Set<number>;
};

type Command = fc.Command<ReferenceLedger, Real>;

/** One step on both sides, which answer alike and are alike afterwards. */
function command(
  name: string,
  step: (model: ReferenceLedger, real: Real) => readonly [unknown, unknown],
): Command {
  return {
    check: () => true,
    run: (model, real) => {
      const [expected, actual] = step(model, real);
      model.close();
      expect(actual, name).toEqual(expected);
      expect(realState(real, model.now), `after ${name}`).toEqual(modelState(model));
      count(real, name.split(" ")[0] ?? name);
      for (const one of model.people) count(real, `recipient:${one.status}`);
      for (const one of model.batches.values()) count(real, `batch:${one.state}`);
      countUnwritten(real, name);
      count(real, `campaign:${model.state}`);
    },
    toString: () => name,
  };
}

function count(real: Real, what: string): void {
  real.seen.set(what, (real.seen.get(what) ?? 0) + 1);
}

/** Which commands have met batches whose members were not written down. */
function countUnwritten(real: Real, name: string): void {
  const { storage, unwritten } = real;
  const now = new Set(
    storage.sql
      .exec("SELECT batch FROM batches WHERE unwritten = 1")
      .toArray()
      .map((row) => Number(row["batch"])),
  );
  const ended = [...unwritten].filter((batch) => !now.has(batch));
  for (const batch of ended) {
    const { state } = storage.sql
      .exec("SELECT state FROM batches WHERE batch = ?1", batch)
      .toArray()[0] as { state: string };
    count(real, `unwritten:${name.split(" ")[0]}:${state}`);
  }
  unwritten.clear();
  for (const batch of now) unwritten.add(batch);
}

function modelState(model: ReferenceLedger): unknown {
  return {
    state: model.state,
    people: model.people.map(({ id, status, suppressed, providerId, batch, bound }) => ({
      id,
      status,
      suppressed,
      providerId,
      batch,
      bound,
    })),
    batches: [...model.batches.values()]
      .toSorted((a, b) => a.number - b.number)
      .map(({ number: batch, state, token, unknown, windowUntil, members, ends }) => ({
        batch,
        state,
        token,
        unknown,
        windowUntil,
        members,
        ends: [...ends],
      })),
    dispatches: [...model.dispatches].toSorted(([a], [b]) => a - b),
    stats: {
      total: model.people.length,
      sent: model.of("sent").length,
      reserved: model.of("reserved").length,
      failed: model.of("failed").length,
      remaining: model.of("pending").length,
      suppressed: model.of("suppressed").length,
      inDoubt: model.of("inDoubt").length,
      cancelled: model.of("cancelled").length,
    },
  };
}

function realState({ storage, ledger }: Real, now: number): unknown {
  return asTheyStand(ledger, storage, now, () => rowsOf(storage, ledger, now));
}

function rowsOf(storage: NodeStorage, ledger: Ledger, now: number): unknown {
  const read = (query: string) => storage.sql.exec(query).toArray();
  const status = ledger.status(now);
  const ends = Map.groupBy(
    read("SELECT batch, token, outcome FROM attempts ORDER BY batch, token"),
    (row) => row["batch"],
  );
  return {
    state: status?.state,
    people: read("SELECT * FROM recipients ORDER BY seq").map((row) => ({
      id: row["id"],
      status: row["status"],
      suppressed: row["suppression"] !== null,
      providerId: row["provider_id"],
      batch: row["batch"],
      bound: row["released"],
    })),
    batches: read("SELECT * FROM batches ORDER BY batch").map((row) => ({
      batch: row["batch"],
      state: row["state"],
      token: row["token"],
      unknown: row["unknown_attempts"],
      windowUntil: row["window_until"],
      members: JSON.parse(String(row["members"])) as unknown,
      ends: (ends.get(row["batch"] ?? null) ?? []).map((end) => [end["token"], end["outcome"]]),
    })),
    dispatches: read("SELECT dispatch, repeats FROM dispatches ORDER BY dispatch").map((row) => [
      row["dispatch"],
      row["repeats"] === 1,
    ]),
    stats: status?.stats,
  };
}

const universe = Array.from({ length: 30 }, (_, index) => `r${index + 1}`);
const name = fc.constantFrom(...universe);
const number = fc.integer({ min: 0, max: 1000 });

const enrol = fc.array(name, { maxLength: 8 }).map((ids) =>
  command(`enrol ${ids.join(" ")}`, (model, { ledger }) => {
    const page = ids.map((id, index) => person(id, undefined, index + 1));
    return [model.enrol(ids), ledger.enrol(page, [], model.now).ok];
  }),
);

const start = fc.constant(
  command("start", (model, { ledger }) => [
    model.start(),
    ledger.start(null, "https://x", DRAWN, model.now).ok,
  ]),
);

const pause = fc.constant(
  command("pause", (model, { ledger }) => [
    model.pause(),
    ledger.pause("operator", "x", model.now).ok,
  ]),
);

const resume = fc.constant(
  command("resume", (model, { ledger }) => [model.resume(), ledger.resume(DRAWN, model.now).ok]),
);

const cancel = fc.constant(
  command("cancel", (model, { ledger }) => [model.cancel(), ledger.cancel(model.now).ok]),
);

const tick = fc.constant(
  command("tick", (model, { ledger }) => {
    model.tick();
    ledger.tick(DRAWN, model.now);
    ledger.dispatchesSent(ledger.dueDispatches(model.now), model.now);
    return [null, null];
  }),
);

const advance = fc.constantFrom(0.5, 1, 3, 5, 30, 120, 400, 1000).map((seconds) =>
  command(`advance ${seconds}`, (model) => {
    model.now += seconds * 1000;
    return [null, null];
  }),
);

const suppress = name.map((id) =>
  command(`suppress ${id}`, (model, { ledger }) => {
    model.suppress(id);
    const address = `${id}@example.org` as Address;
    ledger.suppress([{ address, reason: "unsubscribe", at: model.now }], model.now);
    return [null, null];
  }),
);

const reserve = fc.tuple(number, fc.constantFrom("a", "b")).map(([drawn, claim]) =>
  command(`reserve ${drawn} ${claim}`, (model, real) => {
    // Mostly a dispatch that is out, else any number that was ever given or never.
    const out = [...model.dispatches.keys()];
    const dispatch =
      out.length > 0 && drawn % 4 > 0
        ? (out[drawn % out.length] ?? 1)
        : (drawn % (model.nextNumber + 1)) + 1;
    const request = { by: "dispatch", dispatch: dispatch as DispatchNumber, claim } as const;
    const answer = real.ledger.reserve(request, [], model.now);
    const actual = answer.ok ? answer.value : null;
    const expected = model.reserve(dispatch, claim);
    count(real, expected.granted ? "granted" : `refused:${expected.reason}`);
    return [
      expected,
      actual?.granted === true
        ? {
            granted: true,
            token: actual.token,
            members: actual.members.map((member) => member.seq as number),
          }
        : { granted: false, reason: actual?.reason },
    ];
  }),
);

const KINDS = ["sent", "failed", "mixed", "part", "rejected", "deferred", "quota"] as const;
const UNKNOWNS = ["unknown", "unknown", "drifted"] as const;

const sent = (seq: Seq) => ({ seq, outcome: "sent", providerId: `p${seq}` }) as const;
const failed = (seq: Seq) => ({ seq, outcome: "failed", reason: "no" }) as const;

function outcomeOf(kind: string, seqs: readonly number[]): AttemptOutcome {
  const places = seqs as Seq[];
  const trouble = { reason: "trouble", retryAfterSeconds: null };
  switch (kind) {
    case "sent":
      return { kind: "answered", results: places.map(sent) };
    case "failed":
      return { kind: "answered", results: places.map(failed) };
    case "mixed":
      return { kind: "answered", results: places.map((seq, at) => (at > 0 ? failed : sent)(seq)) };
    case "part":
      return { kind: "answered", results: places.slice(0, 1).map(sent) };
    case "rejected":
      return { kind: "rejected", reason: "content", faults: [] };
    case "deferred":
      return { kind: "deferred", reason: "429", retryAfterSeconds: 5, pause: null };
    case "quota":
      return { kind: "deferred", ...trouble, pause: "providerQuota" };
    default:
      return { kind: "unknown", ...trouble, repeat: kind === "unknown" };
  }
}

/** Mostly the holder of a lease, with its token; else any batch that ever was, with any token. */
const report = fc
  .tuple(number, fc.constantFrom(...KINDS, ...UNKNOWNS), number)
  .map(([drawn, kind, stale]) =>
    command(`report ${drawn} ${kind} ${stale}`, (model, real) => {
      const all = [...model.batches.values()];
      const leased = all.filter((batch) => batch.state === "leased");
      const from = leased.length > 0 && stale % 4 > 0 ? leased : all;
      const batch = from[drawn % Math.max(from.length, 1)];
      if (batch === undefined) return [null, null];
      const token = stale % 5 > 0 ? batch.token : (stale % (batch.token + 1)) + 1;
      const outcome = outcomeOf(kind, batch.members);
      const request = {
        batch: { number: batch.number as BatchNumber },
        token: token as Token,
        outcome,
      };
      const answer = real.ledger.report(request, 0, model.now);
      const expected = model.report(batch.number, token, outcome);
      count(real, expected ? `reported:${kind}` : "reported:stale");
      return [expected ? "taken" : "staleToken", answer.ok ? "taken" : answer.refusal.code];
    }),
  );

/** Whoever looks has rows written that would else be written later, and changes nothing by it. */
const look = fc.oneof(name, fc.constant(null)).map((id) =>
  command(`look ${id ?? "at all"}`, (model, { ledger }) => {
    if (id === null) {
      const page = ledger.recipients({ status: null, limit: 1000, cursor: null }, model.now);
      const standing = model.people.map(({ status, batch }) => [status, batch]);
      return [standing, page?.items.map(({ status, batch }) => [status, batch])];
    }
    const known = model.people.find((one) => one.id === id);
    const story = ledger.recipient(id as RecipientId, model.now);
    return [
      [known?.status, known?.batch],
      [story?.status, story?.batch],
    ];
  }),
);

const replay = fc.constantFrom("failed" as const, "inDoubt" as const).map((status) =>
  command(`replay ${status}`, (model, { ledger }) => {
    const request =
      status === "failed"
        ? ({ recipients: "failed" } as const)
        : ({ recipients: "inDoubt", acceptDuplicateRisk: true } as const);
    return [model.replay(status), ledger.replay(request, model.now).ok];
  }),
);

const resolve = fc.constantFrom("sent" as const, "failed" as const).map((as) =>
  command(`resolve ${as}`, (model, { ledger }) => {
    const ids = model.of("inDoubt").map(({ id }) => id as RecipientId);
    const request = { ids, as };
    const answer = ledger.resolve(request, model.now).ok;
    model.resolve(as);
    return [true, answer];
  }),
);

const often = (times: number, arbitrary: fc.Arbitrary<Command>) =>
  Array.from({ length: times }, () => arbitrary);

/** What happens often in life is drawn often. */
export const COMMANDS: fc.Arbitrary<Command>[] = [
  enrol,
  start,
  pause,
  suppress,
  replay,
  resolve,
  look,
  ...often(2, resume),
  ...often(8, reserve),
  ...often(8, report),
  ...often(5, tick),
  ...often(4, advance),
];

/** A cancel ends most of the story, so it is only in some runs. */
export const CANCELLING: fc.Arbitrary<Command>[] = [...COMMANDS, cancel];
