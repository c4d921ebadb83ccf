/** The settings of a draft, each within its range. Empty stands for what the server takes then. */
import { DEFAULT_SETTINGS, SETTING_RANGES } from "../../domain/settings.ts";
import { Field } from "../parts/field.tsx";
import type { Editing } from "./draft-form.tsx";
import { FIELD_LABELS, SETTINGS } from "./draft-values.ts";

export function SettingsFields({ editing }: { readonly editing: Editing }) {
  const { values, set, faultOf } = editing;
  // A fault that is folded away is seen by nobody.
  const hasFault = SETTINGS.some((name) => faultOf(name) !== null);
  return (
    <details
      class="card"
      {...(hasFault ? { open: true } : {})}
      // The browser can't show its word about a field that is folded away, and sends nothing.
      onInvalidCapture={(event) => {
        event.currentTarget.open = true;
      }}
    >
      <summary>
        <h2>Settings</h2>
      </summary>
      {SETTINGS.map((name) => {
        const { least, most, whole } = SETTING_RANGES[name];
        return (
          <Field
            key={name}
            label={FIELD_LABELS[name]}
            name={name}
            value={values[name]}
            fault={faultOf(name)}
            onInput={set(name)}
            number={{ least, most, step: whole ? 1 : "any" }}
            placeholder={String(DEFAULT_SETTINGS[name] ?? "none")}
          />
        );
      })}
    </details>
  );
}
