/** An SMTP server that keeps the envelope of each mail it has accepted, and can be told a surprise. */
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

export class MailServer {
  readonly accepted: string[] = [];
  /** Called when a mail has been accepted and before the client hears of it. */
  onAccept: ((address: string) => void) | null = null;
  readonly #server: SMTPServer;

  private constructor() {
    this.#server = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      onData: (stream, session, reply) => {
        stream.resume();
        stream.on("end", () => {
          for (const { address } of session.envelope.rcptTo) {
            this.accepted.push(address);
            this.onAccept?.(address);
          }
          reply();
        });
      },
    });
    // A client that is killed leaves its connection broken, which is nothing to stop for.
    this.#server.on("error", () => undefined);
  }

  static async start(): Promise<MailServer> {
    const server = new MailServer();
    await new Promise<void>((resolve) => {
      server.#server.listen(0, "127.0.0.1", resolve);
    });
    return server;
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }
}
