/** Between a draft and the texts of its form, and between two who change it at once. Pure. */
import type { Settings } from "../../domain/settings.ts";
import type { Campaign, CampaignDraft } from "../../client/types.ts";

export type SettingName = keyof Settings;

export const SETTINGS: readonly SettingName[] = [
  "batchSize",
  "requestsPerSecond",
  "leaseSeconds",
  "maxAttempts",
  "idempotencyWindowSeconds",
  "pauseAtFailureRate",
  "pauseAtDeadLetters",
];

const TEXTS = [
  "id",
  "name",
  "delivery",
  "from",
  "replyTo",
  "subject",
  "html",
  "text",
  "unsubscribe",
] as const;

export type FieldName = (typeof TEXTS)[number] | SettingName;
export type Values = Readonly<Record<FieldName, string>>;

export const FIELD_LABELS: Readonly<Record<FieldName, string>> = {
  id: "Id",
  name: "Name",
  delivery: "Delivery",
  from: "From",
  replyTo: "Reply to",
  subject: "Subject",
  html: "Html",
  text: "Plain text",
  unsubscribe: "One-click unsubscribe",
  batchSize: "Recipients of one request",
  requestsPerSecond: "Own limit, requests a second",
  leaseSeconds: "Lease of one attempt, seconds",
  maxAttempts: "Unanswered attempts before doubt",
  idempotencyWindowSeconds: "Key is trusted for, seconds",
  pauseAtFailureRate: "Pause at this share of failures, 0 to 1",
  pauseAtDeadLetters: "Pause at so many dead letters",
};

/** Where the server's word about a field finds it: settings stand inside `settings`. */
export function pathOf(name: FieldName): string {
  return (SETTINGS as readonly string[]).includes(name) ? `settings.${name}` : name;
}

/** @param campaign null: a new one, whose settings are the server's own */
export function valuesOf(campaign: Campaign | null): Values {
  const setting = (name: SettingName): string => String(campaign?.settings[name] ?? "");
  return {
    id: campaign?.id ?? "",
    name: campaign?.name ?? "",
    delivery: campaign?.delivery ?? "managed",
    from: campaign?.from ?? "",
    replyTo: campaign?.replyTo ?? "",
    subject: campaign?.subject ?? "",
    html: campaign?.html ?? "",
    text: campaign?.text ?? "",
    unsubscribe: campaign?.unsubscribe === false ? "no" : "yes",
    ...(Object.fromEntries(SETTINGS.map((name) => [name, setting(name)])) as Record<
      SettingName,
      string
    >),
  };
}

/** What is sent: a change leaves out what can't be changed, and an empty part is none. */
export function draftOf(values: Values, isNew: boolean): CampaignDraft {
  const content = {
    from: values.from,
    replyTo: orNull(values.replyTo),
    subject: values.subject,
    html: orNull(values.html),
    text: orNull(values.text),
    unsubscribe: values.unsubscribe === "yes",
  };
  return {
    ...(isNew && values.id !== "" ? { id: values.id } : {}),
    ...(isNew ? { delivery: values.delivery === "external" ? "external" : "managed" } : {}),
    name: values.name,
    ...(values.delivery === "external" ? {} : content),
    settings: settingsOf(values),
  };
}

function orNull(text: string): string | null {
  return text.trim() === "" ? null : text;
}

function settingsOf(values: Values): Record<string, number | null> {
  const entries = SETTINGS.flatMap((name): (readonly [string, number | null])[] => {
    if (values[name].trim() !== "") return [[name, Number(values[name])]];
    return name === "requestsPerSecond" ? [[name, null]] : [];
  });
  return Object.fromEntries(entries);
}

/** A field that somebody else has changed while the form was open. */
export type Meanwhile = {
  readonly name: FieldName;
  readonly theirs: string;
  /** Whether the form holds another change of it, which was kept. */
  readonly isDisputed: boolean;
};

/**
 * What the form shows after somebody else was quicker: their changes, and mine where I made one. So
 * neither is lost: mine stands in the form, and theirs beside it.
 * @param base what both began with
 */
export function merged(
  base: Values,
  mine: Values,
  theirs: Values,
): { readonly values: Values; readonly meanwhile: readonly Meanwhile[] } {
  const names = (Object.keys(base) as FieldName[]).filter((name) => theirs[name] !== base[name]);
  const meanwhile = names.map((name) => ({
    name,
    theirs: theirs[name],
    isDisputed: mine[name] !== base[name] && mine[name] !== theirs[name],
  }));
  const taken = meanwhile.filter(({ isDisputed }) => !isDisputed);
  const values = { ...mine, ...Object.fromEntries(taken.map((each) => [each.name, each.theirs])) };
  return { values, meanwhile };
}
