/** One campaign: its head, what may be done with it, and the five views of it. */
import { useEffect, useRef } from "preact/hooks";
import { deliveryStatus, getCampaign } from "../api/calls.ts";
import type { Campaign, DeliveryStatus } from "../../client/types.ts";
import { Loading, StatePill, Trouble } from "../parts/basics.tsx";
import { useAsk, useEvery, useNow, useTitle, type Asked } from "../parts/hooks.ts";
import { Link } from "../parts/navigation.tsx";
import { useIsOperator } from "../parts/session.tsx";
import { campaignPlace, CAMPAIGNS, TABS, type Place, type Tab } from "../route.ts";
import { count } from "../text/format.ts";
import { safetyOf } from "../text/safety.ts";
import { useLive, type Live } from "../use-live.ts";
import { Actions } from "./actions.tsx";
import { Connection } from "./connection.tsx";
import { HistoryTab } from "./history.tsx";
import { MessageTab } from "./message.tsx";
import { Notices } from "./notices.tsx";
import { OverviewTab } from "./overview.tsx";
import { ProblemsTab } from "./problems.tsx";
import { RecipientsTab } from "./recipients.tsx";

export type CampaignPlace = Extract<Place, { page: "campaign" }>;

const QUIET_MILLISECONDS = 8_000;

/** A campaign with its newest status, and what takes a newer one. */
export type Watched = {
  readonly campaign: Campaign;
  readonly status: DeliveryStatus;
  readonly live: Live;
  /** After an action: the status that it answered. */
  readonly take: (status: DeliveryStatus) => void;
  /** After a change of the draft. */
  readonly put: (campaign: Campaign) => void;
};

export function CampaignPage({ place }: { readonly place: CampaignPlace }) {
  const { id } = place;
  const asked = useAsk(() => getCampaign(id), id);
  const live = useLive(asked.value === null ? null : id);
  useTitle(asked.value?.name ?? id);
  useFreshness(id, asked, live);
  if (asked.value === null) {
    return (
      <>
        <p class="crumb">
          <Link to={CAMPAIGNS}>Campaigns</Link>
        </p>
        <header class="page-head">
          <h1>{id}</h1>
        </header>
        {asked.error === null ? (
          <Loading what="the campaign" />
        ) : (
          <Trouble error={asked.error} onRetry={asked.again} />
        )}
      </>
    );
  }
  const status = newer(live.status, asked.value.status);
  const watched: Watched = {
    campaign: asked.value,
    status,
    live,
    take: live.take,
    put: asked.put,
  };
  return <CampaignView place={place} watched={watched} />;
}

function newer(live: DeliveryStatus | null, asked: DeliveryStatus): DeliveryStatus {
  return live !== null && live.version >= asked.version ? live : asked;
}

/**
 * The stream speaks on change only. The campaign's own row is read again when its state changes,
 * and a stalled campaign is asked now and then, since its rate falls without a change.
 */
function useFreshness(id: string, asked: Asked<Campaign>, live: Live): void {
  const state = live.status?.state;
  const known = asked.value?.state;
  useEffect(() => {
    if (state !== undefined && known !== undefined && state !== known) asked.again();
  }, [state]);
  useEvery(QUIET_MILLISECONDS, () => {
    if (state !== "sending" || Date.now() - live.heardAt < QUIET_MILLISECONDS) return;
    deliveryStatus(id).then(live.take, () => undefined);
  });
}

function CampaignView(props: { readonly place: CampaignPlace; readonly watched: Watched }) {
  const { place, watched } = props;
  const { campaign, status, live } = watched;
  const isOperator = useIsOperator();
  const isErased = live.state.kind === "ended";
  return (
    <>
      <p class="crumb">
        <Link to={CAMPAIGNS}>Campaigns</Link>
      </p>
      <header class="page-head">
        <div class="title">
          <h1>{campaign.name}</h1>
          <p class="sub">
            <span class="id">{campaign.id}</span>
            <StatePill state={status.state} />
            {campaign.delivery === "external" ? <span class="pill">external delivery</span> : null}
            <Connection state={live.state} heardAt={live.heardAt} />
          </p>
        </div>
        {isOperator && !isErased ? <Actions watched={watched} /> : null}
      </header>
      {isErased ? <ErasedNote /> : <SafetyNote watched={watched} />}
      <Notices events={live.events} state={status.state} />
      <Tabs place={place} status={status} />
      <TabOf place={place} watched={watched} />
    </>
  );
}

function ErasedNote() {
  return (
    <section class="safety attention" aria-label="What is safe to do now">
      <p class="safety-title">This campaign was erased</p>
      <p>The numbers below are the last that this page has heard. Nothing is left to be done.</p>
    </section>
  );
}

function SafetyNote({ watched }: { readonly watched: Watched }) {
  const { campaign, status } = watched;
  const now = useNow(1000);
  const { leaseSeconds } = campaign.settings;
  const { scheduledAt, delivery, enrolmentClosed } = campaign;
  const situation = { status, leaseSeconds, scheduledAt, delivery, enrolmentClosed };
  const { tone, title, lines } = safetyOf(situation, now);
  return (
    <section class={`safety ${tone}`} aria-label="What is safe to do now">
      <p class="safety-title">{title}</p>
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
    </section>
  );
}

const TAB_NAMES: Readonly<Record<Tab, string>> = {
  overview: "Overview",
  recipients: "Recipients",
  problems: "Problems",
  message: "Message",
  history: "History",
};

function Tabs({
  place,
  status,
}: {
  readonly place: CampaignPlace;
  readonly status: DeliveryStatus;
}) {
  const problems = status.stats.failed + status.stats.inDoubt + status.deadLetters;
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a narrow screen the row scrolls, and where one is may be beyond its edge.
    const current = nav.current?.querySelector("[aria-current]");
    current?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [place.tab]);
  return (
    <nav class="tabs" aria-label="Views of the campaign" ref={nav}>
      {TABS.map((tab) => (
        <Link key={tab} to={campaignPlace(place.id, tab)} current={tab === place.tab}>
          {TAB_NAMES[tab]}
          {tab === "problems" && problems > 0 ? <span class="badge">{count(problems)}</span> : null}
        </Link>
      ))}
    </nav>
  );
}

function TabOf({ place, watched }: { readonly place: CampaignPlace; readonly watched: Watched }) {
  switch (place.tab) {
    case "overview":
      return <OverviewTab watched={watched} />;
    case "recipients":
      return <RecipientsTab place={place} watched={watched} />;
    case "problems":
      return <ProblemsTab watched={watched} />;
    case "message":
      return <MessageTab watched={watched} />;
    case "history":
      return <HistoryTab watched={watched} />;
  }
}
