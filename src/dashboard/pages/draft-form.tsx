/** The form of a draft, new or changed, with its html beside it as it will look. */
import { useState } from "preact/hooks";
import { ApiError } from "../api/ask.ts";
import type { Campaign, CampaignDraft } from "../../client/types.ts";
import { Button, Card, Trouble } from "../parts/basics.tsx";
import { useAction } from "../parts/dialog.tsx";
import { Field } from "../parts/field.tsx";
import { MailFrame } from "../parts/mail-frame.tsx";
import { draftOf, valuesOf, type FieldName, type Values } from "./draft-values.ts";
import { SettingsFields } from "./settings-fields.tsx";

const HTML_EXAMPLE = '<p>Hello {{ firstName | default: "there" }},</p>';

/** What the fields of the form share. */
export type Editing = {
  readonly values: Values;
  readonly set: (name: FieldName) => (value: string) => void;
  /** What the server found wrong with a field, named by its path; null: nothing. */
  readonly faultOf: (path: string) => string | null;
  /** Whether some fields can't be changed any more. */
  readonly isNew: boolean;
};

export function DraftForm(props: {
  /** Null: a new one. */
  readonly campaign: Campaign | null;
  readonly submit: string;
  readonly onSubmit: (draft: CampaignDraft) => Promise<void>;
  readonly onDone?: () => void;
  readonly onLeave: () => void;
}) {
  const { campaign, submit, onSubmit, onDone, onLeave } = props;
  const [values, setValues] = useState<Values>(() => valuesOf(campaign));
  const { isBusy, error, run } = useAction(() => onSubmit(draftOf(values, campaign)), onDone);
  const faults = error instanceof ApiError ? error.faults : [];
  const editing: Editing = {
    values,
    set: (name) => (value) => setValues((before) => ({ ...before, [name]: value })),
    faultOf: (path) => faults.find((fault) => fault.path === path)?.detail ?? null,
    isNew: campaign === null,
  };
  const isManaged = values.delivery === "managed";
  return (
    <form
      class="grid wide-first"
      onSubmit={(event) => {
        event.preventDefault();
        run();
      }}
    >
      <Card title="Message">
        <NameFields editing={editing} />
        {isManaged ? <ContentFields editing={editing} /> : null}
      </Card>
      <div class="stack">
        {isManaged ? <WrittenPreview values={values} /> : null}
        <SettingsFields editing={editing} />
        {error === null ? null : <Trouble error={error} />}
        <div class="form-foot">
          <Button onClick={onLeave}>Leave it</Button>
          <Button type="submit" kind="primary" disabled={isBusy}>
            {submit}
          </Button>
        </div>
      </div>
    </form>
  );
}

/** The label, the value and the fault of one text field; a hint and more come from the caller. */
function TextField(props: {
  readonly editing: Editing;
  readonly name: FieldName;
  readonly label: string;
  readonly hint?: string;
  readonly required?: boolean;
  readonly lines?: number;
}) {
  const { editing, name, ...more } = props;
  const { values, faultOf, set } = editing;
  return (
    <Field name={name} value={values[name]} fault={faultOf(name)} onInput={set(name)} {...more} />
  );
}

function NameFields({ editing }: { readonly editing: Editing }) {
  const { values, set, isNew } = editing;
  return (
    <>
      <TextField
        editing={editing}
        name="name"
        label="Name"
        required
        hint="For you; recipients don't see it."
      />
      {isNew ? (
        <>
          <TextField
            editing={editing}
            name="id"
            label="Id"
            hint="Optional: letters, digits, - and _. Drawn where it is empty."
          />
          <DeliveryChoice value={values.delivery} onChange={set("delivery")} />
        </>
      ) : null}
    </>
  );
}

function ContentFields({ editing }: { readonly editing: Editing }) {
  const { values, set } = editing;
  return (
    <>
      <TextField
        editing={editing}
        name="from"
        label="From"
        required
        hint="As in The Shop <news@shop.example>"
      />
      <TextField editing={editing} name="replyTo" label="Reply to" />
      <TextField editing={editing} name="subject" label="Subject" required />
      <TextField
        editing={editing}
        name="html"
        label="Html"
        lines={12}
        hint={`Merge fields as in ${HTML_EXAMPLE}`}
      />
      <TextField
        editing={editing}
        name="text"
        label="Plain text"
        lines={5}
        hint="Made from the html where it is empty."
      />
      <label class="check">
        <input
          type="checkbox"
          checked={values.unsubscribe === "yes"}
          onChange={(event) => set("unsubscribe")(event.currentTarget.checked ? "yes" : "no")}
        />
        One-click unsubscribe
      </label>
    </>
  );
}

function DeliveryChoice(props: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const choice = (value: string, label: string) => (
    <label class="check">
      <input
        type="radio"
        name="delivery"
        checked={props.value === value}
        onChange={() => props.onChange(value)}
      />
      {label}
    </label>
  );
  return (
    <fieldset class="choices">
      <legend>Delivery</legend>
      {choice("managed", "Sendonce mails")}
      {choice("external", "Consumers of another queue mail, and reserve here")}
    </fieldset>
  );
}

/** Merge fields stand as they were written: whom they will name is known when there are recipients. */
function WrittenPreview({ values }: { readonly values: Values }) {
  return (
    <Card title="Preview as written">
      <p class="subject">{values.subject || <span class="soft">no subject yet</span>}</p>
      {values.html.trim() === "" ? (
        <p class="hint">The html shows here as you write it.</p>
      ) : (
        <MailFrame html={values.html} title="Preview of the html" />
      )}
    </Card>
  );
}
