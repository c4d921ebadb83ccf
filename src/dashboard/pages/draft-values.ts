/** Between a draft and the texts of its form. Pure. */
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
export function draftOf(values: Values, campaign: Campaign | null): CampaignDraft {
  const isNew = campaign === null;
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
