/**
 * The documents as the tests read them: the commands a reader is told to type, and the transcripts
 * that show what came of it.
 *
 * A command is a whole statement of a `sh` block, however many lines it has, and bash itself says
 * where one ends. A transcript is a `console` block behind `<!-- transcript: NAME -->`; its lines
 * that begin with `$ ` are commands, and the lines below are what they print.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

export const ROOT = new URL("../../", import.meta.url);
const GUIDE = "src/guide/";

/** Every document that tells a reader to type something. */
export const DOCUMENTS: readonly string[] = [
  "README.md",
  "src/ARCHITECTURE.md",
  ...readdirSync(new URL(GUIDE, ROOT)).map((file) => GUIDE + file),
];

export const textOf = (document: string): string =>
  readFileSync(new URL(document, ROOT), "utf8").replaceAll("\r\n", "\n");

/** The statements of every `sh` block, in their order, without comments between them. */
export function commandsOf(text: string): string[] {
  const blocks = text.matchAll(/^( *)```sh\n([\s\S]*?)^ *```$/gm);
  return [...blocks].flatMap(([, indent = "", body = ""]) =>
    statementsOf(body.replaceAll(new RegExp(`^${indent}`, "gm"), "")),
  );
}

function statementsOf(script: string): string[] {
  const statements: string[] = [];
  let begun = "";
  for (const line of script.split("\n")) {
    if (begun === "" && (line.trim() === "" || line.startsWith("#"))) continue;
    begun += begun === "" ? line : `\n${line}`;
    if (line.endsWith("\\") || !isComplete(begun)) continue;
    statements.push(begun);
    begun = "";
  }
  if (begun !== "") throw new Error(`a command is never finished:\n${begun}`);
  return statements;
}

function isComplete(statement: string): boolean {
  try {
    execFileSync("bash", ["-n", "-c", statement], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

export type Transcript = {
  readonly name: string;
  readonly commands: readonly string[];
  /** All lines, as they stand in the document. */
  readonly text: string;
};

const TRANSCRIPT = /<!-- transcript: (.+) -->\n```console\n([\s\S]*?)```/g;

export function transcriptsOf(text: string): Transcript[] {
  return [...text.matchAll(TRANSCRIPT)].map(([, name = "", shown = ""]) => ({
    name,
    commands: [...shown.matchAll(/^\$ (.+)$/gm)].map(([, command = ""]) => command),
    text: shown,
  }));
}

/** The document with other transcripts in place of its own; one that isn't given stays. */
export function withTranscripts(text: string, fresh: ReadonlyMap<string, string>): string {
  return text.replaceAll(TRANSCRIPT, (block, name: string, shown: string) =>
    block.replace(shown, () => fresh.get(name) ?? shown),
  );
}

/** What differs from run to run becomes what it was in the document's run. */
export function steady(output: string): string {
  return output
    .replaceAll(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "2026-11-29 12:00:00Z")
    .replaceAll(
      /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g,
      "8f273662-0000-4000-8000-000000000001",
    )
    .replaceAll(/\baddress:[0-9a-f]{16}\b/g, "address:52ee98d8bfdce6fd")
    .replaceAll(/\bafter \d+(?:\.\d+)? m?s\b/g, "after 40 ms")
    .replaceAll(/\bin \d+ s\b/g, "in 1 s")
    .replaceAll(/, \d+(?:\.\d+)? a second/g, "")
    .replaceAll(/, ends about \S+ \S+/g, "")
    .replaceAll(/, \d+ duplicates prevented|^ *\d+ duplicates prevented\n/gm, "");
}
