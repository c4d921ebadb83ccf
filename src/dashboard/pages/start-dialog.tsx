/** Starts a campaign, now or later, and says first whom it will mail and what is wrong with it. */
import { useState } from "preact/hooks";
import { preflight, startCampaign } from "../api/calls.ts";
import type { Finding, PreflightReport } from "../../client/types.ts";
import { Button, Trouble } from "../parts/basics.tsx";
import { Dialog, useAction } from "../parts/dialog.tsx";
import { useAsk } from "../parts/hooks.ts";
import { ofStart } from "../text/consequence.ts";
import { count, withOffset } from "../text/format.ts";
import type { Watched } from "./campaign.tsx";

const HOUR_MILLISECONDS = 3_600_000;

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
  const at = withOffset(local, new Date(local).getTimezoneOffset());
  const isManaged = campaign.delivery === "managed";
  const checked = useAsk(
    () => (isManaged ? preflight(campaign.id) : NOTHING_TO_CHECK),
    campaign.id,
  );
  const { isBusy, error, run } = useAction(async () => {
    take(await startCampaign(campaign.id, isLater ? at : null));
  }, onClose);
  const { requestsPerSecond } = campaign.settings;
  const seconds = checked.value?.estimatedSeconds ?? null;
  const { title, lines } = ofStart(status.stats, requestsPerSecond, seconds);
  const mayStart = checked.value?.ok !== false && !(isLater && local === "");
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
        {isLater ? (
          <label class="field">
            <span class="label">Time, by your clock</span>
            <input
              type="datetime-local"
              value={local}
              min={localText(Date.now())}
              onInput={(event) => setLocal(event.currentTarget.value)}
            />
            <span class="hint">{at}</span>
          </label>
        ) : null}
      </fieldset>
      {error === null ? null : <Trouble error={error} />}
      <footer class="dialog-foot">
        <Button onClick={onClose}>Leave it</Button>
        <Button kind="primary" onClick={run} disabled={isBusy || !mayStart}>
          {isLater ? "Schedule" : "Start now"}
        </Button>
      </footer>
    </Dialog>
  );
}

/** The consumers of an external campaign bring the content, so there is none to be looked at. */
const NOTHING_TO_CHECK = Promise.resolve(null);

/** A check that fails is no obstacle: the server looks again at the start, and refuses errors. */
function Findings(props: {
  readonly report: PreflightReport | null;
  readonly isChecking: boolean;
}) {
  const { report, isChecking } = props;
  const findings = report === null ? [] : [...report.errors, ...report.warnings];
  return (
    <div aria-live="polite">
      {report === null && isChecking ? <p class="hint">Looking at every recipient …</p> : null}
      {findings.length === 0 ? null : (
        <ul class="findings">
          {findings.map((finding) => (
            <li
              key={`${finding.code} ${finding.detail}`}
              class={report?.errors.includes(finding) === true ? "bad" : ""}
            >
              {findingText(finding)}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function findingText({ detail, count: hits, recipients = [] }: Finding): string {
  if (hits === undefined) return detail;
  const named = recipients.slice(0, 3).join(", ");
  const who = named === "" ? "" : `, such as ${named}`;
  return `${detail} It hits ${count(hits)}${who}.`;
}
