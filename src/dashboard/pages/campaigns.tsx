/** All campaigns, newest first, with their state and numbers. */
import { useState } from "preact/hooks";
import { listCampaigns } from "../api/calls.ts";
import type { CampaignEntry } from "../../client/types.ts";
import { Button, Empty, Loading, StatePill, Trouble } from "../parts/basics.tsx";
import { useAction } from "../parts/dialog.tsx";
import { useAsk, useEvery, useNow, useTitle } from "../parts/hooks.ts";
import { Link } from "../parts/navigation.tsx";
import { Bar } from "../parts/progress.tsx";
import { useIsOperator } from "../parts/session.tsx";
import { campaignPlace, CREATE } from "../route.ts";
import { count, counted, rate, shortTime } from "../text/format.ts";

const REFRESH_MILLISECONDS = 5_000;

export function CampaignsPage() {
  useTitle("Campaigns");
  const isOperator = useIsOperator();
  const { value, error, isLoading, again } = useAsk(() => listCampaigns(null), "campaigns");
  useEvery(REFRESH_MILLISECONDS, again);
  return (
    <>
      <header class="page-head">
        <h1>Campaigns</h1>
        {isOperator ? (
          <Link to={CREATE} class="button primary">
            New campaign
          </Link>
        ) : null}
      </header>
      {error === null ? null : <Trouble error={error} onRetry={again} />}
      {value === null && isLoading && error === null ? <Loading what="campaigns" /> : null}
      {value === null ? null : value.items.length === 0 && value.cursor === null ? (
        <Empty title="No campaigns yet">
          <p>
            {isOperator
              ? "Create one here, or with the API. Nothing is mailed before you start it."
              : "An operator can create one. It will show up here."}
          </p>
        </Empty>
      ) : (
        <CampaignList newest={value.items} cursor={value.cursor} />
      )}
    </>
  );
}

/** The newest page is asked for again and again, older ones once. */
function CampaignList(props: {
  readonly newest: readonly CampaignEntry[];
  readonly cursor: string | null;
}) {
  const [older, setOlder] = useState<{
    items: readonly CampaignEntry[];
    cursor: string | null;
  } | null>(null);
  const cursor = older === null ? props.cursor : older.cursor;
  const { isBusy, error, run } = useAction(async () => {
    const page = await listCampaigns(cursor);
    setOlder({ items: [...(older?.items ?? []), ...page.items], cursor: page.cursor });
  });
  const known = new Set(props.newest.map(({ id }) => id));
  const rest = (older?.items ?? []).filter(({ id }) => !known.has(id));
  return (
    <>
      <CampaignTable entries={[...props.newest, ...rest]} />
      {error === null ? null : <Trouble error={error} />}
      {cursor === null ? null : (
        <p class="more">
          <Button onClick={run} disabled={isBusy}>
            Older campaigns
          </Button>
        </p>
      )}
    </>
  );
}

function CampaignTable({ entries }: { readonly entries: readonly CampaignEntry[] }) {
  const now = useNow(60_000);
  return (
    <div class="card table-wrap">
      <table class="table cards">
        <thead>
          <tr>
            <th scope="col">Campaign</th>
            <th scope="col">State</th>
            <th scope="col" class="wide">
              Progress
            </th>
            <th scope="col" class="number">
              Sent
            </th>
            <th scope="col" class="number">
              Total
            </th>
            <th scope="col">Problems</th>
            <th scope="col">Created</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <CampaignRow key={entry.id} entry={entry} now={now} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function CampaignRow({ entry, now }: { readonly entry: CampaignEntry; readonly now: number }) {
  const { id, name, status, createdAt } = entry;
  const { stats, state, ratePerSecond } = status;
  return (
    <tr>
      <th scope="row">
        <Link to={campaignPlace(id)} class="row-link">
          {name}
        </Link>
        <span class="id">{id}</span>
      </th>
      <td data-label="State">
        <StatePill state={state} />
      </td>
      <td data-label="Progress" class="wide">
        <Bar stats={stats} thin />
        {state === "sending" ? <span class="soft">{rate(ratePerSecond)} a second</span> : null}
      </td>
      <td data-label="Sent" class="number">
        {count(stats.sent)}
      </td>
      <td data-label="Total" class="number">
        {count(stats.total)}
      </td>
      <td data-label="Problems">{troubleOf(entry) || <span class="soft">none</span>}</td>
      <td data-label="Created">{shortTime(createdAt, now)}</td>
    </tr>
  );
}

function troubleOf({ status }: CampaignEntry): string {
  const { failed, inDoubt } = status.stats;
  return [
    failed > 0 ? `${count(failed)} failed` : "",
    inDoubt > 0 ? `${count(inDoubt)} in doubt` : "",
    status.deadLetters > 0 ? counted(status.deadLetters, "dead letter") : "",
  ]
    .filter((text) => text !== "")
    .join(", ");
}
