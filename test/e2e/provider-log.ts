/** The provider's own log, read from its file: what was accepted, and what was asked. */
import { readFileSync } from "node:fs";
import type { AcceptedLine, RequestLine } from "../stand-in/log-file.ts";

type Line = AcceptedLine | RequestLine | { readonly kind: "key" | "clock" };

export class ProviderLog {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  #lines(): Line[] {
    const text = readFileSync(this.#file, "utf8");
    // The last line may be in the middle of its write.
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    return whole
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Line);
  }

  /** The ids of the mails of one campaign that were accepted, by address. */
  acceptedOf(campaign: string): Map<string, string[]> {
    const ids = new Map<string, string[]>();
    for (const line of this.#lines()) {
      if (line.kind !== "accepted" || campaignOf(line) !== campaign) continue;
      ids.set(line.to, [...(ids.get(line.to) ?? []), line.id]);
    }
    return ids;
  }

  /** Requests to send, in the order of their arrival. */
  requests(): RequestLine[] {
    return this.#lines().filter((line): line is RequestLine => line.kind === "request");
  }
}

function campaignOf(line: AcceptedLine): string | null {
  return line.tags.find((tag) => tag.name === "campaign")?.value ?? null;
}
