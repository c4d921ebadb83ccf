/**
 * What the checkers are told: everything that has happened, in the order in which it happened. What
 * an object does is told when it is on disk, whether or not anybody heard of it.
 */
import type { ReportRequest, ReserveAnswer, ReserveRequest } from "../../src/campaign/rpc.ts";
import type { Move } from "./journal.ts";
import type { Twin } from "./twin.ts";

/** One call of an object's method. `caller` names the process or object that made it. */
export type Call = {
  readonly object: string;
  readonly method: string;
  readonly args: readonly unknown[];
  readonly caller: string;
  /** When it reached the object, counted in events. */
  readonly number: number;
};

export type Occurrence =
  /** An event of a campaign object is on disk. `call` started it; null: a continuation. */
  | {
      readonly type: "committed";
      readonly twin: Twin;
      readonly moves: readonly Move[];
      readonly call: Call | null;
      /** By the object's own clock. */
      readonly now: number;
    }
  /** A process calls an object; the call may be lost. */
  | { readonly type: "calls"; readonly caller: string; readonly method: string }
  /** A call reaches an object. */
  | { readonly type: "asked"; readonly call: Call; readonly twin: Twin | null }
  /** A call is done and what it did is on disk. `now` is by the object's clock. */
  | {
      readonly type: "done";
      readonly call: Call;
      readonly twin: Twin | null;
      readonly answer: unknown;
      readonly now: number;
    }
  /** A call has ended by a fault, and what it had done before that may be on disk. */
  | { readonly type: "broke"; readonly call: Call; readonly error: unknown }
  /** The answer has reached whoever asked. */
  | {
      readonly type: "heard";
      readonly call: Call;
      readonly twin: Twin | null;
      readonly answer: unknown;
    }
  /** A request leaves a consumer for the provider. */
  | { readonly type: "leaves"; readonly caller: string; readonly key: string }
  /** The provider has received a request. */
  | { readonly type: "received"; readonly key: string; readonly body: string }
  /** The provider has taken a mail: it will be delivered. */
  | {
      readonly type: "accepted";
      readonly twin: Twin;
      readonly recipient: string;
      readonly address: string;
      readonly key: string;
      readonly providerId: string;
    }
  /** The provider's answer has reached the consumer. */
  | { readonly type: "outcome"; readonly caller: string; readonly kind: string }
  /** A consumer is given a message. */
  | { readonly type: "delivered"; readonly caller: string; readonly messageId: string }
  /** A consumer acknowledges a message. */
  | { readonly type: "acknowledged"; readonly caller: string; readonly messageId: string }
  /** An object's method has thrown what no fault explains. */
  | {
      readonly type: "threw";
      readonly call: Call | null;
      readonly object: string;
      readonly error: unknown;
    };

export type ReserveCall = { readonly request: ReserveRequest; readonly answer: ReserveAnswer };

/** The reserve of a `done` or `heard` occurrence whose answer is a yes or a typed no. */
export function reserveOf(call: Call, answer: unknown): ReserveCall | null {
  if (call.method !== "reserve") return null;
  const result = answer as { ok: boolean; value: ReserveAnswer };
  if (!result.ok) return null;
  return { request: call.args[0] as ReserveRequest, answer: result.value };
}

export function reportOf(call: Call | null): ReportRequest | null {
  return call?.method === "report" ? (call.args[0] as ReportRequest) : null;
}

/** Whether a `Result` came back as a yes. */
export function isYes(answer: unknown): boolean {
  return (answer as { ok?: unknown } | null)?.ok === true;
}
