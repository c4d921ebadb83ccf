/** The audit trail, newest first. */
import { listEvents } from "../api/calls.ts";
import { Card, Empty } from "../parts/basics.tsx";
import { Paged } from "../parts/paged.tsx";
import { dateTime } from "../text/format.ts";
import { eventText, isTrouble } from "../text/event-text.ts";
import type { Watched } from "./campaign.tsx";

export function HistoryTab({ watched }: { readonly watched: Watched }) {
  const { id } = watched.campaign;
  // Whatever is in the trail has changed the status too.
  const key = `${id} ${watched.status.state} ${watched.live.events[0]?.number ?? 0}`;
  return (
    <Card title="History">
      <Paged
        key={id}
        name="events"
        load={(cursor) => listEvents(id, cursor)}
        refresh={key}
        empty={<Empty title="Nothing has happened yet" />}
      >
        {(events) => (
          <ol class="trail">
            {events.map((event) => (
              <li key={event.number} class={isTrouble(event) ? "bad" : ""}>
                <time dateTime={event.at}>{dateTime(event.at)}</time>
                <span>{eventText(event)}</span>
              </li>
            ))}
          </ol>
        )}
      </Paged>
    </Card>
  );
}
