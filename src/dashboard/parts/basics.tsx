/** The small things every page is made of. */
import type { ComponentChildren } from "preact";
import { ApiError, sentenceOf } from "../api/ask.ts";
import type { CampaignState, RecipientStatus } from "../../client/types.ts";
import { SEGMENT_LABELS, type SegmentName } from "../text/segments.ts";

export function Button(props: {
  readonly onClick?: () => void;
  readonly kind?: "primary" | "plain" | "danger";
  readonly type?: "button" | "submit";
  readonly disabled?: boolean;
  readonly children: ComponentChildren;
}) {
  const { onClick, kind = "plain", type = "button", disabled = false, children } = props;
  return (
    <button
      type={type}
      class={`button ${kind}`}
      disabled={disabled}
      {...(onClick === undefined ? {} : { onClick })}
    >
      {children}
    </button>
  );
}

export function StatePill({ state }: { readonly state: CampaignState }) {
  return <span class={`pill state-${state}`}>{state}</span>;
}

export function StatusPill({ status }: { readonly status: RecipientStatus }) {
  const name: SegmentName = status === "pending" ? "remaining" : status;
  return <span class={`pill status-${name}`}>{SEGMENT_LABELS[name]}</span>;
}

/** Something went wrong: what, and what can be done. */
export function Trouble(props: {
  readonly error: unknown;
  readonly onRetry?: () => void;
  readonly onClose?: () => void;
}) {
  const { error, onRetry, onClose } = props;
  const isOver = error instanceof ApiError && error.code === "backAgain";
  return (
    <div class={isOver ? "notice" : "notice bad"} role={isOver ? "status" : "alert"}>
      <p>{sentenceOf(error)}</p>
      {onRetry === undefined ? null : <Button onClick={onRetry}>Try again</Button>}
      {onClose === undefined ? null : <Button onClick={onClose}>Close</Button>}
    </div>
  );
}

export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

export function Loading({ what }: { readonly what: string }) {
  return (
    <p class="loading" role="status">
      Loading {what} …
    </p>
  );
}

/** A titled part of a page, which screen readers can jump to. */
export function Card(props: {
  readonly title: string;
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const { title, aside, children } = props;
  const id = `card-${title.toLowerCase().replaceAll(/[^a-z]+/g, "-")}`;
  return (
    <section class="card" aria-labelledby={id}>
      <header class="card-head">
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}
