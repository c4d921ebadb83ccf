/** What is mailed: as one recipient gets it, and as its author wrote it. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { ApiError } from "../api/ask.ts";
import { changeCampaign, previewFor, readCampaign } from "../api/calls.ts";
import { findRecipient } from "../api/find-recipient.ts";
import type { Campaign, CampaignState, MailPreview, Preview } from "../../client/types.ts";
import { Button, Card, Empty, Loading, Trouble } from "../parts/basics.tsx";
import { filledWith, openFormOf, type OpenForm } from "../open-form.ts";
import { useAction } from "../parts/dialog.tsx";
import { useAsk } from "../parts/hooks.ts";
import { MailFrame } from "../parts/mail-frame.tsx";
import { useIsOperator } from "../parts/session.tsx";
import { count } from "../text/format.ts";
import type { Watched } from "./campaign.tsx";
import { DraftForm } from "./draft-form.tsx";
import { TestCard } from "./test-card.tsx";

export function MessageTab({ watched }: { readonly watched: Watched }) {
  const { campaign, status } = watched;
  const isOperator = useIsOperator();
  const [form, setForm] = useState<OpenForm | null>(() => openFormOf(campaign.id));
  const opening = useAction(async () => setForm(filledWith(await readCampaign(campaign.id))));
  const mayEdit = isOperator && (status.state === "draft" || status.state === "scheduled");
  if (form !== null && isOperator) {
    return (
      <DraftForm
        id={campaign.id}
        opened={form}
        submit="Save"
        closed={mayEdit ? null : closedBy(status.state)}
        onSubmit={async (draft, etag) =>
          watched.put((await changeCampaign(campaign.id, draft, etag)).value)
        }
        onDone={() => setForm(null)}
        onLeave={() => setForm(null)}
      />
    );
  }
  const edit = mayEdit ? (
    <Button onClick={opening.run} disabled={opening.isBusy}>
      Edit …
    </Button>
  ) : null;
  return (
    <div class="grid wide-first">
      {opening.error === null ? null : (
        <div class="across">
          <Trouble error={opening.error} />
        </div>
      )}
      {campaign.delivery === "external" ? (
        <Card title="Message" aside={edit}>
          <Empty title="External delivery">
            <p>The consumers of this campaign bring the message and mail it themselves.</p>
          </Empty>
        </Card>
      ) : (
        <PreviewCard campaign={campaign} edit={edit} />
      )}
      <div class="stack">
        {isOperator && campaign.delivery === "managed" ? <TestCard campaign={campaign.id} /> : null}
        <SettingsCard campaign={campaign} />
      </div>
    </div>
  );
}

/** The form stays, so that nothing that was typed is gone with the state that allowed it. */
function closedBy(state: CampaignState): string {
  const why = `The campaign is ${state} by now, and can't be changed in this state.`;
  return `${why} What you typed is still here.`;
}

function PreviewCard(props: { readonly campaign: Campaign; readonly edit: ComponentChildren }) {
  const { campaign, edit } = props;
  const [wanted, setWanted] = useState("");
  const [recipient, setRecipient] = useState<string | null>(null);
  const key = JSON.stringify([recipient, campaign.html, campaign.text, campaign.subject]);
  const asked = useAsk(async () => {
    const id = recipient === null ? null : await findRecipient(campaign.id, recipient);
    return previewFor(campaign.id, id);
  }, key);
  return (
    <Card title="As it is mailed" aside={edit}>
      <form
        class="toolbar"
        onSubmit={(event) => {
          event.preventDefault();
          setRecipient(wanted.trim() === "" ? null : wanted.trim());
        }}
      >
        <label class="inline-field">
          <span class="label">Recipient’s id or address</span>
          <input
            value={wanted}
            placeholder="the first one"
            onInput={(event) => setWanted(event.currentTarget.value)}
          />
        </label>
        <Button type="submit">Show</Button>
      </form>
      {asked.value === null && asked.error === null ? <Loading what="the preview" /> : null}
      {asked.error === null ? null : (
        <PreviewTrouble error={asked.error} campaign={campaign} recipient={recipient} />
      )}
      {asked.error === null && asked.value !== null ? (
        <>
          <Envelope preview={asked.value} />
          <Parts preview={asked.value} />
        </>
      ) : null}
    </Card>
  );
}

/** A template at fault still shows what could be rendered; without recipients there is the source. */
function PreviewTrouble(props: {
  readonly error: unknown;
  readonly campaign: Campaign;
  readonly recipient: string | null;
}) {
  const { error, campaign, recipient } = props;
  const code = error instanceof ApiError ? error.code : "";
  const partial =
    error instanceof ApiError ? (error.problem.preview as Preview | undefined) : undefined;
  const { subject = null, html = null, text = null } = campaign;
  return (
    <>
      {code === "recipientNotFound" ? (
        <p class="notice">
          {recipient === null
            ? "There are no recipients yet"
            : `Nobody here has the id or address ${recipient}`}
          . Below is the message as it was written, with its merge fields.
        </p>
      ) : (
        <Trouble error={error} />
      )}
      {error instanceof ApiError && error.faults.length > 1 ? (
        <ul class="faults">
          {error.faults.map(({ path, detail }) => (
            <li key={`${path} ${detail}`}>
              <code>{path}</code> {detail}
            </li>
          ))}
        </ul>
      ) : null}
      <Parts preview={partial ?? { subject, html, text }} />
    </>
  );
}

function Envelope({ preview }: { readonly preview: MailPreview }) {
  return (
    <dl class="facts">
      <div>
        <dt>From</dt>
        <dd>{preview.from}</dd>
      </div>
      <div>
        <dt>To</dt>
        <dd>{preview.recipient.email}</dd>
      </div>
      {preview.replyTo === null ? null : (
        <div>
          <dt>Reply to</dt>
          <dd>{preview.replyTo}</dd>
        </div>
      )}
    </dl>
  );
}

function Parts({ preview }: { readonly preview: Preview }) {
  const { subject, html, text } = preview;
  return (
    <>
      <p class="subject">{subject ?? <span class="soft">the subject can't be rendered</span>}</p>
      {html === null ? null : <MailFrame html={html} title="Preview of the html" />}
      {text === null ? null : (
        <details open={html === null}>
          <summary>Plain text</summary>
          <pre class="code" tabIndex={0}>
            {text}
          </pre>
        </details>
      )}
    </>
  );
}

const SETTING_NAMES: Readonly<Record<keyof Campaign["settings"], string>> = {
  batchSize: "Recipients of one request",
  leaseSeconds: "Lease of one attempt, seconds",
  maxAttempts: "Unanswered attempts before doubt",
  idempotencyWindowSeconds: "Key is trusted for, seconds",
  requestsPerSecond: "Own limit, requests a second",
  pauseAtFailureRate: "Pauses at this share of failures",
  pauseAtDeadLetters: "Pauses at so many dead letters",
};

function settingText(value: number | null): string {
  return value === null ? "none" : count(value);
}

function SettingsCard({ campaign }: { readonly campaign: Campaign }) {
  const { settings, unsubscribe } = campaign;
  return (
    <Card title="Settings">
      <dl class="facts">
        {Object.entries(SETTING_NAMES).map(([name, label]) => (
          <div key={name}>
            <dt>{label}</dt>
            <dd>{settingText(settings[name as keyof Campaign["settings"]])}</dd>
          </div>
        ))}
        {campaign.delivery === "external" ? null : (
          <div>
            <dt>One-click unsubscribe</dt>
            <dd>{unsubscribe === false ? "no" : "yes"}</dd>
          </div>
        )}
      </dl>
    </Card>
  );
}
