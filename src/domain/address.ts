/** STUB until the branch `message` is merged: that branch's file of this name replaces it. */
import type { Address } from "./ids.ts";
import { accept, refuse, type Result } from "./result.ts";

type ParsedAddress = { readonly address: Address; readonly email: string };

export function parseAddress(
  written: string,
): Result<ParsedAddress, { readonly code: string; readonly detail: string }> {
  const email = written.trim();
  if (!/^[^@\s<>]+@[^@\s<>]+\.[^@\s<>]+$/.test(email)) {
    return refuse({ code: "notOneAtSign", detail: "An address has one @ and a domain." });
  }
  return accept({ address: email.toLowerCase() as Address, email });
}
