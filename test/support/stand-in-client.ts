/** Typed access to a stand-in's control API (test/stand-in/PROTOCOL.md) for tests of any layer. */

type AcceptedCounts = {
  readonly accepted: number;
  readonly addresses: number;
  readonly duplicates: number;
};
export type Counts = AcceptedCounts & {
  readonly requests: number;
  readonly replays: number;
  readonly rateLimited: number;
  readonly mostInOneSecond: number;
};
export type LogRecord = Readonly<Record<string, unknown>>;

export class StandInControl {
  readonly url: string;

  /** @param url origin of the stand-in, without a slash at the end */
  constructor(url: string) {
    this.url = url;
  }

  /** @throws Error with what the stand-in said */
  async post(command: string, body?: unknown): Promise<unknown> {
    const text = body === undefined ? "" : JSON.stringify(body);
    return this.#ask(command, { method: "POST", body: text });
  }

  async get(path: string): Promise<unknown> {
    return this.#ask(path, {});
  }

  async reset(): Promise<void> {
    await this.post("reset");
  }

  async configure(settings: object): Promise<void> {
    await this.post("config", settings);
  }

  async fault(...faults: readonly object[]): Promise<void> {
    await this.post("faults", faults);
  }

  async advance(advanceSeconds: number): Promise<void> {
    await this.post("clock", { advanceSeconds });
  }

  /** Only `advance` moves the clock from here to the next reset. */
  async holdClock(): Promise<void> {
    await this.post("clock", { held: true });
  }

  async counts(): Promise<Counts> {
    return (await this.get("counts")) as Counts;
  }

  /** Mails accepted for one address. */
  async countOf(address: string): Promise<number> {
    return (await this.get(`counts?address=${encodeURIComponent(address)}`)) as number;
  }

  /** The first 10,000. */
  async log(kind: "accepted" | "request"): Promise<readonly LogRecord[]> {
    const page = await this.get(`log?kind=${kind}&limit=10000`);
    return (page as { records: readonly LogRecord[] }).records;
  }

  async #ask(path: string, init: { method?: string; body?: string }): Promise<unknown> {
    const response = await fetch(`${this.url}/control/${path}`, init);
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer;
  }
}
