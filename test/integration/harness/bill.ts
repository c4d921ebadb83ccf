/**
 * What the platform bills of the way from a dispatch to its acknowledgement, as counts: operations of
 * the queue, and requests to objects. Each is counted where the shipping worker makes it.
 */
const BYTES_OF_AN_OPERATION = 64 * 1024; // Cloudflare, "Queues pricing": a message counts by 64 KB.

const bytesOf = (body: unknown): number => new TextEncoder().encode(JSON.stringify(body)).length;

const operationsOf = (body: unknown): number => Math.ceil(bytesOf(body) / BYTES_OF_AN_OPERATION);

export class Bill {
  readonly queue = { writes: 0, reads: 0, deletes: 0 };
  /** Requests by object and method, such as `campaign.reserve`. */
  readonly objects = new Map<string, number>();

  get queueOperations(): number {
    return this.queue.writes + this.queue.reads + this.queue.deletes;
  }

  get objectRequests(): number {
    return [...this.objects.values()].reduce((sum, count) => sum + count, 0);
  }

  request(name: string): void {
    this.objects.set(name, (this.objects.get(name) ?? 0) + 1);
  }

  written(bodies: readonly unknown[]): void {
    for (const body of bodies) this.queue.writes += operationsOf(body);
  }

  /** The batch as it is handed to the worker, with what becomes of each message counted. */
  read<Batch extends { readonly messages: readonly Message[] }>(batch: Batch) {
    const messages = batch.messages.map((message) => {
      const operations = operationsOf(message.body);
      this.queue.reads += operations;
      return {
        id: message.id,
        body: message.body,
        attempts: message.attempts,
        timestamp: message.timestamp,
        ack: () => {
          this.queue.deletes += operations;
          message.ack();
        },
        retry: (options?: QueueRetryOptions) => message.retry(options),
      };
    });
    return { ...batch, queue: (batch as { queue?: unknown }).queue, messages };
  }

  /** The namespace, with each call of a method of its objects counted. */
  counted<Namespace extends { getByName(name: string): object }>(
    namespace: Namespace,
    object: string,
  ): Namespace {
    const getByName = (name: string) => this.#countedStub(namespace.getByName(name), object);
    return { getByName } as unknown as Namespace;
  }

  #countedStub(stub: object, object: string): object {
    return new Proxy(stub, {
      get: (target, method) => {
        // A stub has every method that is asked for, so nothing is looked up before the call.
        const methods = target as Record<string | symbol, (...args: unknown[]) => unknown>;
        return (...args: unknown[]) => {
          this.request(`${object}.${String(method)}`);
          return methods[method]?.(...args);
        };
      },
    });
  }

  reset(): void {
    Object.assign(this.queue, { writes: 0, reads: 0, deletes: 0 });
    this.objects.clear();
  }
}
