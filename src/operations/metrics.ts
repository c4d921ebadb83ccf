/**
 * What `/metrics` tells: each metric once, with what it is read from. The table is what alerts.yml and
 * grafana.json may name; a test compares them in both directions.
 *
 * Every number comes from the object that owns it, at the moment of the scrape, so there is none that
 * drifts. Labels are campaign ids and closed sets: no address can stand in one (SPEC R-no-address),
 * and there are at most METRICS_CAMPAIGNS campaigns.
 */
import type { Watch } from "../account/rpc.ts";
import type { CampaignReading } from "../campaign/rpc.ts";
import { CAMPAIGN_STATES, PAUSE_REASONS } from "../domain/campaign.ts";
import { METRICS_CAMPAIGNS, METRICS_REST_SECONDS } from "../domain/limits.ts";
import { ATTEMPT_OUTCOMES } from "../domain/outcome.ts";
import { queueSilence } from "../domain/reading.ts";
import type { Family, Sample } from "./exposition.ts";

/** What one scrape has seen. */
export type Scrape = {
  readonly readings: readonly CampaignReading[];
  /** Campaigns that were asked and gave no answer. */
  readonly silent: number;
  readonly watch: Watch;
  /** The platform's own word on the dispatch queue; null: it gives none. */
  readonly queue: { readonly backlog: number; readonly oldestAgeSeconds: number } | null;
};

type Head = { readonly name: string; readonly help: string };
type Values = { readonly label: string; readonly of: Readonly<Record<string, number>> } | number;

type Metric = Head &
  (
    | {
        readonly type: "gauge" | "counter";
        /** One value for each campaign, or one for each member of a closed set. */
        readonly ofCampaign: (reading: CampaignReading) => Values;
      }
    | { readonly type: "histogram" }
    | {
        readonly type: "gauge" | "counter";
        /** Null: nobody knows at the moment. */
        readonly ofAll: (scrape: Scrape) => number | null;
      }
  );

const DAY = `for ${METRICS_REST_SECONDS / 3600} hours after its end`;

export const METRICS: readonly Metric[] = [
  {
    name: "sendonce_recipients",
    type: "gauge",
    help: `Recipients of a campaign by the state of their row in the ledger. Told ${DAY}.`,
    ofCampaign: ({ status: { stats } }) => {
      const { total: _, ...states } = stats;
      return { label: "state", of: states };
    },
  },
  {
    name: "sendonce_campaign_state",
    type: "gauge",
    help: "1 for the state that the campaign is in, 0 for the others.",
    ofCampaign: ({ status }) => oneOf("state", CAMPAIGN_STATES, status.state),
  },
  {
    name: "sendonce_campaign_paused",
    type: "gauge",
    help: "1 for the reason for which the campaign is paused, 0 for the others.",
    ofCampaign: ({ status }) => oneOf("reason", PAUSE_REASONS, status.pause?.reason),
  },
  {
    name: "sendonce_feedback",
    type: "gauge",
    help: "Mails by the fate that webhooks have told of; one that climbs leaves its old fate.",
    ofCampaign: ({ status }) => ({ label: "fate", of: { ...status.feedback } }),
  },
  {
    name: "sendonce_attempts_total",
    type: "counter",
    help: "Reported attempts, each one call of the provider for a batch, by outcome.",
    ofCampaign: ({ measures }) => ({
      label: "outcome",
      of: Object.fromEntries(ATTEMPT_OUTCOMES.map((kind) => [kind, measures.attempts[kind]])),
    }),
  },
  {
    name: "sendonce_provider_latency_seconds",
    type: "histogram",
    help: "How long the provider took to answer a call, as its consumer measured it.",
  },
  {
    name: "sendonce_provider_failing_attempts",
    type: "gauge",
    help: "Attempts in a row that the provider deferred or did not answer for.",
    ofCampaign: ({ measures }) => measures.failing?.attempts ?? 0,
  },
  {
    name: "sendonce_lease_expiries_total",
    type: "counter",
    help: "Leases that ran out without a report: their consumer died, or was too slow.",
    ofCampaign: ({ measures }) => measures.leaseExpiries,
  },
  {
    name: "sendonce_duplicates_prevented_total",
    type: "counter",
    help: "Recipients whom a redelivery, another consumer or a stale report would have mailed again.",
    ofCampaign: ({ status }) => status.duplicatesPrevented,
  },
  {
    name: "sendonce_dead_letters_total",
    type: "counter",
    help: "Messages of the campaign that reached the dead-letter queue.",
    ofCampaign: ({ status }) => status.deadLetters,
  },
  {
    name: "sendonce_outbox_dispatches",
    type: "gauge",
    help: "Unanswered dispatches: due, or out, which is on the queue or with a consumer.",
    ofCampaign: ({ outbox: { due, out } }) => ({ label: "state", of: { due, out } }),
  },
  {
    name: "sendonce_outbox_oldest_age_seconds",
    type: "gauge",
    help: "Age of the oldest dispatch that is out; 0 where none is.",
    ofCampaign: ({ outbox: { oldestSentAt }, now }) =>
      oldestSentAt === null ? 0 : seconds(now - oldestSentAt),
  },
  {
    name: "sendonce_queue_unanswered_seconds",
    type: "gauge",
    help: "For how long dispatches are out and no consumer has asked for work; 0 where none is.",
    ofCampaign: (reading) => seconds(queueSilence(reading)),
  },
  {
    name: "sendonce_open_batches",
    type: "gauge",
    help: "Batches that are leased or wait to be repeated.",
    ofCampaign: ({ openBatches }) => openBatches,
  },
  {
    name: "sendonce_troubled_batches",
    type: "gauge",
    help: "Waiting batches that may have been accepted.",
    ofCampaign: ({ troubledBatches }) => troubledBatches,
  },
  {
    name: "sendonce_alarm_late_seconds",
    type: "gauge",
    help: "How late the alarm is that should have rung, or else how late the last one was.",
    ofCampaign: ({ alarmLateMilliseconds }) => seconds(alarmLateMilliseconds),
  },
  {
    name: "sendonce_live_sockets",
    type: "gauge",
    help: "WebSockets that watch the campaign.",
    ofCampaign: ({ liveSockets }) => liveSockets,
  },
  {
    name: "sendonce_campaigns_left_out",
    type: "gauge",
    help: `Campaigns not at rest that are not told of, since ${METRICS_CAMPAIGNS} others come first.`,
    ofAll: ({ watch }) => watch.leftOut,
  },
  {
    name: "sendonce_campaigns_silent",
    type: "gauge",
    help: "Campaigns that did not answer this scrape.",
    ofAll: ({ silent }) => silent,
  },
  {
    name: "sendonce_rate_limit_requests_per_second",
    type: "gauge",
    help: "What the provider allows all campaigns together, as configured.",
    ofAll: ({ watch: { gate } }) => gate.requestsPerSecond,
  },
  {
    name: "sendonce_rate_gate_wait_seconds",
    type: "gauge",
    help: "Until the next slot of the rate gate that nobody has taken.",
    ofAll: ({ watch: { gate } }) => seconds(gate.waitMilliseconds),
  },
  {
    name: "sendonce_rate_gate_held_seconds",
    type: "gauge",
    help: "What is left of the silence that the provider has asked for.",
    ofAll: ({ watch: { gate } }) => seconds(gate.heldMilliseconds),
  },
  {
    name: "sendonce_rate_gate_holds_total",
    type: "counter",
    help: "How often the provider has asked for silence.",
    ofAll: ({ watch: { gate } }) => gate.holds,
  },
  {
    name: "sendonce_queue_backlog_messages",
    type: "gauge",
    help: "Messages on the dispatch queue, by the platform's own count.",
    ofAll: ({ queue }) => queue?.backlog ?? null,
  },
  {
    name: "sendonce_queue_oldest_message_age_seconds",
    type: "gauge",
    help: "Age of the oldest message on the dispatch queue, by the platform; 0 where it is empty.",
    ofAll: ({ queue }) => queue?.oldestAgeSeconds ?? null,
  },
];

export function familiesOf(scrape: Scrape): Family[] {
  return METRICS.map((metric): Family => {
    const { name, help } = metric;
    if ("ofCampaign" in metric) {
      const samples = scrape.readings.flatMap((one) => samplesOf(one, metric.ofCampaign(one)));
      return { name, help, type: metric.type, samples };
    }
    if ("ofAll" in metric) {
      const value = metric.ofAll(scrape);
      const samples = value === null ? [] : [{ labels: {}, value }];
      return { name, help, type: metric.type, samples };
    }
    const histograms = scrape.readings.map((reading) => ({
      labels: labelOf(reading),
      latency: reading.measures.latency,
    }));
    return { name, help, type: metric.type, histograms };
  });
}

function labelOf({ status }: CampaignReading) {
  return { campaign: status.campaignId };
}

function samplesOf(reading: CampaignReading, values: Values): Sample[] {
  const labels = labelOf(reading);
  if (typeof values === "number") return [{ labels, value: values }];
  const { label, of } = values;
  return Object.entries(of).map(([name, value]) => ({
    labels: { ...labels, [label]: name },
    value,
  }));
}

function oneOf(label: string, all: readonly string[], current: string | undefined): Values {
  return { label, of: Object.fromEntries(all.map((one) => [one, one === current ? 1 : 0])) };
}

function seconds(milliseconds: number): number {
  return Math.max(milliseconds, 0) / 1000;
}
