/** The vars and secrets that may be absent, beside those that wrangler.toml requires and types. */
interface Env {
  /** May read and change nothing. Without it there is no viewer. */
  VIEWER_TOKEN?: string;
  /** Whole days after its end in which a campaign keeps its recipients; 0 or none: for good. */
  RETENTION_DAYS?: string;
  /** Where alerts are posted as JSON. Without it there are none. */
  ALERT_URL?: string;
}
