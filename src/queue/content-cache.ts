/**
 * Compiled contents that a consumer has at hand. A content is frozen and named by an id that is drawn
 * once, so that an entry can be old but never wrong, and may be shared by everything in the isolate.
 */
import { CONTENTS_CACHED } from "../domain/limits.ts";

export class ContentCache<Compiled> {
  readonly #entries = new Map<string, Promise<Compiled>>();

  /** Gives the content of this id, made by `make` where it is not at hand. */
  async get(contentId: string, make: () => Promise<Compiled>): Promise<Compiled> {
    const known = this.#entries.get(contentId);
    if (known !== undefined) return known;
    const made = make();
    this.#entries.set(contentId, made);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > CONTENTS_CACHED && oldest !== undefined) this.#entries.delete(oldest);
    try {
      return await made;
    } catch (error) {
      // The next one tries again; only what succeeded is remembered.
      this.#entries.delete(contentId);
      throw error;
    }
  }
}
