/** The recipients: upload while that is open, search, filter, list, and the story of one. */
import { useState } from "preact/hooks";
import { exportPath, listRecipients } from "../api/calls.ts";
import { findRecipient } from "../api/find-recipient.ts";
import type { Recipient } from "../../client/types.ts";
import { Card, Empty, StatusPill, Trouble } from "../parts/basics.tsx";
import { useAction } from "../parts/dialog.tsx";
import { useNow } from "../parts/hooks.ts";
import { Link, useNavigation } from "../parts/navigation.tsx";
import { Paged } from "../parts/paged.tsx";
import { SearchForm } from "../parts/search-form.tsx";
import { useIsOperator } from "../parts/session.tsx";
import { campaignPlace } from "../route.ts";
import { shortTime } from "../text/format.ts";
import { SEGMENT_LABELS, type SegmentName } from "../text/segments.ts";
import type { CampaignPlace, Watched } from "./campaign.tsx";
import { StoryDialog } from "./story-dialog.tsx";
import { UploadCard } from "./upload-card.tsx";

export function RecipientsTab(props: { readonly place: CampaignPlace; readonly watched: Watched }) {
  const { place, watched } = props;
  const { campaign, status } = watched;
  const isOperator = useIsOperator();
  const { swap } = useNavigation();
  const [uploads, setUploads] = useState(0);
  const isOpen = status.state === "draft" || status.state === "scheduled";
  const close = (): void => swap(campaignPlace(place.id, "recipients", { status: place.status }));
  return (
    <>
      {isOperator && isOpen ? (
        <UploadCard watched={watched} onUploaded={() => setUploads((before) => before + 1)} />
      ) : null}
      <Card
        title="Recipients"
        aside={
          <a class="button plain" href={exportPath(campaign.id, place.status)} download>
            Download as CSV
          </a>
        }
      >
        <SearchBar place={place} />
        <Paged
          key={place.status ?? ""}
          name="recipients"
          load={(cursor) => listRecipients(campaign.id, { status: place.status }, cursor)}
          refresh={`${status.state} ${uploads}`}
          empty={<NobodyHere place={place} isOpen={isOpen} />}
        >
          {(items) => <RecipientTable items={items} place={place} />}
        </Paged>
      </Card>
      {place.recipient === null ? null : (
        <StoryDialog
          key={place.recipient}
          watched={watched}
          recipientId={place.recipient}
          onClose={close}
        />
      )}
    </>
  );
}

function NobodyHere({
  place,
  isOpen,
}: {
  readonly place: CampaignPlace;
  readonly isOpen: boolean;
}) {
  if (place.status !== null) {
    return (
      <Empty title={`Nobody is ${SEGMENT_LABELS[place.status as SegmentName] ?? place.status}`} />
    );
  }
  return (
    <Empty title="No recipients yet">
      {isOpen ? <p>Upload a CSV, NDJSON or JSON file, or add them with the API.</p> : null}
    </Empty>
  );
}

function SearchBar({ place }: { readonly place: CampaignPlace }) {
  const { go } = useNavigation();
  const [wanted, setWanted] = useState("");
  const { isBusy, error, run } = useAction(async () => {
    const recipient = await findRecipient(place.id, wanted.trim());
    go(campaignPlace(place.id, "recipients", { recipient, status: place.status }));
  });
  return (
    <div class="toolbar">
      <SearchForm
        label="Id or address"
        wanted={wanted}
        onInput={setWanted}
        isBusy={isBusy}
        onSearch={run}
      />
      <StatusFilter place={place} />
      {error === null ? null : <Trouble error={error} />}
    </div>
  );
}

function StatusFilter({ place }: { readonly place: CampaignPlace }) {
  const { swap } = useNavigation();
  return (
    <label class="inline-field">
      <span class="label">Status</span>
      <select
        value={place.status ?? ""}
        onChange={(event) => {
          const { value } = event.currentTarget;
          swap(campaignPlace(place.id, "recipients", { status: value === "" ? null : value }));
        }}
      >
        <option value="">all</option>
        {Object.entries(SEGMENT_LABELS).map(([name, label]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

function RecipientTable(props: {
  readonly items: readonly Recipient[];
  readonly place: CampaignPlace;
}) {
  const { items, place } = props;
  const now = useNow(60_000);
  const storyOf = (recipient: string) =>
    campaignPlace(place.id, "recipients", { recipient, status: place.status });
  return (
    <div class="table-wrap">
      <table class="table cards">
        <thead>
          <tr>
            <th scope="col">Recipient</th>
            <th scope="col">Status</th>
            <th scope="col" class="wide">
              Reason
            </th>
            <th scope="col" class="number">
              Batch
            </th>
            <th scope="col">Changed</th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.id}>
              <th scope="row">
                <Link to={storyOf(item.id)} class="row-link">
                  {item.email}
                </Link>
                <span class="id">{item.id}</span>
              </th>
              <td data-label="Status">
                <StatusPill status={item.status} />
              </td>
              <td data-label="Reason" class="wide reason">
                {item.reason ?? <span class="soft">none</span>}
              </td>
              <td data-label="Batch" class="number">
                {item.batch ?? <span class="soft">none</span>}
              </td>
              <td data-label="Changed">{shortTime(item.updatedAt, now)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {items.length === 0 ? <p class="hint">None so far; there may be more.</p> : null}
    </div>
  );
}
