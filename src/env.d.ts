/** The secrets that may be absent, beside those that wrangler.toml requires and types. */
interface Env {
  /** May read and change nothing. Without it there is no viewer. */
  VIEWER_TOKEN?: string;
  /** Where alerts are posted as JSON. Without it there are none. */
  ALERT_URL?: string;
}
