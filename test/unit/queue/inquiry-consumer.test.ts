/** The consumer of inquiries, over a list of mails that a test writes down. */
import { describe, expect, it } from "vitest";
import type { AccountRpc } from "../../../src/account/rpc.ts";
import type { CampaignRpc } from "../../../src/campaign/rpc.ts";
import type { FeedbackAnswer, FeedbackEvent } from "../../../src/domain/feedback.ts";
import type { Address, CampaignId, Seq } from "../../../src/domain/ids.ts";
import type { Inquiry, InquiryOutcome } from "../../../src/domain/inquiry.ts";
import { INQUIRY_PAGES } from "../../../src/domain/limits.ts";
import type { ListedMail, Looked, MailLookup, OwnMail } from "../../../src/provider/reconcile.ts";
import { consumeDeadLetters } from "../../../src/queue/dead-letter-consumer.ts";
import type { ConsumerDeps } from "../../../src/queue/deps.ts";
import { Pace } from "../../../src/queue/pace.ts";
import { consumeDispatches } from "../../../src/queue/send-consumer.ts";

const SPRING = "spring" as CampaignId;
const SINCE = 1_790_000_000_000;
const LATER: Looked<never> = { kind: "later", retryAfterSeconds: 7 };

const addressOf = (seq: number) => `r${seq}@example.org` as Address;

function mail(seq: number, more: Partial<OwnMail> = {}): OwnMail {
  return {
    providerId: `re_${seq}`,
    addresses: [addressOf(seq)],
    createdAt: SINCE + 1000,
    campaign: SPRING,
    seq: seq as Seq,
    fate: "delivered",
    ...more,
  };
}

function inquiryAbout(...seqs: number[]): Inquiry {
  return {
    since: SINCE,
    members: seqs.map((seq) => ({ seq: seq as Seq, address: addressOf(seq) })),
  };
}

type Wanted = {
  readonly inquiry: Inquiry | null;
  readonly pages?: readonly (readonly OwnMail[])[];
  readonly page?: MailLookup["page"];
  readonly mail?: MailLookup["mail"];
  readonly lookup?: null;
};

/** Carries out order 3 of the campaign. */
async function carriedOut({ inquiry, pages = [], ...more }: Wanted) {
  const told: FeedbackEvent[][] = [];
  const closed: InquiryOutcome[] = [];
  const suppressed: unknown[] = [];
  const looked: string[] = [];
  let slots = 0;
  let held = 0;
  let acked = 0;
  let now = 0;
  const all = pages.flat();
  const lookup: MailLookup = {
    page: async (after) => {
      const at = after === null ? 0 : Number(after);
      const mails: readonly ListedMail[] = pages[at] ?? [];
      const next = at + 1 < pages.length ? String(at + 1) : null;
      return { kind: "found", value: { mails, after: next } };
    },
    mail: async (id) => {
      looked.push(id);
      return { kind: "found", value: all.find((each) => each.providerId === id) ?? null };
    },
    ...(more.page === undefined ? {} : { page: more.page }),
    ...(more.mail === undefined ? {} : { mail: more.mail }),
  };
  const campaign: Partial<CampaignRpc> = {
    inquiry: async () => inquiry,
    recordFeedback: async (events) => {
      told.push([...events]);
      return events.map(({ addresses }): FeedbackAnswer =>
        addresses[0] === undefined ? null : { address: addresses[0], changed: true },
      );
    },
    closeInquiry: async (_, outcome) => void closed.push(outcome),
  };
  const account: Partial<AccountRpc> = {
    takeSlot: async () => {
      slots += 1;
      return { taken: true, waitMilliseconds: 0, epoch: 0 };
    },
    holdSlots: async (milliseconds) => void (held += milliseconds),
    suppress: async (...args) => void suppressed.push(args),
  };
  const deps: ConsumerDeps = {
    campaign: () => campaign as CampaignRpc,
    account: () => account as AccountRpc,
    provider: {
      sendBatch: () => {
        throw new Error("an inquiry sends nothing");
      },
    },
    ...(more.lookup === null ? {} : { lookup }),
    render: () => {
      throw new Error("an inquiry renders nothing");
    },
    pace: new Pace(1_000_000),
    monotonic: () => now,
    sleep: async (milliseconds) => void (now += milliseconds),
    newClaim: () => "claim",
    log: () => undefined,
  };
  const message = {
    id: "m1",
    body: { v: 1, campaignId: "spring", inquiry: 3 },
    attempts: 1,
    ack: () => void (acked += 1),
    retry: () => {
      throw new Error("an inquiry is never retried by the queue");
    },
  };
  await consumeDispatches([message], deps);
  expect(acked).toBe(1);
  return { told: told.flat(), closed, suppressed, looked, slots, held, message, deps };
}

describe("an inquiry", () => {
  it("settles whom the provider has mails of, by their tags, with a slot for each request", async () => {
    const result = await carriedOut({ inquiry: inquiryAbout(1, 2), pages: [[mail(9), mail(1)]] });
    expect(result.looked).toEqual(["re_1"]);
    expect(result.told).toEqual([
      {
        seq: 1,
        providerId: "re_1",
        fate: "delivered",
        at: null,
        acceptedAt: SINCE + 1000,
        addresses: [addressOf(1)],
      },
    ]);
    expect(result.closed).toEqual([{ kind: "looked", found: 1, complete: true }]);
    expect(result.slots).toBe(2);
  });

  it("believes no mail of another campaign, or of none, to the same person", async () => {
    const other = mail(1, { providerId: "re_other", campaign: "autumn" as CampaignId });
    const result = await carriedOut({
      inquiry: inquiryAbout(1),
      pages: [[other, mail(1, { providerId: "re_none" })]],
      mail: async (id) => ({ kind: "found", value: id === "re_other" ? other : null }),
    });
    expect(result.told).toEqual([]);
    expect(result.closed).toEqual([{ kind: "looked", found: 0, complete: true }]);
  });

  it("reads on to the first attempt and no further, and stops when all are found", async () => {
    const old = mail(2, { createdAt: SINCE - 120_000 });
    const pages = [[mail(8)], [mail(7), old], [mail(2)]];
    const past = await carriedOut({ inquiry: inquiryAbout(2), pages });
    expect(past.looked).toEqual([]);
    expect(past.closed).toEqual([{ kind: "looked", found: 0, complete: true }]);
    const early = await carriedOut({ inquiry: inquiryAbout(1), pages: [[mail(1)], [mail(2)]] });
    expect(early.slots).toBe(2);
  });

  it("has a bound, and says that it has not seen everything", async () => {
    let pages = 0;
    const result = await carriedOut({
      inquiry: inquiryAbout(1),
      page: async () => {
        pages += 1;
        return { kind: "found", value: { mails: [mail(5)], after: "more" } };
      },
    });
    expect(pages).toBe(INQUIRY_PAGES);
    expect(result.closed).toEqual([{ kind: "looked", found: 0, complete: false }]);
  });

  it("ends in silence where the key may not read, or there is nothing to ask with", async () => {
    const restricted = await carriedOut({
      inquiry: inquiryAbout(1),
      page: async () => ({ kind: "notAllowed" }),
    });
    expect(restricted.closed).toEqual([{ kind: "notAllowed" }]);
    expect(restricted.slots).toBe(1);
    const none = await carriedOut({ inquiry: inquiryAbout(1), lookup: null });
    expect(none.closed).toEqual([{ kind: "notAllowed" }]);
  });

  it("keeps what it has found when the rest has to wait, and holds the slots for all", async () => {
    const first = mail(1);
    const result = await carriedOut({
      inquiry: inquiryAbout(1, 2),
      pages: [[first, mail(2)]],
      mail: async (id) => (id === "re_1" ? { kind: "found", value: first } : LATER),
    });
    expect(result.told.map((event) => event.seq)).toEqual([1]);
    expect(result.closed).toEqual([LATER]);
    expect(result.held).toBe(7000);
  });

  it("G6: suppresses for a complaint that no webhook told of, and not for a bounce of any kind", async () => {
    const pages = [[mail(1, { fate: "complained" }), mail(2, { fate: "bounced" })]];
    const result = await carriedOut({ inquiry: inquiryAbout(1, 2), pages });
    expect(result.suppressed).toEqual([[[addressOf(1)], "complaint"]]);
  });

  it("is nothing where its order is answered, and is dropped when it dies", async () => {
    const result = await carriedOut({ inquiry: null });
    expect([result.closed, result.slots]).toEqual([[], 0]);
    let acked = 0;
    await consumeDeadLetters([{ ...result.message, ack: () => void (acked += 1) }], result.deps);
    expect(acked).toBe(1);
  });
});
