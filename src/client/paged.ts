/**
 * A list of the API, page by page. As an async iterable it gives every item and asks for a page only
 * when the one before is used up, so that whoever breaks off has asked for no more than was looked
 * at, and a million entries need the memory of one page.
 */
import { SendonceUnreachable } from "./problem.ts";
import type { Page } from "./types.ts";

export class Paged<Item> implements AsyncIterable<Item> {
  readonly #load: (cursor: string | null) => Promise<Page<Item>>;
  readonly #from: string | null;

  /** @param from where to begin; null: at the beginning */
  constructor(load: (cursor: string | null) => Promise<Page<Item>>, from: string | null) {
    this.#load = load;
    this.#from = from;
  }

  /** One page. @param cursor as an earlier page gave it; none: where the list begins */
  page(cursor: string | null = this.#from): Promise<Page<Item>> {
    return this.#load(cursor);
  }

  /** Page after page to the end. A page may be empty and still have a next one. */
  async *pages(): AsyncGenerator<Page<Item>, void, void> {
    let cursor = this.#from;
    for (;;) {
      const page: Page<Item> = await this.#load(cursor);
      yield page;
      if (page.cursor === null) return;
      // It would go round for ever; no server of this API does that.
      if (page.cursor === cursor) {
        throw new SendonceUnreachable("unreadable", `the list gave the cursor ${cursor} twice`);
      }
      ({ cursor } = page);
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, void> {
    for await (const { items } of this.pages()) yield* items;
  }
}
