/**
 * The counts over the log: a fold over its lines and nothing else, so that they are the same before
 * and after a restart.
 */
import type { AcceptedLine, RequestLine } from "./log-file.ts";

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;
const CAMPAIGN_TAG = "campaign";

export type AcceptedCounts = {
  /** Mails, one for each address of a mail with several. */
  readonly accepted: number;
  /** Different addresses, compared in lower case. */
  readonly addresses: number;
  /** Mails beyond the first to an address. */
  readonly duplicates: number;
};

class AddressCounts {
  readonly perAddress = new Map<string, number>();
  #accepted = 0;

  add(addresses: readonly string[]): void {
    for (const address of addresses) {
      this.perAddress.set(address, (this.perAddress.get(address) ?? 0) + 1);
    }
    this.#accepted += addresses.length;
  }

  get counts(): AcceptedCounts {
    const addresses = this.perAddress.size;
    return { accepted: this.#accepted, addresses, duplicates: this.#accepted - addresses };
  }
}

export class Tally {
  readonly #all = new AddressCounts();
  readonly #campaigns = new Map<string, AddressCounts>();
  readonly #perDay = new Map<number, number>();
  requests = 0;
  replays = 0;
  rateLimited = 0;

  accept(line: AcceptedLine): void {
    const addresses = line.to.toLowerCase().split(", ");
    this.#all.add(addresses);
    const campaign = line.tags.find((tag) => tag.name === CAMPAIGN_TAG)?.value;
    if (campaign !== undefined) this.#ofCampaign(campaign).add(addresses);
    const day = Math.floor(line.at / DAY_MILLISECONDS);
    this.#perDay.set(day, (this.#perDay.get(day) ?? 0) + addresses.length);
  }

  request(line: RequestLine): void {
    this.requests += 1;
    if (line.replay) this.replays += 1;
    if (line.name === "rate_limit_exceeded") this.rateLimited += 1;
  }

  /** Of one campaign by the mail tag `campaign`, or of all mails. */
  counts(campaign: string | null): AcceptedCounts {
    const counted = campaign === null ? this.#all : this.#campaigns.get(campaign);
    return counted?.counts ?? { accepted: 0, addresses: 0, duplicates: 0 };
  }

  perAddress(campaign: string | null): ReadonlyMap<string, number> {
    const counted = campaign === null ? this.#all : this.#campaigns.get(campaign);
    return counted?.perAddress ?? new Map();
  }

  /** Accepted in the UTC day and in the UTC month of `at`. A quota starts anew at 00:00 UTC. */
  usage(at: number): { readonly day: number; readonly month: number } {
    const today = Math.floor(at / DAY_MILLISECONDS);
    const firstDay = today - new Date(at).getUTCDate() + 1;
    let month = 0;
    for (let day = firstDay; day <= today; day += 1) month += this.#perDay.get(day) ?? 0;
    return { day: this.#perDay.get(today) ?? 0, month };
  }

  #ofCampaign(campaign: string): AddressCounts {
    const counted = this.#campaigns.get(campaign) ?? new AddressCounts();
    this.#campaigns.set(campaign, counted);
    return counted;
  }
}
