/**
 * Watches the heap of the Worker's isolate over the inspector of `wrangler dev`
 * (Chrome DevTools Protocol, Runtime.getHeapUsage).
 */
const SAMPLE_MILLISECONDS = 200;

type HeapUsage = { readonly usedSize?: number; readonly backingStorageSize?: number };
type Target = { readonly webSocketDebuggerUrl: string };

/** Megabytes in use: before, in the middle of all samples, and at the most. */
export type HeapReport = {
  readonly idle: number;
  readonly median: number;
  readonly peak: number;
};

function megabytes(bytes = 0): number {
  return Math.round(bytes / 1_048_576);
}

export class HeapWatch {
  readonly #socket: WebSocket;
  readonly #samples: number[] = [];
  readonly #timer: ReturnType<typeof setInterval>;
  #asked = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => this.#take(String(data)));
    this.#timer = setInterval(() => this.#ask(), SAMPLE_MILLISECONDS);
    this.#ask();
  }

  static async open(inspectorPort: number): Promise<HeapWatch> {
    const listed = await fetch(`http://127.0.0.1:${inspectorPort}/json`);
    const [target] = await listed.json<Target[]>();
    if (target === undefined) throw new Error("the inspector lists no target");
    // Wrangler's inspector lets pages of this machine in, and programs that say so. Node's client
    // takes headers, which the types of a browser's don't have.
    const options = { headers: { origin: "http://localhost" } } as unknown as string[];
    const socket = new WebSocket(target.webSocketDebuggerUrl, options);
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve, { once: true });
      socket.addEventListener("error", reject, { once: true });
    });
    return new HeapWatch(socket);
  }

  #ask(): void {
    this.#asked += 1;
    this.#socket.send(JSON.stringify({ id: this.#asked, method: "Runtime.getHeapUsage" }));
  }

  #take(text: string): void {
    const { result } = JSON.parse(text) as { result?: HeapUsage };
    if (result?.usedSize === undefined) return;
    this.#samples.push(result.usedSize + (result.backingStorageSize ?? 0));
  }

  close(): HeapReport {
    clearInterval(this.#timer);
    this.#socket.close();
    return this.report();
  }

  report(): HeapReport {
    const inOrder = this.#samples.toSorted((a, b) => a - b);
    return {
      idle: megabytes(this.#samples[0]),
      median: megabytes(inOrder[Math.floor(inOrder.length / 2)]),
      peak: megabytes(inOrder.at(-1)),
    };
  }
}
