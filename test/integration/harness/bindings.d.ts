/** What the integration tests are bound to beside the product's own bindings. */
declare namespace Cloudflare {
  interface Env {
    /** The dead-letter queue, into which the platform itself puts what has failed too often. */
    DEAD_LETTERS: Queue;
    VIEWER_TOKEN?: string;
  }
}
