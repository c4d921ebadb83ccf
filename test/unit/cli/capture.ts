/** Runs the command line in this process, and catches what it says. */
import { run } from "../../../src/cli/program.ts";
import type { Io } from "../../../src/cli/io.ts";

export const NOW = Date.parse("2026-12-01T09:00:00Z");

/** No test waits before a second try; limits of time stay where they are. */
function atOnce(milliseconds: number, work: () => void): () => void {
  const timer = setTimeout(work, milliseconds <= 30_000 ? 0 : milliseconds);
  return () => clearTimeout(timer);
}

export type Said = { readonly code: number; readonly out: string; readonly err: string };

/** @param io what differs from a pipe in an empty environment */
export async function command(args: readonly string[], io: Partial<Io> = {}): Promise<Said> {
  let out = "";
  let err = "";
  const decoder = new TextDecoder();
  const code = await run(args, {
    env: {},
    home: "/nowhere",
    out: async (text) => {
      out += typeof text === "string" ? text : decoder.decode(text, { stream: true });
    },
    err: (text) => {
      err += text;
    },
    outIsTerminal: false,
    errIsTerminal: false,
    columns: () => 80,
    stdin: () => new Blob([]).stream(),
    interrupted: new AbortController().signal,
    now: () => NOW,
    surroundings: { later: atOnce },
    ...io,
  });
  return { code, out, err };
}
