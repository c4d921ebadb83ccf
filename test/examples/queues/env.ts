/** The bindings of the shop's Worker, as `wrangler types` writes them down in a project of one's own. */
import type { CampaignObject } from "../../../src/worker.ts";
import type { Person } from "../people.ts";
import type { MailEnv } from "./mail.ts";

export type Mailing = { readonly campaign: string; readonly recipients: readonly Person[] };

export type Env = MailEnv & {
  readonly BEFORE: Queue<Mailing>;
  readonly AFTER: Queue<Mailing>;
  readonly SENDONCE: Fetcher;
  readonly CAMPAIGNS: DurableObjectNamespace<CampaignObject>;
};
