/** What an operator may do with a campaign as a whole, in each of its states. */
import { useState } from "preact/hooks";
import { eraseCampaign, moveCampaign, type Move } from "../api/calls.ts";
import { Button, Trouble } from "../parts/basics.tsx";
import { Confirm, useAction } from "../parts/dialog.tsx";
import { useNavigation } from "../parts/navigation.tsx";
import { CAMPAIGNS } from "../route.ts";
import { ofCancel, ofClose, ofErase, type Consequence } from "../text/consequence.ts";
import { count } from "../text/format.ts";
import type { Watched } from "./campaign.tsx";
import { StartDialog } from "./start-dialog.tsx";

type Question = "start" | "cancel" | "close" | "erase";

export function Actions({ watched }: { readonly watched: Watched }) {
  const { campaign, status, take } = watched;
  const [question, setQuestion] = useState<Question | null>(null);
  const pausing = useAction(async () => take(await moveCampaign(campaign.id, "pause")));
  const resuming = useAction(async () => take(await moveCampaign(campaign.id, "resume")));
  const { state } = status;
  const close = (): void => setQuestion(null);
  const error = pausing.error ?? resuming.error;
  const dismiss = (): void => {
    pausing.dismiss();
    resuming.dismiss();
  };
  return (
    <div class="actions">
      {state === "draft" ? (
        <Button kind="primary" onClick={() => setQuestion("start")}>
          Start …
        </Button>
      ) : null}
      {state === "sending" || state === "scheduled" ? (
        <Button kind="primary" onClick={pausing.run} disabled={pausing.isBusy}>
          Pause
        </Button>
      ) : null}
      {state === "paused" ? (
        <Button kind="primary" onClick={resuming.run} disabled={resuming.isBusy}>
          {status.stats.remaining > 0 ? `Resume ${count(status.stats.remaining)}` : "Resume"}
        </Button>
      ) : null}
      {canClose(watched) ? (
        <Button onClick={() => setQuestion("close")}>Close enrolment …</Button>
      ) : null}
      {state === "finished" || state === "cancelled" ? null : (
        <Button kind="danger" onClick={() => setQuestion("cancel")}>
          Cancel …
        </Button>
      )}
      {state === "draft" || state === "finished" || state === "cancelled" ? (
        <Button kind="danger" onClick={() => setQuestion("erase")}>
          Erase …
        </Button>
      ) : null}
      {error === null ? null : <Trouble error={error} onClose={dismiss} />}
      <Asking question={question} watched={watched} onClose={close} />
    </div>
  );
}

function canClose({ campaign, status }: Watched): boolean {
  const isRunning = status.state === "sending" || status.state === "paused";
  return campaign.delivery === "external" && isRunning && !campaign.enrolmentClosed;
}

function Asking(props: {
  readonly question: Question | null;
  readonly watched: Watched;
  readonly onClose: () => void;
}) {
  const { question, watched, onClose } = props;
  const { campaign, status, take } = watched;
  const { go } = useNavigation();
  const move = (name: Move) => async (): Promise<void> =>
    take(await moveCampaign(campaign.id, name));
  const confirm = (consequence: Consequence, work: () => Promise<unknown>) => (
    <Confirm consequence={consequence} onConfirm={work} onClose={onClose} />
  );
  switch (question) {
    case "start":
      return <StartDialog watched={watched} onClose={onClose} />;
    case "cancel":
      return confirm(ofCancel(status.stats), move("cancel"));
    case "close":
      return confirm(ofClose(status.stats), move("finish"));
    case "erase":
      return confirm(ofErase(status.stats), async () => {
        await eraseCampaign(campaign.id);
        go(CAMPAIGNS);
      });
    case null:
      return null;
  }
}
