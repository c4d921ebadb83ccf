/** The numbers of a campaign: progress, pace, curve and feedback. */
import type { ComponentChildren } from "preact";
import type { DeliveryStatus } from "../../client/types.ts";
import { Card, Empty } from "../parts/basics.tsx";
import { useNow } from "../parts/hooks.ts";
import { Plot } from "../parts/plot.tsx";
import { Progress } from "../parts/progress.tsx";
import { count, duration, percent, rate, shortTime } from "../text/format.ts";
import type { Watched } from "./campaign.tsx";

export function OverviewTab({ watched }: { readonly watched: Watched }) {
  const { status } = watched;
  return (
    <div class="grid even">
      <Card title="Progress">
        {status.stats.total === 0 ? (
          <Empty title="No recipients yet" />
        ) : (
          <Progress stats={status.stats} />
        )}
        <Pace watched={watched} />
      </Card>
      <Card title="Sent over time">
        <Curve watched={watched} />
      </Card>
      <Card title="Feedback">
        <FeedbackNumbers status={status} />
      </Card>
      <Card title="Safeguards">
        <Figures kind="pair">
          <Figure name="Duplicates prevented" value={count(status.duplicatesPrevented)} />
          <Figure name="Dead letters" value={count(status.deadLetters)} />
        </Figures>
        <p class="hint">
          Recipients that a redelivery, a second consumer or a stale report would have mailed again,
          and queue messages that were given up. Neither loses anybody.
        </p>
      </Card>
    </div>
  );
}

function Figures({
  children,
  kind = "",
}: {
  readonly children: ComponentChildren;
  readonly kind?: "" | "pair";
}) {
  return <dl class={`figures ${kind}`}>{children}</dl>;
}

function Figure(props: { readonly name: string; readonly value: string; readonly note?: string }) {
  return (
    <div class="figure">
      <dt>{props.name}</dt>
      <dd>
        {props.value}
        {props.note === undefined ? null : <span class="note">{props.note}</span>}
      </dd>
    </div>
  );
}

function Pace({ watched }: { readonly watched: Watched }) {
  const { status } = watched;
  const now = useNow(1000);
  const { state, startedAt, finishedAt, expectedFinishAt } = status;
  if (startedAt === null) return null;
  const isSending = state === "sending";
  const end = finishedAt ?? expectedFinishAt;
  const left = end === null ? 0 : new Date(end).getTime() - now;
  const took = new Date(finishedAt ?? now).getTime() - new Date(startedAt).getTime();
  return (
    <Figures>
      <Figure name="Rate" value={isSending ? `${rate(status.ratePerSecond)} / s` : "0 / s"} />
      <Figure
        name={finishedAt === null ? "Expected end" : "Ended"}
        value={end === null ? "unknown" : shortTime(end, now)}
        {...(finishedAt === null && end !== null ? { note: `in ${duration(left)}` } : {})}
      />
      <Figure name="Started" value={shortTime(startedAt, now)} />
      <Figure name={finishedAt === null ? "Running for" : "Took"} value={duration(took)} />
    </Figures>
  );
}

function Curve({ watched }: { readonly watched: Watched }) {
  const { status, live } = watched;
  if (status.startedAt === null) {
    return <Empty title="The curve begins when the campaign does" />;
  }
  if (live.samples.length < 2 && status.state !== "sending") {
    return (
      <Empty title="Not watched">
        <p>The curve is drawn while this page is open. The numbers beside it are complete.</p>
      </Empty>
    );
  }
  return <Plot samples={live.samples} startedAt={new Date(status.startedAt).getTime()} />;
}

function FeedbackNumbers({ status }: { readonly status: DeliveryStatus }) {
  const { feedback, stats } = status;
  const share = (part: number): string => percent(part, stats.sent);
  return (
    <>
      <Figures>
        <Figure
          name="Delivered"
          value={count(feedback.delivered)}
          note={share(feedback.delivered)}
        />
        <Figure name="Delayed" value={count(feedback.delayed)} note={share(feedback.delayed)} />
        <Figure name="Bounced" value={count(feedback.bounced)} note={share(feedback.bounced)} />
        <Figure
          name="Complained"
          value={count(feedback.complained)}
          note={share(feedback.complained)}
        />
      </Figures>
      <p class="hint">What webhooks have told of the {count(stats.sent)} sent, each mail once.</p>
    </>
  );
}
