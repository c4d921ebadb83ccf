/** Everything that is known about one recipient, and what can be done about it. */
import { useState } from "preact/hooks";
import { getRecipient, replay, resolve } from "../api/calls.ts";
import type { RecipientStory } from "../../client/types.ts";
import { Button, Loading, StatusPill, Trouble } from "../parts/basics.tsx";
import { Confirm, Dialog } from "../parts/dialog.tsx";
import { useAsk } from "../parts/hooks.ts";
import { useIsOperator } from "../parts/session.tsx";
import { ofReplayDoubts, ofReplayFailed, ofResolve } from "../text/consequence.ts";
import { dateTime } from "../text/format.ts";
import { stepsOf } from "../text/story.ts";
import type { Watched } from "./campaign.tsx";

export function StoryDialog(props: {
  readonly watched: Watched;
  readonly recipientId: string;
  readonly onClose: () => void;
}) {
  const { watched, recipientId, onClose } = props;
  const { id } = watched.campaign;
  const asked = useAsk(() => getRecipient(id, recipientId), recipientId);
  const story = asked.value;
  return (
    <Dialog title={story?.email ?? recipientId} onClose={onClose} wide>
      {asked.error === null ? null : <Trouble error={asked.error} onRetry={asked.again} />}
      {story === null && asked.error === null ? <Loading what="the recipient" /> : null}
      {story === null ? null : (
        <>
          <StoryFacts story={story} />
          <StoryActions story={story} watched={watched} onDone={asked.again} />
          <Timeline story={story} />
          <MergeFields data={story.data} />
        </>
      )}
    </Dialog>
  );
}

function StoryFacts({ story }: { readonly story: RecipientStory }) {
  const facts: readonly (readonly [string, string | number | null])[] = [
    ["Id", story.id],
    ["Reason", story.reason],
    ["Provider's id", story.providerId],
    ["Batch", story.batch],
    ["Idempotency key", story.idempotencyKey],
    ["Last change", dateTime(story.updatedAt)],
  ];
  return (
    <dl class="facts">
      <div>
        <dt>Status</dt>
        <dd>
          <StatusPill status={story.status} />
        </dd>
      </div>
      {facts
        .filter(([, value]) => value !== null)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

function Timeline({ story }: { readonly story: RecipientStory }) {
  const steps = stepsOf(story);
  if (steps.length === 0)
    return <p class="hint">No attempt has been made to mail this recipient.</p>;
  return (
    <>
      <h3>What has happened</h3>
      <ol class="timeline">
        {steps.map((step) => (
          <li key={`${step.at} ${step.title}`} class={step.tone}>
            <time dateTime={step.at}>{dateTime(step.at)}</time>
            <span>
              {step.title}
              {step.detail === "" ? null : <span class="soft"> {step.detail}</span>}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}

function MergeFields({ data }: { readonly data: RecipientStory["data"] }) {
  if (Object.keys(data).length === 0) return null;
  return (
    <>
      <h3>Merge fields</h3>
      <pre class="code" tabIndex={0}>
        {JSON.stringify(data, null, 2)}
      </pre>
    </>
  );
}

function StoryActions(props: {
  readonly story: RecipientStory;
  readonly watched: Watched;
  readonly onDone: () => void;
}) {
  const { story, watched, onDone } = props;
  const isOperator = useIsOperator();
  const [question, setQuestion] = useState<"replay" | "sent" | "failed" | null>(null);
  const isDoubt = story.status === "inDoubt";
  const mayReplay = watched.status.state !== "cancelled" && (isDoubt || story.status === "failed");
  if (!isOperator || !(mayReplay || isDoubt)) return null;
  const { id } = watched.campaign;
  const ids = [story.id];
  const work = async (): Promise<void> => {
    if (question === "replay") {
      const request = isDoubt ? { ids, acceptDuplicateRisk: true } : { ids };
      watched.take((await replay(id, request)).status);
    } else if (question !== null) watched.take(await resolve(id, ids, question));
    onDone();
  };
  return (
    <div class="actions">
      {mayReplay ? <Button onClick={() => setQuestion("replay")}>Replay …</Button> : null}
      {isDoubt ? <Button onClick={() => setQuestion("sent")}>It was sent …</Button> : null}
      {isDoubt ? <Button onClick={() => setQuestion("failed")}>It was not …</Button> : null}
      {question === null ? null : (
        <Confirm
          consequence={
            question === "replay"
              ? isDoubt
                ? ofReplayDoubts(1)
                : ofReplayFailed(1)
              : ofResolve(1, question)
          }
          onConfirm={work}
          onClose={() => setQuestion(null)}
        />
      )}
    </div>
  );
}
