/**
 * Public prices and limits, each with the page that says it and the day it was read. A figure that no
 * page of its provider could be read for says so in words: the guide prints this list as it stands.
 *
 * Prices are those beyond what Cloudflare's paid plan includes, in US dollars, without taxes.
 */

/** The day on which each page was read (Cloudflare's: their sources in cloudflare/cloudflare-docs). */
export const READ_ON = "2026-11-29";

export type Page = { readonly title: string; readonly url: string };

const CLOUDFLARE = "https://developers.cloudflare.com";
const OBJECTS = page("Durable Objects: Pricing", "/durable-objects/platform/pricing/");
const WORKERS = page("Workers: Pricing", "/workers/platform/pricing/");
const QUEUES = page("Queues: Pricing", "/queues/platform/pricing/");
const OBSERVABILITY = page("Observability: Pricing", "/observability/pricing/");

function page(title: string, path: string): Page {
  return { title, url: `${CLOUDFLARE}${path}` };
}

export type Price = {
  readonly what: string;
  readonly dollars: number;
  /** What the dollars buy; `units` of it are one of what is counted. */
  readonly per: string;
  readonly units: number;
  /** A month of the paid plan. */
  readonly included: string;
  readonly page: Page;
};

const MILLION = 1_000_000;
const million = (of: string) => ({ per: `a million ${of}`, units: MILLION });

export const PRICES = {
  rowsWritten: {
    what: "rows written (an alarm that is set is one)",
    dollars: 1,
    ...million("rows"),
    included: "50 million",
    page: OBJECTS,
  },
  rowsRead: {
    what: "rows read",
    dollars: 0.001,
    ...million("rows"),
    included: "25 billion",
    page: OBJECTS,
  },
  objectRequests: {
    what: "requests of objects (each call, each alarm)",
    dollars: 0.15,
    ...million("requests"),
    included: "1 million",
    page: OBJECTS,
  },
  gigabyteSeconds: {
    what: "duration of objects, 128 MB each",
    dollars: 12.5,
    ...million("GB-s"),
    included: "400,000 GB-s",
    page: OBJECTS,
  },
  stored: {
    what: "data stored by objects",
    dollars: 0.2,
    per: "a GB and month",
    units: 1,
    included: "5 GB",
    page: OBJECTS,
  },
  queueOperations: {
    what: "operations of queues (write, read, delete: three a message)",
    dollars: 0.4,
    ...million("operations"),
    included: "1 million",
    page: QUEUES,
  },
  workerRequests: {
    what: "requests of the Worker",
    dollars: 0.3,
    ...million("requests"),
    included: "10 million",
    page: WORKERS,
  },
  cpuMilliseconds: {
    what: "CPU time of the Worker",
    dollars: 0.02,
    ...million("ms"),
    included: "30 million ms",
    page: WORKERS,
  },
  logGigabytes: {
    what: "logs and traces, from 2026-12-01 on",
    dollars: 0.25,
    per: "a GB taken in",
    units: 1,
    included: "50 GB",
    page: OBSERVABILITY,
  },
} satisfies Record<string, Price>;

/** The paid plan itself, a month. */
export const PLAN = { dollars: 5, page: WORKERS };

/**
 * What Resend takes for a million mails in one month. Its own page shows the number only to a browser
 * and could not be read; this is what a third party says of it.
 */
export const RESEND_MILLION = {
  dollars: 650,
  plan: "Scale plan",
  own: { title: "Resend: Pricing", url: "https://resend.com/pricing" },
  toldBy: {
    title: "Resend Pricing Guide 2025, of 2025-08-20",
    url: "https://flexprice.io/blog/detailed-resend-pricing-guide",
  },
};

export const LIMITS = {
  /** Cloudflare counts a GB as 10^9 bytes. */
  objectBytes: 10e9,
  /** Of an object that writes; the upper end is what the same page gives. */
  objectRequestsASecond: 200,
  objectRequestsUpper: 500,
  /** A message is written, read and deleted. */
  operationsAMessage: 3,
  /** An object is billed for so much while it is up. */
  objectGigabytes: 0.128,
  providerRequestsASecond: 10,
  providerBatch: 100,
};

const RESEND_LIMITS = {
  title: "Resend: Usage limits",
  url: "https://resend.com/docs/api-reference/rate-limit",
};

/** What is limited, how, and by which page. */
const LIMIT_ROWS: readonly (readonly [what: string, limit: string, page: Page])[] = [
  [
    "data of one object",
    `${LIMITS.objectBytes / 1e9} GB`,
    page("Durable Objects: Limits", "/durable-objects/platform/limits/"),
  ],
  [
    "requests of one object that writes",
    `some ${LIMITS.objectRequestsASecond} to ${LIMITS.objectRequestsUpper} a second`,
    page("Rules of Durable Objects", "/durable-objects/best-practices/rules-of-durable-objects/"),
  ],
  [
    "a request's body, and so an upload",
    "100 MB; 200 with Business, 500 with Enterprise",
    page("Workers: Limits", "/workers/platform/limits/"),
  ],
  [
    "Resend's requests, unless they raise it",
    `${LIMITS.providerRequestsASecond} a second and team, as others quote the page in 2026; copies of it at hand say 2 and 5`,
    RESEND_LIMITS,
  ],
  [
    "mails of one request",
    String(LIMITS.providerBatch),
    {
      title: "Resend: Send batch emails",
      url: "https://resend.com/docs/api-reference/emails/send-batch-emails",
    },
  ],
];

const link = ({ title, url }: Page): string => `[${title}](${url})`;

/** The prices as markdown, with the page of each. */
export function priceTable(): string {
  const prices: readonly Price[] = Object.values(PRICES);
  const { dollars, plan, own, toldBy } = RESEND_MILLION;
  return [
    `| read on ${READ_ON} | dollars | included a month | page |`,
    "| --- | --- | --- | --- |",
    ...prices.map(
      (each) =>
        `| ${each.what} | $${each.dollars} ${each.per} | ${each.included} | ${link(each.page)} |`,
    ),
    `| the paid plan | $${PLAN.dollars} a month | all of the above | ${link(PLAN.page)} |`,
    `| Resend, ${plan} | $${dollars} for a million mails | | told by ${link(toldBy)}; ` +
      `${link(own)} itself could not be read |`,
  ].join("\n");
}

/** The limits as markdown, likewise. */
export function limitTable(): string {
  return [
    `| read on ${READ_ON} | limit | page |`,
    "| --- | --- | --- |",
    ...LIMIT_ROWS.map(([what, limit, of]) => `| ${what} | ${limit} | ${link(of)} |`),
  ].join("\n");
}
