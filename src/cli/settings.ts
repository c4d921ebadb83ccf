/** Which server, and with which token: from flags, the environment, or a file, in this order. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tokenFault } from "../client/token.ts";
import { UsageError } from "./exit.ts";
import type { Io } from "./io.ts";

export type Flags = {
  readonly url?: string | undefined;
  readonly token?: string | undefined;
  readonly config?: string | undefined;
};

export type Server = { readonly url: string; readonly token: string };

/** @throws UsageError that says where the missing one may be given */
export function serverOf(flags: Flags, io: Pick<Io, "env" | "home">): Server {
  const file = flags.config ?? join(io.home, ".config", "sendonce.json");
  const kept = readConfig(file, flags.config !== undefined);
  const url = first(flags.url, io.env["SENDONCE_URL"], kept.url);
  // A file that it was read from has ended with a line break.
  const token = first(flags.token, io.env["SENDONCE_TOKEN"], kept.token)?.trim() ?? null;
  if (url === null) throw missing("the server", "--url https://…", "SENDONCE_URL", "url", file);
  if (token === null) throw missing("the token", "--token …", "SENDONCE_TOKEN", "token", file);
  if (!/^https?:\/\/[^/]/.test(url) || !URL.canParse(url)) {
    throw new UsageError(`"${url}" is not an address of a server; it begins with https://`);
  }
  const fault = tokenFault(token);
  if (fault !== null) throw new UsageError(`the token ${fault}.`);
  return { url, token };
}

function first(...values: (string | undefined)[]): string | null {
  return values.find((value) => value !== undefined && value !== "") ?? null;
}

function missing(what: string, flag: string, name: string, field: string, file: string) {
  return new UsageError(
    `${what} is missing. Give ${flag}, set ${name}, or put "${field}" into ${file}.`,
  );
}

/** A file that was named has to be there; the usual one may be missing. */
function readConfig(file: string, isNamed: boolean): { url?: string; token?: string } {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (!isNamed && (error as { code?: unknown }).code === "ENOENT") return {};
    throw new UsageError(`${file} can't be read: ${(error as Error).message}`);
  }
  const config = jsonObject(text, file);
  for (const [name, value] of Object.entries(config)) {
    if (name !== "url" && name !== "token") {
      throw new UsageError(`${file}: "${name}" is unknown; there are "url" and "token".`);
    }
    if (typeof value !== "string") throw new UsageError(`${file}: "${name}" has to be text.`);
  }
  return config;
}

/** @throws UsageError that names the file and the place */
export function jsonObject(text: string, file: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${(error as Error).message}`);
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new UsageError(`${file} has to hold one JSON object.`);
  }
  return parsed as Record<string, unknown>;
}
