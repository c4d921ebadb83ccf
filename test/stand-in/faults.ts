/**
 * Faults by command: which one, if any, happens to a send request.
 *
 * The first fault of the list that matches is taken, and is used up after `times` requests. What
 * happens by chance is drawn from a seed, so that a run can be repeated.
 */
import { isObject } from "./settings.ts";

/** Nothing is accepted. */
const BEFORE = ["dropBefore", "answer500", "rate", "quota", "conflictBody", "conflictProgress"];
/** The request takes its usual course, and only its answer suffers. */
const AFTER = [
  "acceptThenDrop",
  "acceptThenHalf",
  "acceptThenHang",
  "acceptThenHtml",
  "acceptThenEmpty",
  "acceptThenBraces",
  "acceptThen500",
  "slow",
  "wrongCount",
];

export type BeforeFault =
  | "dropBefore"
  | "answer500"
  | "rate"
  | "quota"
  | "conflictBody"
  | "conflictProgress";
type AfterFault =
  | "acceptThenDrop"
  | "acceptThenHalf"
  | "acceptThenHang"
  | "acceptThenHtml"
  | "acceptThenEmpty"
  | "acceptThenBraces"
  | "acceptThen500"
  | "slow"
  | "wrongCount";
export type FaultKind = BeforeFault | AfterFault;

export type TakenFault = { readonly kind: FaultKind; readonly milliseconds: number };

export function isBeforeFault(kind: FaultKind): kind is BeforeFault {
  return BEFORE.includes(kind);
}

type Fault = {
  readonly kind: FaultKind;
  /** Requests it still happens to; Infinity: for ever. */
  left: number;
  readonly address: string | null;
  readonly key: string | null;
  /** The number, from the start of the stand-in, of the only request it may happen to. */
  readonly request: number | null;
  readonly milliseconds: number;
  readonly chance: number;
  readonly draw: () => number;
};

/** mulberry32: 32 bits of state, the same numbers in [0, 1) for the same seed. */
function seededDraw(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const FIELDS = ["do", "times", "match", "milliseconds", "chance", "seed"];
const MATCH_FIELDS = ["address", "key", "nth"];
const DEFAULT_SLOW_MILLISECONDS = 1000;

function refuseUnknown(given: object, known: readonly string[], where: string): void {
  for (const name of Object.keys(given)) {
    if (!known.includes(name)) throw new TypeError(`${where}.${name}: unknown field`);
  }
}

function number(value: unknown, fallback: number, where: string): number {
  if (value === undefined) return fallback;
  if (typeof value !== "number" || !(value >= 0))
    throw new TypeError(`${where}: expected a number`);
  return value;
}

function text(value: unknown, where: string): string | null {
  if (value === undefined) return null;
  if (typeof value !== "string") throw new TypeError(`${where}: expected a string`);
  return value;
}

function parseFault(given: unknown, requestsSoFar: number, where: string): Fault {
  if (!isObject(given)) throw new TypeError(`${where}: expected an object`);
  refuseUnknown(given, FIELDS, where);
  const kind = given["do"];
  if (typeof kind !== "string" || ![...BEFORE, ...AFTER].includes(kind)) {
    throw new TypeError(`${where}.do: expected one of ${[...BEFORE, ...AFTER].join(", ")}`);
  }
  const match = given["match"] ?? {};
  if (!isObject(match)) throw new TypeError(`${where}.match: expected an object`);
  refuseUnknown(match, MATCH_FIELDS, `${where}.match`);
  const nth = number(match["nth"], 0, `${where}.match.nth`);
  const times = given["times"];
  return {
    kind: kind as FaultKind,
    left: times === null ? Infinity : number(times, 1, `${where}.times`),
    address: text(match["address"], `${where}.match.address`)?.toLowerCase() ?? null,
    key: text(match["key"], `${where}.match.key`),
    request: nth === 0 ? null : requestsSoFar + nth,
    milliseconds: number(given["milliseconds"], DEFAULT_SLOW_MILLISECONDS, `${where}.milliseconds`),
    chance: number(given["chance"], 1, `${where}.chance`),
    draw: seededDraw(number(given["seed"], 1, `${where}.seed`)),
  };
}

export class Faults {
  #faults: Fault[] = [];
  #requests = 0;

  /** Adds to those that are still waiting. @throws TypeError that names the place */
  add(list: unknown): void {
    if (!Array.isArray(list)) throw new TypeError("faults: expected a list");
    const parsed = list.map((given, index) =>
      parseFault(given, this.#requests, `faults[${index}]`),
    );
    this.#faults.push(...parsed);
  }

  /**
   * Counts one send request and takes the fault that happens to it.
   * @param addresses of all its recipients, lowercased; asked for only where a fault names one
   */
  take(key: string | null, addresses: () => ReadonlySet<string>): TakenFault | null {
    this.#requests += 1;
    const found = this.#faults.find((fault) => this.#happens(fault, key, addresses));
    if (found === undefined) return null;
    found.left -= 1;
    if (found.left <= 0) this.#faults = this.#faults.filter((fault) => fault !== found);
    return { kind: found.kind, milliseconds: found.milliseconds };
  }

  /** How many are still waiting for their request. */
  get waiting(): number {
    return this.#faults.length;
  }

  #happens(fault: Fault, key: string | null, addresses: () => ReadonlySet<string>): boolean {
    if (fault.request !== null && fault.request !== this.#requests) return false;
    if (fault.key !== null && fault.key !== key) return false;
    if (fault.address !== null && !addresses().has(fault.address)) return false;
    return fault.chance >= 1 || fault.draw() < fault.chance;
  }
}
