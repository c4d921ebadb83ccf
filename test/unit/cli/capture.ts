/** Runs the command line in this process, and catches what it says. */
import { run } from "../../../src/cli/program.ts";
import type { Io } from "../../../src/cli/io.ts";

export const NOW = Date.parse("2026-12-01T09:00:00Z");

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
    ...io,
  });
  return { code, out, err };
}
