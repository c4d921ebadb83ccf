/** What stops a form: which fields, where each of them says itself what is wrong with it. */
import { ApiError } from "../api/ask.ts";
import { Trouble } from "../parts/basics.tsx";
import { FIELD_LABELS, pathOf, type FieldName } from "./draft-values.ts";

export function FormTrouble({ error }: { readonly error: unknown }) {
  const faults = error instanceof ApiError ? error.faults : [];
  const names = Object.keys(FIELD_LABELS) as FieldName[];
  const hit = names.filter((name) => faults.some(({ path }) => path === pathOf(name)));
  // A fault of no field of the form is told in the server's own words.
  if (hit.length === 0 || faults.some(({ path }) => !hit.map(pathOf).includes(path))) {
    return <Trouble error={error} />;
  }
  const which = hit.map((name) => FIELD_LABELS[name]).join(", ");
  return (
    <div class="notice bad" role="alert">
      <p>Nothing was saved: look at {which}.</p>
    </div>
  );
}
