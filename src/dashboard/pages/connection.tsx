/** Whether the numbers are live, and from when they are where they are not. */
import type { LiveState } from "../../client/live-stream.ts";
import { useNow } from "../parts/hooks.ts";
import { clockTime, duration } from "../text/format.ts";

export function Connection(props: { readonly state: LiveState; readonly heardAt: number }) {
  const { state, heardAt } = props;
  const now = useNow(1000);
  const since = heardAt === 0 ? "" : `numbers of ${clockTime(heardAt)}`;
  switch (state.kind) {
    case "live":
      return <span class="connection live">live</span>;
    case "connecting":
      return <span class="connection">connecting … {since}</span>;
    case "waiting":
      return (
        <span class="connection lost" role="status">
          connection lost, {since === "" ? "" : `${since}, `}
          next try {state.retryAt <= now ? "now" : `in ${duration(state.retryAt - now)}`}
        </span>
      );
    case "ended":
      return <span class="connection lost">the campaign was erased</span>;
  }
}
