/** A server that answers what a test has put in, and keeps what it was asked. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export type Asked = {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly authorization: string | undefined;
  readonly type: string | undefined;
  readonly body: string;
};

type Answer = {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

export class FakeServer {
  readonly asked: Asked[] = [];
  readonly #answers = new Map<string, Answer[]>();
  readonly #server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const { method = "", url = "" } = request;
      const { authorization, "content-type": type } = request.headers;
      this.asked.push({ method, path: url, authorization, type, body });
      const { status = 200, headers = {}, body: answer = null } = this.#answerTo(method, url);
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
      return body;
    });
  });
  url = "";

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, "127.0.0.1", resolve);
    });
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => {
      this.#server.close(resolve);
    });
    this.#server.closeAllConnections();
    await closed;
  }

  /** `GET /path?query`. Given in turn; the last one stays. */
  answers(what: string, ...answers: Answer[]): void {
    this.#answers.set(what, answers);
  }

  /** A refusal in the form of the API. */
  refuses(what: string, status: number, code: string, more: object = {}): void {
    const headers = { "content-type": "application/problem+json" };
    const body = { code, status, title: code, detail: `It is ${code}.`, ...more };
    this.answers(what, { status, headers, body });
  }

  #answerTo(method: string, url: string): Answer {
    const answers = this.#answers.get(`${method} ${url}`) ?? [];
    const next = answers.length > 1 ? answers.shift() : answers[0];
    return next ?? { status: 418, body: `nothing is put in for ${method} ${url}` };
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  return body;
}
