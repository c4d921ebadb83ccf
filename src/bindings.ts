/**
 * What the Worker is given by its configuration: the same as the `Env` that wrangler writes from
 * wrangler.toml, but as a module, so that a Worker of one's own that takes its objects from the
 * package has these types without its global `Env` being touched.
 */
import type { AccountObject } from "./account/account-object.ts";
import type { CampaignObject } from "./campaign/campaign-object.ts";

export interface Bindings {
  readonly CAMPAIGNS: DurableObjectNamespace<CampaignObject>;
  readonly ACCOUNT: DurableObjectNamespace<AccountObject>;
  readonly DISPATCH: Queue;
  readonly AUDIENCE: D1Database;
  /** Counts wrong tokens by the address they come from (http/guess-limit.ts). */
  readonly WRONG_TOKENS: RateLimit;
  readonly PUBLIC_URL: string;
  readonly RESEND_BASE_URL: string;
  /** Numbers as text, as vars are. */
  readonly RESEND_REQUESTS_PER_SECOND: string;
  readonly IDEMPOTENCY_WINDOW_SECONDS: string;
  readonly RESEND_API_KEY: string;
  readonly RESEND_WEBHOOK_SECRET: string;
  readonly OPERATOR_TOKEN: string;
  readonly SIGNING_KEY: string;
  /** May read and change nothing. Without it there is no viewer. */
  readonly VIEWER_TOKEN?: string;
  /** Whole days after its end in which a campaign keeps its recipients; 0 or none: for good. */
  readonly RETENTION_DAYS?: string;
  /** Where alerts are posted as JSON. Without it there are none. */
  readonly ALERT_URL?: string;
}
