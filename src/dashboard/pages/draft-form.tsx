/** The form of a draft, new or changed, with its html beside it as it will look. */
import { useEffect, useState } from "preact/hooks";
import { ApiError } from "../api/ask.ts";
import { readCampaign } from "../api/calls.ts";
import type { CampaignDraft } from "../../client/types.ts";
import { forgetForm, isChanged, keepForm, NEW_CAMPAIGN, type OpenForm } from "../open-form.ts";
import { Button, Card } from "../parts/basics.tsx";
import { useAction } from "../parts/dialog.tsx";
import { Field } from "../parts/field.tsx";
import { MailFrame } from "../parts/mail-frame.tsx";
import { FormTrouble } from "./form-trouble.tsx";
import { MeanwhileNotice } from "./meanwhile.tsx";
import {
  draftOf,
  FIELD_LABELS,
  merged,
  pathOf,
  valuesOf,
  type FieldName,
  type Values,
} from "./draft-values.ts";
import { SettingsFields } from "./settings-fields.tsx";

const HTML_EXAMPLE = '<p>Hello {{ firstName | default: "there" }},</p>';
const STILL_MOVING =
  "Recipients are being added at this moment, so nothing was saved. Save again when they are in.";
/** How often the numbers may move between a read and the save after it. */
const SAVE_TRIES = 5;

/** What the fields of the form share. */
export type Editing = {
  readonly values: Values;
  readonly set: (name: FieldName) => (value: string) => void;
  /** What the server found wrong with a field; null: nothing. */
  readonly faultOf: (name: FieldName) => string | null;
  /** Whether some fields can't be changed any more. */
  readonly isNew: boolean;
};

type Saving = {
  /** Of the campaign that is changed; NEW_CAMPAIGN for a new one. */
  readonly id: string;
  readonly opened: OpenForm;
  /** @param etag names what the change was made from */
  readonly onSubmit: (draft: CampaignDraft, etag: string) => Promise<void>;
  readonly onDone?: () => void;
};

/**
 * Saves only over what the form was filled with. Where the draft has moved on, the form takes in
 * what others changed, and its author saves again; where only numbers have, nobody is asked.
 */
function useSaving({ id, opened, onSubmit, onDone }: Saving) {
  const [form, setForm] = useState(opened);
  const isNew = id === NEW_CAMPAIGN;
  const change = (next: OpenForm): void => {
    keepForm(id, next);
    setForm(next);
  };
  const save = async (from: OpenForm, tries: number): Promise<void> => {
    try {
      await onSubmit(draftOf(from.values, isNew), from.etag);
    } catch (error) {
      const isOld = error instanceof ApiError && error.code === "changedMeanwhile";
      if (!isOld) throw error;
      const { value, etag } = await readCampaign(id);
      const theirs = valuesOf(value);
      const { values, meanwhile } = merged(from.base, from.values, theirs);
      const next = { values, base: theirs, etag, meanwhile };
      if (meanwhile.length > 0) return change(next);
      if (tries === 0) throw new ApiError("stillMoving", STILL_MOVING);
      return save(next, tries - 1);
    }
    forgetForm(id);
    onDone?.();
  };
  const action = useAction(() => save({ ...form, meanwhile: [] }, SAVE_TRIES));
  return { ...action, form, change, isNew };
}

/** The browser asks before it throws away what was typed. */
function useAskBeforeLeaving(form: OpenForm): void {
  const isDirty = isChanged(form);
  useEffect(() => {
    if (!isDirty) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isDirty]);
}

export function DraftForm(
  props: Saving & {
    readonly submit: string;
    /** Why it can't be saved any more; null: it can. */
    readonly closed?: string | null;
    readonly onLeave: () => void;
  },
) {
  const { id, submit, closed = null, onLeave } = props;
  const { isBusy, error, run, form, change, isNew } = useSaving(props);
  useAskBeforeLeaving(form);
  const { values } = form;
  const faults = error instanceof ApiError ? error.faults : [];
  const set = (name: FieldName) => (value: string) =>
    change({ ...form, values: { ...values, [name]: value } });
  const faultOf = (name: FieldName) =>
    faults.find(({ path }) => path === pathOf(name))?.detail ?? null;
  const editing: Editing = { values, set, faultOf, isNew };
  const take = (name: FieldName, theirs: string): void =>
    change({
      ...form,
      values: { ...values, [name]: theirs },
      meanwhile: form.meanwhile.map((each) =>
        each.name === name ? { ...each, isDisputed: false } : each,
      ),
    });
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
        {form.meanwhile.length === 0 ? null : (
          <MeanwhileNotice changes={form.meanwhile} onTake={take} />
        )}
        {error === null ? null : <FormTrouble error={error} />}
        {closed === null ? null : <p class="notice">{closed}</p>}
        <div class="form-foot">
          <Button
            onClick={() => {
              forgetForm(id);
              onLeave();
            }}
          >
            Leave it
          </Button>
          <Button type="submit" kind="primary" disabled={isBusy || closed !== null}>
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
  readonly hint?: string;
  readonly required?: boolean;
  readonly lines?: number;
}) {
  const { editing, name, ...more } = props;
  const { values, faultOf, set } = editing;
  return (
    <Field
      name={name}
      label={FIELD_LABELS[name]}
      value={values[name]}
      fault={faultOf(name)}
      onInput={set(name)}
      {...more}
    />
  );
}

function NameFields({ editing }: { readonly editing: Editing }) {
  const { values, set, isNew } = editing;
  return (
    <>
      <TextField editing={editing} name="name" required hint="For you; recipients don't see it." />
      {isNew ? (
        <>
          <TextField
            editing={editing}
            name="id"
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
      <TextField editing={editing} name="from" required hint="As in The Shop <news@shop.example>" />
      <TextField editing={editing} name="replyTo" />
      <TextField editing={editing} name="subject" required />
      <TextField
        editing={editing}
        name="html"
        lines={12}
        hint={`Merge fields as in ${HTML_EXAMPLE}`}
      />
      <TextField
        editing={editing}
        name="text"
        lines={5}
        hint="Made from the html where it is empty."
      />
      <label class="check">
        <input
          type="checkbox"
          checked={values.unsubscribe === "yes"}
          onChange={(event) => set("unsubscribe")(event.currentTarget.checked ? "yes" : "no")}
        />
        {FIELD_LABELS.unsubscribe}
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
      <legend>{FIELD_LABELS.delivery}</legend>
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
