/** Starts a campaign, now or later, and says first whom it will mail. */
import { useState } from "preact/hooks";
import { startCampaign } from "../api/calls.ts";
import { Button, Trouble } from "../parts/basics.tsx";
import { Dialog, useAction } from "../parts/dialog.tsx";
import { ofStart } from "../text/consequence.ts";
import { withOffset } from "../text/format.ts";
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
  const { isBusy, error, run } = useAction(async () => {
    take(await startCampaign(campaign.id, isLater ? at : null));
  }, onClose);
  const { title, lines } = ofStart(status.stats, campaign.settings.requestsPerSecond);
  return (
    <Dialog title={title} onClose={onClose}>
      <ul class="consequences">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
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
        <Button kind="primary" onClick={run} disabled={isBusy || (isLater && local === "")}>
          {isLater ? "Schedule" : "Start now"}
        </Button>
      </footer>
    </Dialog>
  );
}
