/** The few calls of Sendonce's HTTP API that the demo makes, as any client would make them. */
export type Status = {
  readonly state: string;
  readonly pause: { readonly reason: string; readonly detail: string } | null;
  readonly stats: Readonly<
    Record<
      | "total"
      | "sent"
      | "reserved"
      | "failed"
      | "remaining"
      | "suppressed"
      | "inDoubt"
      | "cancelled",
      number
    >
  >;
  readonly duplicatesPrevented: number;
  readonly ratePerSecond: number;
};

export class SendonceApi {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  async create(campaign: object): Promise<void> {
    await this.#call("POST", "/api/campaigns", JSON.stringify(campaign));
  }

  /** @param segment a view of the audience's database. @returns how many recipients were added */
  async addSegment(campaign: string, segment: string): Promise<number> {
    const path = `/api/campaigns/${campaign}/recipients/segment`;
    const answer = await this.#call("POST", path, JSON.stringify({ segment }));
    return (await answer.json<{ added: number }>()).added;
  }

  async start(campaign: string): Promise<void> {
    await this.#call("POST", `/api/campaigns/${campaign}/start`, "{}");
  }

  async deliveryStatus(campaign: string): Promise<Status> {
    const answer = await this.#call("GET", `/api/campaigns/${campaign}/delivery-status`, null);
    return answer.json<Status>();
  }

  async #call(method: string, path: string, body: string | null): Promise<Response> {
    const response = await fetch(this.#url + path, {
      method,
      body,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body === null ? {} : { "content-type": "application/json" }),
      },
    });
    if (response.ok) return response;
    throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  }
}
