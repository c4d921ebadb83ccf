/**
 * During a deploy the account may still be of a release that lacks a method (SPEC R-version). The
 * platform says so in words alone, and nothing else may be taken for it.
 */
import type { AccountRpc } from "../account/rpc.ts";

/** Whether a call failed because the account has no such method. */
export function isWithout(method: keyof AccountRpc, error: unknown): boolean {
  return String(error).includes(`does not implement the method "${method}"`);
}
