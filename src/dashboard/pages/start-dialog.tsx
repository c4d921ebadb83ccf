/** Starts a campaign, now or later, and says first whom it will mail and what is wrong with it. */
import { useState } from "preact/hooks";
import { ApiError } from "../api/ask.ts";
import { preflight, startCampaign } from "../api/calls.ts";
import type { Finding, PreflightReport } from "../../client/types.ts";
import { Button, Trouble } from "../parts/basics.tsx";
import { Dialog, useAction } from "../parts/dialog.tsx";
import { useAsk, useNow } from "../parts/hooks.ts";
import { ofStart } from "../text/consequence.ts";
import { counted, dayAndTime, duration } from "../text/format.ts";
import type { Watched } from "./campaign.tsx";

const HOUR_MILLISECONDS = 3_600_000;
/** Goes with the time: only the server knows which hours the clocks of a place skip or double. */
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** What a `datetime-local` field holds for a time of the reader's own clock. */
function localText(at: number): string {
  const offset = new Date(at).getTimezoneOffset() * 60_000;
  return new Date(at - offset).toISOString().slice(0, 16);
}

export function StartDialog(props: { readonly watched: Watched; readonly onClose: () => void }) {
  const { watched, onClose } = props;
  const { campaign, status, take } = watched;
  const [isLater, setLater] = useState(false);
  const [local, setLocal] = useState(() => localText(Date.now() + HOUR_MILLISECONDS));
  const isManaged = campaign.delivery === "managed";
  const checked = useAsk(
    () => (isManaged ? preflight(campaign.id) : NOTHING_TO_CHECK),
    campaign.id,
  );
  const { isBusy, error, run } = useAction(async () => {
    take(await startCampaign(campaign.id, isLater ? { local, zone: ZONE } : null));
  }, onClose);
  const { requestsPerSecond } = campaign.settings;
  const seconds = checked.value?.estimatedSeconds ?? null;
  const { title, lines } = ofStart(status.stats, campaign.delivery, requestsPerSecond, seconds);
  // Whoever starts an empty one at once has forgotten the list, and could not add it any more.
  const isEmpty = isManaged && status.stats.remaining === 0;
  const isTimed = isLater ? local !== "" : !isEmpty;
  const mayStart = checked.value?.ok !== false && isTimed;
  const timeFault = error instanceof ApiError ? timeFaultOf(error) : null;
  return (
    <Dialog title={title} onClose={onClose}>
      <ul class="consequences">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <Findings report={checked.value} isChecking={checked.isLoading} />
      <fieldset class="choices">
        <legend>When</legend>
        <label class="check">
          <input type="radio" name="when" checked={!isLater} onChange={() => setLater(false)} />
          Now
        </label>
        <label class="check">
          <input type="radio" name="when" checked={isLater} onChange={() => setLater(true)} />
          Later
        </label>
        {isLater ? <TimeField local={local} onInput={setLocal} fault={timeFault} /> : null}
      </fieldset>
      {error === null || timeFault !== null ? null : <Trouble error={error} />}
      <footer class="dialog-foot">
        <Button onClick={onClose}>Leave it</Button>
        <Button kind="primary" onClick={run} disabled={isBusy || !mayStart}>
          {isLater ? "Schedule" : "Start now"}
        </Button>
      </footer>
    </Dialog>
  );
}

function TimeField(props: {
  readonly local: string;
  readonly onInput: (local: string) => void;
  readonly fault: string | null;
}) {
  const { local, onInput, fault } = props;
  const now = useNow(1000);
  return (
    <label class="field">
      <span class="label">Time, by the clocks of {ZONE}</span>
      <input
        type="datetime-local"
        value={local}
        min={localText(now)}
        aria-invalid={fault !== null}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <span class={fault === null ? "hint" : "hint fault"}>{fault ?? untilText(local, now)}</span>
    </label>
  );
}

function untilText(local: string, now: number): string {
  const at = new Date(local).getTime();
  if (Number.isNaN(at)) return "Choose a day and a time.";
  return at < now ? "This time has passed." : `${dayAndTime(at)}, in ${duration(at - now)}`;
}

/** What is wrong with the time; null: the refusal is about something else. */
function timeFaultOf({ faults }: ApiError): string | null {
  const fault = faults.find(({ path }) => path === "local");
  if (fault === undefined) return null;
  // Which of two equal hours is meant can be said by the API, and by no clock.
  const detail = fault.detail.replace(/; say which by .*/, "; choose a time before or after");
  if (detail.startsWith("has passed")) return "This time has passed.";
  return `${detail.replace("T", " ")}.`;
}

/** The consumers of an external campaign bring the content, so there is none to be looked at. */
const NOTHING_TO_CHECK = Promise.resolve(null);

/** A check that fails is no obstacle: the server looks again at the start, and refuses errors. */
function Findings(props: {
  readonly report: PreflightReport | null;
  readonly isChecking: boolean;
}) {
  const { report, isChecking } = props;
  const { errors = [], warnings = [] } = report ?? {};
  return (
    <div aria-live="polite">
      {report === null && isChecking ? <p class="hint">Looking at every recipient …</p> : null}
      <FindingList title="Has to be mended before it can start" kind="bad" findings={errors} />
      <FindingList title="Worth a look" kind="" findings={warnings} />
    </div>
  );
}

function FindingList(props: {
  readonly title: string;
  readonly kind: "bad" | "";
  readonly findings: readonly Finding[];
}) {
  const { title, kind, findings } = props;
  if (findings.length === 0) return null;
  return (
    <section class={`findings ${kind}`}>
      <h3>{title}</h3>
      <ul>
        {findings.map((finding) => (
          <li key={`${finding.code} ${finding.detail}`}>{findingText(finding)}</li>
        ))}
      </ul>
    </section>
  );
}

function findingText({ detail, count: hits, recipients = [] }: Finding): string {
  if (hits === undefined) return detail;
  const named = recipients.slice(0, 3).join(", ");
  const who = named === "" ? "" : hits === 1 ? `: ${named}` : `, such as ${named}`;
  return `${detail} ${counted(hits, "recipient")}${who}.`;
}
