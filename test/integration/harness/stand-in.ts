/** The provider stand-in as tests command it and count with it (test/stand-in/PROTOCOL.md). */
import { env } from "cloudflare:workers";

export type Fault = {
  readonly do: string;
  readonly times?: number | null;
  readonly match?: { readonly address?: string; readonly key?: string; readonly nth?: number };
  readonly milliseconds?: number;
  readonly chance?: number;
  readonly seed?: number;
};

export type Counts = {
  readonly accepted: number;
  readonly addresses: number;
  readonly duplicates: number;
};

export type RequestRecord = {
  readonly at: number;
  readonly key: string | null;
  readonly status: number | null;
  readonly name: string | null;
  readonly count: number;
  readonly bodyDigest: string;
  readonly replay: boolean;
  readonly fault: string | null;
};

export type AcceptedRecord = {
  readonly at: number;
  readonly key: string | null;
  readonly index: number;
  readonly id: string;
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly html?: string;
  readonly text?: string;
};

async function control<T>(path: string, body?: unknown): Promise<T> {
  const sending = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(`${env.RESEND_BASE_URL}/control/${path}`, sending);
  const text = await response.text();
  if (!response.ok) throw new Error(`stand-in, ${path}: ${response.status} ${text}`);
  return JSON.parse(text) as T;
}

export const standIn = {
  reset: () => control("reset", {}),
  config: (change: Readonly<Record<string, unknown>>) => control("config", change),
  faults: (...faults: readonly Fault[]) => control("faults", faults),
  advance: (advanceSeconds: number) => control("clock", { advanceSeconds }),
  release: () => control<{ released: number }>("release", {}),
  /** Of one campaign, by the tag of its mails. */
  counts: (campaign: string) => control<Counts>(`counts?campaign=${campaign}`),
  totals: () =>
    control<Counts & { requests: number; replays: number; mostInOneSecond: number }>("counts"),
  perAddress: (campaign: string) =>
    control<Record<string, number>>(`per-address?campaign=${campaign}`),
  accepted: async () =>
    (await control<{ records: AcceptedRecord[] }>("log?kind=accepted&limit=10000")).records,
  /** Every request that was not a check of ours, in the order of arrival. */
  requests: async () =>
    (await control<{ records: RequestRecord[] }>("log?kind=request&limit=10000")).records,
};
