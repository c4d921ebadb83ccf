/** What needs a person: doubts to settle, failures and dead letters to replay. */
import { useState } from "preact/hooks";
import { listDeadLetters, listRecipients, moveCampaign, replay, resolve } from "../api/calls.ts";
import type { DeadLetter, ReplayRequest } from "../../client/types.ts";
import { Button, Card, Empty, Trouble } from "../parts/basics.tsx";
import { Confirm, useAction } from "../parts/dialog.tsx";
import { Paged } from "../parts/paged.tsx";
import { useIsOperator } from "../parts/session.tsx";
import {
  ofReplayDoubts,
  ofReplayFailed,
  ofReplayLetters,
  ofResolve,
  type Consequence,
} from "../text/consequence.ts";
import { counted, dateTime } from "../text/format.ts";
import { ProblemTable } from "./problem-table.tsx";
import type { Watched } from "./campaign.tsx";

export function ProblemsTab({ watched }: { readonly watched: Watched }) {
  const { stats, deadLetters } = watched.status;
  if (stats.failed + stats.inDoubt + deadLetters === 0) {
    return (
      <Empty title="No problems">
        <p>Nobody has failed, nobody is in doubt, and no queue message was given up.</p>
      </Empty>
    );
  }
  return (
    <>
      {stats.inDoubt > 0 ? <Doubts watched={watched} /> : null}
      {stats.failed > 0 ? <Failures watched={watched} /> : null}
      {deadLetters > 0 ? <DeadLetters watched={watched} /> : null}
    </>
  );
}

type Question = { readonly consequence: Consequence; readonly work: () => Promise<unknown> };

/** A cancelled campaign mails nobody any more, so there is nothing to replay in it. */
function useProblemActions(watched: Watched) {
  const isOperator = useIsOperator();
  const [question, setQuestion] = useState<Question | null>(null);
  const { id } = watched.campaign;
  const askReplay = (consequence: Consequence, request: ReplayRequest): void =>
    setQuestion({
      consequence,
      work: async () => watched.take((await replay(id, request)).status),
    });
  const askResolve = (ids: readonly string[], as: "sent" | "failed", onDone: () => void): void =>
    setQuestion({
      consequence: ofResolve(ids.length, as),
      work: async () => {
        watched.take(await resolve(id, ids, as));
        onDone();
      },
    });
  const dialog =
    question === null ? null : (
      <Confirm
        consequence={question.consequence}
        onConfirm={question.work}
        onClose={() => setQuestion(null)}
      />
    );
  const mayReplay = isOperator && watched.status.state !== "cancelled";
  return { isOperator, mayReplay, askReplay, askResolve, dialog };
}

function Doubts({ watched }: { readonly watched: Watched }) {
  const { inDoubt } = watched.status.stats;
  const { id } = watched.campaign;
  const { isOperator, mayReplay, askReplay, askResolve, dialog } = useProblemActions(watched);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const settle = (as: "sent" | "failed"): void =>
    askResolve([...chosen], as, () => setChosen(new Set()));
  const asking = useAction(async () => watched.take(await moveCampaign(id, "reconcile")));
  // The consumers of an external campaign have a provider of their own.
  const isManaged = watched.campaign.delivery === "managed";
  const some = chosen.size === 0 ? "" : `${chosen.size} `;
  const request = { recipients: "inDoubt", acceptDuplicateRisk: true } as const;
  return (
    <Card title={`${counted(inDoubt, "recipient")} in doubt`}>
      <p class="hint">
        They may have been mailed, and can't be sent again without a risk. The provider can be asked
        which of them it has; for the others look into its own log, then say what you found.
      </p>
      {isOperator ? (
        <div class="toolbar">
          <Button disabled={chosen.size === 0} onClick={() => settle("sent")}>
            Settle {some}as sent …
          </Button>
          <Button disabled={chosen.size === 0} onClick={() => settle("failed")}>
            Settle {some}as failed …
          </Button>
          {isManaged ? (
            <Button disabled={asking.isBusy} onClick={asking.run}>
              Ask the provider
            </Button>
          ) : null}
          {mayReplay ? (
            <Button kind="danger" onClick={() => askReplay(ofReplayDoubts(inDoubt), request)}>
              Replay all …
            </Button>
          ) : null}
        </div>
      ) : null}
      {asking.error === null ? null : <Trouble error={asking.error} />}
      <Paged
        name="doubts"
        load={(cursor) => listRecipients(id, { status: "inDoubt" }, cursor)}
        refresh={String(inDoubt)}
        empty={<Empty title="All settled" />}
      >
        {(items) => (
          <ProblemTable
            campaign={id}
            items={items}
            {...(isOperator ? { chosen, onChoose: setChosen } : {})}
          />
        )}
      </Paged>
      {dialog}
    </Card>
  );
}

function Failures({ watched }: { readonly watched: Watched }) {
  const { failed } = watched.status.stats;
  const { id } = watched.campaign;
  const { mayReplay, askReplay, dialog } = useProblemActions(watched);
  return (
    <Card
      title={`${counted(failed, "recipient")} failed`}
      aside={
        mayReplay ? (
          <Button onClick={() => askReplay(ofReplayFailed(failed), { recipients: "failed" })}>
            Replay all …
          </Button>
        ) : null
      }
    >
      <Paged
        name="failures"
        load={(cursor) => listRecipients(id, { status: "failed" }, cursor)}
        refresh={String(failed)}
        empty={<Empty title="None any more" />}
      >
        {(items) => <ProblemTable campaign={id} items={items} />}
      </Paged>
      {dialog}
    </Card>
  );
}

function DeadLetters({ watched }: { readonly watched: Watched }) {
  const { deadLetters } = watched.status;
  const { id } = watched.campaign;
  const { mayReplay, askReplay, dialog } = useProblemActions(watched);
  const request = { recipients: "deadLettered" } as const;
  return (
    <Card
      title={counted(deadLetters, "dead letter")}
      aside={
        mayReplay ? (
          <Button onClick={() => askReplay(ofReplayLetters(deadLetters), request)}>
            Replay all …
          </Button>
        ) : null
      }
    >
      <p class="hint">
        Queue messages that were given up. A message is a hint and holds nobody: the campaign goes
        on without it.
      </p>
      <Paged
        name="dead letters"
        load={(cursor) => listDeadLetters(id, cursor)}
        refresh={`${deadLetters} ${watched.status.version > 0 ? watched.live.events.length : 0}`}
        empty={<Empty title="None any more" />}
      >
        {(letters) => <LetterTable letters={letters} />}
      </Paged>
      {dialog}
    </Card>
  );
}

function LetterTable({ letters }: { readonly letters: readonly DeadLetter[] }) {
  return (
    <div class="table-wrap">
      <table class="table cards">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col" class="number">
              Dispatch
            </th>
            <th scope="col" class="number">
              Recipients
            </th>
            <th scope="col" class="wide">
              Error
            </th>
            <th scope="col">Replayed</th>
          </tr>
        </thead>
        <tbody>
          {letters.map((letter) => (
            <tr key={letter.number}>
              <th scope="row">{dateTime(letter.at)}</th>
              <td data-label="Dispatch" class="number">
                {letter.dispatch ?? <span class="soft">unknown</span>}
              </td>
              <td data-label="Recipients" class="number">
                {letter.recipients}
              </td>
              <td data-label="Error" class="wide reason">
                {letter.error}, after {counted(letter.attempts, "attempt")}
              </td>
              <td data-label="Replayed">
                {letter.replayedAt === null ? (
                  <span class="soft">no</span>
                ) : (
                  dateTime(letter.replayedAt)
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
