/** What the live stream has told since the page was opened, seen and spoken. */
import type { CampaignEvent } from "../../client/types.ts";
import { clockTime } from "../text/format.ts";
import { eventText, isTrouble } from "../text/event-text.ts";

const SHOWN = 3;

export function Notices({ events }: { readonly events: readonly CampaignEvent[] }) {
  return (
    <div class="notices" aria-live="polite" aria-relevant="additions">
      {events.slice(0, SHOWN).map((event) => (
        <p key={event.number} class={isTrouble(event) ? "notice-line bad" : "notice-line"}>
          <time dateTime={event.at}>{clockTime(event.at)}</time> {eventText(event)}
        </p>
      ))}
    </div>
  );
}
