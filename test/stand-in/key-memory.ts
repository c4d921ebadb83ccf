/**
 * What Resend promises about an idempotency key (its page "Idempotency Keys"): for 24 hours from
 * the first receipt, the same key at the same endpoint with the same body gets the first answer
 * again, and nothing is sent; another body is a conflict; and so is a second request while the
 * first is still in progress.
 *
 * The body is compared by the digest of its raw bytes: the strictest reading of "the same body",
 * so that a client which passes here passes under any other.
 */
import type { KeyLine } from "./log-file.ts";

const REMEMBERED_MILLISECONDS = 24 * 60 * 60 * 1000;

export type Known =
  | { readonly kind: "new" }
  | { readonly kind: "otherBody" }
  | { readonly kind: "inProgress" }
  | { readonly kind: "replay"; readonly status: number; readonly answer: string };

export class KeyMemory {
  readonly #remembered = new Map<string, KeyLine>();
  readonly #inProgress = new Map<string, string>();

  recall(endpoint: string, key: string, bodyDigest: string, now: number): Known {
    const scope = scopeOf(endpoint, key);
    const running = this.#inProgress.get(scope);
    if (running !== undefined) {
      return { kind: running === bodyDigest ? "inProgress" : "otherBody" };
    }
    const line = this.#remembered.get(scope);
    if (line === undefined) return { kind: "new" };
    if (now - line.at >= REMEMBERED_MILLISECONDS) {
      this.#remembered.delete(scope);
      return { kind: "new" };
    }
    if (line.bodyDigest !== bodyDigest) return { kind: "otherBody" };
    return { kind: "replay", status: line.status, answer: line.answer };
  }

  remember(line: KeyLine): void {
    this.#remembered.set(scopeOf(line.endpoint, line.key), line);
  }

  /** From here until `end`, the same request again is a concurrent one. */
  begin(endpoint: string, key: string, bodyDigest: string): void {
    this.#inProgress.set(scopeOf(endpoint, key), bodyDigest);
  }

  end(endpoint: string, key: string): void {
    this.#inProgress.delete(scopeOf(endpoint, key));
  }

  clear(): void {
    this.#remembered.clear();
    this.#inProgress.clear();
  }
}

function scopeOf(endpoint: string, key: string): string {
  return `${endpoint} ${key}`;
}
