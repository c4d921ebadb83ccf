/**
 * A queue in memory as Amazon SQS is one, in the part that matters here: a message that was received is
 * invisible for a while and comes again unless it has been deleted, and only the receipt of its last
 * delivery deletes it or moves its time (SQS, "Visibility timeout"; ReceiptHandle). What was received
 * too often goes to the dead letters (maxReceiveCount).
 */
const MAX_RECEIVES = 6;

export type Delivery<Body> = {
  readonly id: string;
  readonly receipt: string;
  /** ApproximateReceiveCount, this one included. */
  readonly receives: number;
  readonly body: Body;
};

type Held<Body> = { readonly body: Body; visibleAt: number; receives: number };

export class VisibilityQueue<Body> {
  /** Messages that were received too often. */
  deadLetters = 0;
  readonly #messages = new Map<string, Held<Body>>();
  readonly #visibilityMilliseconds: number;

  constructor(visibilityMilliseconds: number, bodies: readonly Body[]) {
    this.#visibilityMilliseconds = visibilityMilliseconds;
    for (const [index, body] of bodies.entries()) {
      this.#messages.set(`message-${index + 1}`, { body, visibleAt: 0, receives: 0 });
    }
  }

  get size(): number {
    return this.#messages.size;
  }

  receive(): Delivery<Body> | null {
    const now = performance.now();
    for (const [id, message] of this.#messages) {
      if (message.visibleAt > now) continue;
      if (message.receives === MAX_RECEIVES) {
        this.#messages.delete(id);
        this.deadLetters += 1;
        continue;
      }
      message.visibleAt = now + this.#visibilityMilliseconds;
      message.receives += 1;
      const { receives, body } = message;
      return { id, receipt: `${id}#${receives}`, receives, body };
    }
    return null;
  }

  delete(receipt: string): void {
    const [id = "", receives] = receipt.split("#");
    if (this.#messages.get(id)?.receives === Number(receives)) this.#messages.delete(id);
  }

  /** @param seconds from now; 43,200 at the most (SQS) */
  changeVisibility(receipt: string, seconds: number): void {
    const [id = "", receives] = receipt.split("#");
    const message = this.#messages.get(id);
    if (message?.receives !== Number(receives)) return;
    message.visibleAt = performance.now() + seconds * 1000;
  }
}
