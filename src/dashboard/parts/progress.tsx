/** The total of a campaign in its parts: as a bar, as numbers, and in words for those who listen. */
import type { DeliveryStatus } from "../../client/types.ts";
import { count, percent } from "../text/format.ts";
import { barText, SEGMENT_MEANINGS, segmentsOf, settled } from "../text/segments.ts";

type Stats = DeliveryStatus["stats"];

export function Bar({ stats, thin = false }: { readonly stats: Stats; readonly thin?: boolean }) {
  return (
    <div class={thin ? "bar thin" : "bar"} role="img" aria-label={barText(stats)}>
      {segmentsOf(stats)
        .filter((segment) => segment.count > 0)
        .map((segment) => (
          <span
            key={segment.name}
            class={`segment fill-${segment.name}`}
            style={{ flexGrow: segment.count }}
          />
        ))}
    </div>
  );
}

export function Progress({ stats }: { readonly stats: Stats }) {
  return (
    <div class="progress">
      <p class="progress-head">
        <strong>{percent(settled(stats), stats.total)}</strong> settled: {count(settled(stats))} of{" "}
        {count(stats.total)}
      </p>
      <Bar stats={stats} />
      <dl class="legend">
        {segmentsOf(stats).map(({ name, label, count: each }) => (
          <div key={name} class={each === 0 ? "legend-item none" : "legend-item"}>
            <dt title={SEGMENT_MEANINGS[name]}>
              <span class={`swatch fill-${name}`} aria-hidden="true" />
              {label}
            </dt>
            <dd data-stat={name}>{count(each)}</dd>
          </div>
        ))}
        <div class="legend-item total">
          <dt>total</dt>
          <dd data-stat="total">{count(stats.total)}</dd>
        </div>
      </dl>
    </div>
  );
}
