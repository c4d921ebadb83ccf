/** What a message of the naive pipelines carries: the recipients themselves, 100 of them. */
import type { Customer } from "../audience.ts";

export type MailMessage = {
  /** From 1. The faults are drawn by it. */
  readonly batch: number;
  readonly recipients: readonly Customer[];
};

export type NaiveEnv = {
  readonly AUDIENCE: D1Database;
  readonly NO_LEDGER: Queue<MailMessage>;
  readonly ROW_FIRST: Queue<MailMessage>;
  readonly RESEND_BASE_URL: string;
  readonly RESEND_API_KEY: string;
};

/** The campaigns of the two pipelines, by which the stand-in counts what it accepted. */
const PIPELINES = ["no-ledger", "row-first"] as const;
export type Pipeline = (typeof PIPELINES)[number];

export function parsePipeline(name: string | null): Pipeline | null {
  return PIPELINES.find((pipeline) => pipeline === name) ?? null;
}
