/**
 * What was typed into the form of a draft and is not saved. It outlives a look at another view and
 * a session that is over; only closing the page ends it, and the browser asks before that.
 */
import type { Campaign, Tagged } from "../client/types.ts";
import { valuesOf, type Meanwhile, type Values } from "./pages/draft-values.ts";

export type OpenForm = {
  readonly values: Values;
  /** What the form was filled with, and the tag of it; empty for a new campaign. */
  readonly base: Values;
  readonly etag: string;
  /** What others have changed since, and the form's author has not saved over yet. */
  readonly meanwhile: readonly Meanwhile[];
};

export const NEW_CAMPAIGN = "";

const open = new Map<string, OpenForm>();

/** @param id of the campaign, or NEW_CAMPAIGN */
export function openFormOf(id: string): OpenForm | null {
  return open.get(id) ?? null;
}

export function keepForm(id: string, form: OpenForm): void {
  open.set(id, form);
}

export function forgetForm(id: string): void {
  open.delete(id);
}

/** Whoever signs in next on this page is somebody else. */
export function forgetForms(): void {
  open.clear();
}

export function filledWith(read: Tagged<Campaign> | null): OpenForm {
  const values = valuesOf(read?.value ?? null);
  return { values, base: values, etag: read?.etag ?? "", meanwhile: [] };
}

export function isChanged({ values, base }: OpenForm): boolean {
  return Object.entries(values).some(([name, value]) => base[name as keyof Values] !== value);
}
