/**
 * The reads of the load run, and what makes an answer of each a wrong one. Its shape is held against
 * the contract (closed: a field more is wrong too); the numbers against themselves, and against what
 * the same reader has seen before: a version never falls, and who was mailed stays mailed.
 */
import type {
  CampaignEntry,
  CampaignEvent,
  DeadLetter,
  DeliveryStatus,
  Page,
  Recipient,
  RecipientStory,
} from "../../src/client/types.ts";

/** What one reader knows of the campaign from its answers so far. */
export type Seen = { version: number; sent: number; events: number; cursor: string | null };

export const nothingSeen = (): Seen => ({ version: 0, sent: 0, events: 0, cursor: null });

export type Target = { readonly id: string; readonly recipients: number };

export type Read = {
  readonly name: string;
  /** How often in a turn of all reads. */
  readonly share: number;
  path(target: Target, seen: Seen, turn: number): string;
  /** What is wrong with a 2xx; empty where nothing. `body` is the JSON, or the text of another type. */
  faults(body: unknown, target: Target, seen: Seen, asked: string): string[];
};

const PAGE = 50;

const faultsOf = (wrong: Readonly<Record<string, boolean>>): string[] =>
  Object.entries(wrong).flatMap(([what, isSo]) => (isSo ? [what] : []));

function statusFaults(status: DeliveryStatus, target: Target, seen: Seen): string[] {
  const { total, ...states } = status.stats;
  const sum = Object.values(states).reduce((left, right) => left + right, 0);
  const faults = faultsOf({
    [`total ${total}, the states add up to ${sum}`]: total !== sum,
    [`total ${total}`]: total !== target.recipients,
    [`version ${status.version} after ${seen.version}`]: status.version < seen.version,
    [`${states.sent} sent after ${seen.sent}`]: states.sent < seen.sent,
    [`a status of ${status.campaignId}`]: status.campaignId !== target.id,
    [`paused: ${status.pause?.detail}`]: status.pause !== null,
  });
  seen.version = status.version;
  seen.sent = states.sent;
  return faults;
}

const isRising = (numbers: readonly number[]): boolean =>
  numbers.every((each, at) => at === 0 || each > (numbers[at - 1] ?? 0));

/** `u_7` of `u_7`: the list is in the order of enrolment. */
const placeOf = ({ id }: { readonly id: string }): number => Number(id.slice("u_".length));

const status: Read = {
  name: "status",
  share: 16,
  path: ({ id }) => `/api/campaigns/${id}/delivery-status`,
  faults: (body, target, seen) => statusFaults(body as DeliveryStatus, target, seen),
};

const recipients: Read = {
  name: "recipients",
  share: 8,
  path: ({ id }, { cursor }) =>
    `/api/campaigns/${id}/recipients?limit=${PAGE}${cursor === null ? "" : `&cursor=${cursor}`}`,
  faults(body, _target, seen) {
    const { items, cursor } = body as Page<Recipient>;
    seen.cursor = cursor;
    return faultsOf({
      "out of order, or somebody twice": !isRising(items.map(placeOf)),
      [`${items.length} on a page`]: items.length === 0 || items.length > PAGE,
      "sent without the provider's id": items.some(isSentUnproven),
    });
  },
};

const sentOnly: Read = {
  name: "recipients, sent",
  share: 4,
  path: ({ id }) => `/api/campaigns/${id}/recipients?status=sent&limit=${PAGE}`,
  faults(body, _target, seen) {
    const { items } = body as Page<Recipient>;
    return faultsOf({
      "one who is not sent": items.some((each) => each.status !== "sent"),
      [`${items.length} of at least ${seen.sent} sent`]: items.length < Math.min(PAGE, seen.sent),
    });
  },
};

const isSentUnproven = ({ status: now, providerId }: Recipient): boolean =>
  (now === "sent") !== (providerId !== null);

const recipient: Read = {
  name: "one recipient",
  share: 8,
  path: ({ id, recipients: count }, _seen, turn) =>
    `/api/campaigns/${id}/recipients/u_${(turn * 7919) % count}`,
  faults(body, _target, _seen, asked) {
    const story = body as RecipientStory;
    return faultsOf({
      [`the story of ${story.id}`]: !asked.endsWith(`/${story.id}`),
      "sent without the provider's id": isSentUnproven(story),
      "sent without an attempt": story.status === "sent" && story.attempts.length === 0,
    });
  },
};

const events: Read = {
  name: "events",
  share: 4,
  path: ({ id }) => `/api/campaigns/${id}/events`,
  faults(body, _target, seen) {
    const numbers = (body as Page<CampaignEvent>).items.map((each) => each.number);
    const newest = numbers[0] ?? 0;
    const faults = faultsOf({
      "not newest first": !isRising(numbers.toReversed()),
      [`event ${newest} after ${seen.events}`]: newest < seen.events,
    });
    seen.events = newest;
    return faults;
  },
};

const deadLetters: Read = {
  name: "dead letters",
  share: 4,
  path: ({ id }) => `/api/campaigns/${id}/dead-letters`,
  faults: (body) =>
    faultsOf({ "some of a sound queue": (body as Page<DeadLetter>).items.length > 0 }),
};

const campaigns: Read = {
  name: "campaigns",
  share: 4,
  path: () => "/api/campaigns?include=status",
  faults(body, target, seen) {
    const { items } = body as Page<CampaignEntry>;
    const entry = items.find(({ id }) => id === target.id);
    if (entry === undefined) return [`${target.id} is not listed`];
    return statusFaults(entry.status, target, seen);
  },
};

const csv: Read = {
  name: "csv",
  share: 1,
  path: ({ id }) => `/api/campaigns/${id}/recipients.csv?status=sent`,
  faults(body, { recipients: count }, seen) {
    const [heading, ...rows] = String(body).trimEnd().split(/\r?\n/);
    // Somebody who is mailed meanwhile is in the file or not; who was mailed before is in it.
    return faultsOf({
      [`begins with ${heading}`]: heading?.startsWith("id,email,status,") !== true,
      [`${rows.length} rows of ${seen.sent} to ${count}`]:
        rows.length < seen.sent || rows.length > count,
      "a row that is not sent": rows.some((row) => !/^u_\d+,[^,]+,sent,/.test(row)),
      "out of order, or somebody twice": !isRising(
        rows.map((row) => Number.parseInt(row.slice(2))),
      ),
    });
  },
};

/** Of a line of the metrics. */
const valueOf = (line: string | undefined): number => Number(line?.split(" ").at(-1));

const metrics: Read = {
  name: "metrics",
  share: 2,
  path: () => "/metrics",
  faults(body, target, seen) {
    const lines = String(body).split("\n");
    const [own, sent] = [`campaign="${target.id}"`, 'state="sent"'];
    const rows = lines.filter(
      (line) => line.startsWith("sendonce_recipients{") && line.includes(own),
    );
    const sum = rows.reduce((left, line) => left + valueOf(line), 0);
    const mailed = valueOf(rows.find((line) => line.includes(sent)));
    return faultsOf({
      [`the states add up to ${sum}`]: sum !== target.recipients,
      [`${mailed} sent after ${seen.sent}`]: !(mailed >= seen.sent),
    });
  },
};

const healthz: Read = {
  name: "healthz",
  share: 4,
  path: () => "/healthz",
  faults: (body) =>
    faultsOf({ [JSON.stringify(body)]: (body as { status: string }).status !== "ok" }),
};

const openapi: Read = {
  name: "openapi.json",
  share: 1,
  path: () => "/openapi.json",
  faults: (body) =>
    faultsOf({ "another version": (body as { openapi: string }).openapi !== "3.1.0" }),
};

const READS: readonly Read[] = [
  status,
  recipients,
  sentOnly,
  recipient,
  events,
  deadLetters,
  campaigns,
  csv,
  metrics,
  healthz,
  openapi,
];

/** One turn of all reads by their shares, spread so that the dear ones don't come together. */
export const TURN: readonly Read[] = READS.flatMap((read) =>
  Array.from({ length: read.share }, (_, at) => ({ read, at: (at + 0.5) / read.share })),
)
  .toSorted((left, right) => left.at - right.at)
  .map(({ read }) => read);
