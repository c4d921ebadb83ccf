/** The settings of a draft, each within its range. Empty stands for what the server takes then. */
import { SETTING_RANGES } from "../../domain/settings.ts";
import { Field } from "../parts/field.tsx";
import type { Editing } from "./draft-form.tsx";
import { SETTINGS, type SettingName } from "./draft-values.ts";

const LABELS: Readonly<Record<SettingName, string>> = {
  batchSize: "Recipients of one request",
  requestsPerSecond: "Own limit, requests a second",
  leaseSeconds: "Lease of one attempt, seconds",
  maxAttempts: "Unanswered attempts before doubt",
  idempotencyWindowSeconds: "Key is trusted for, seconds",
  pauseAtFailureRate: "Pause at this share of failures, 0 to 1",
  pauseAtDeadLetters: "Pause at so many dead letters",
};

export function SettingsFields({ editing }: { readonly editing: Editing }) {
  const { values, set, faultOf } = editing;
  return (
    <details class="card">
      <summary>
        <h2>Settings</h2>
      </summary>
      {SETTINGS.map((name) => {
        const { least, most, whole } = SETTING_RANGES[name];
        return (
          <Field
            key={name}
            label={LABELS[name]}
            name={name}
            value={values[name]}
            fault={faultOf(`settings.${name}`)}
            onInput={set(name)}
            number={{ least, most, step: whole ? 1 : "any" }}
          />
        );
      })}
    </details>
  );
}
