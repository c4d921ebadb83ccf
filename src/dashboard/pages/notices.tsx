/** What the live stream has told since the page was opened, seen and spoken. */
import type { CampaignEvent, CampaignState } from "../../client/types.ts";
import { clockTime } from "../text/format.ts";
import { eventText, isTrouble } from "../text/event-text.ts";

const SHOWN = 3;

export function Notices(props: {
  readonly events: readonly CampaignEvent[];
  readonly state: CampaignState;
}) {
  // That it has paused is no news any more where it has gone on, or was ended.
  const events = props.events.filter(({ type }) => type !== "paused" || props.state === "paused");
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
