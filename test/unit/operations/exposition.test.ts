/** The text format: escaped, cumulative, and bounded in its labels. promtool reads it elsewhere. */
import { describe, expect, it } from "vitest";
import type { CampaignId } from "../../../src/domain/ids.ts";
import { exposition, type Family } from "../../../src/operations/exposition.ts";
import { familiesOf, METRICS, type Scrape } from "../../../src/operations/metrics.ts";
import { READING } from "../http/reading.ts";

const SCRAPE: Scrape = {
  readings: [READING],
  silent: 0,
  watch: {
    campaigns: [{ id: "spring" as CampaignId, standing: "atWork" }],
    leftOut: 2,
    gate: { requestsPerSecond: 10, waitMilliseconds: 1500, heldMilliseconds: 0, holds: 4 },
  },
  queue: { backlog: 7, oldestAgeSeconds: 4.5 },
};

describe("the text format", () => {
  it("escapes what a label and a help text must not hold", () => {
    const family: Family = {
      name: "a_b",
      help: "one\\two\nthree",
      type: "gauge",
      samples: [{ labels: { c: 'd"e\\f\ng' }, value: 1 }],
    };
    expect(exposition([family])).toBe(
      '# HELP a_b one\\\\two\\nthree\n# TYPE a_b gauge\na_b{c="d\\"e\\\\f\\ng"} 1\n',
    );
  });

  it("adds buckets up, and ends with the one that holds all", () => {
    const counts = [1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 3];
    const family: Family = {
      name: "t_seconds",
      help: "t",
      type: "histogram",
      histograms: [{ labels: {}, latency: { counts, seconds: 9.5 } }],
    };
    const lines = exposition([family]).split("\n");
    expect(lines[2]).toBe('t_seconds_bucket{le="0.05"} 1');
    expect(lines[3]).toBe('t_seconds_bucket{le="0.1"} 3');
    expect(lines.slice(-4)).toEqual([
      't_seconds_bucket{le="+Inf"} 6',
      "t_seconds_sum 9.5",
      "t_seconds_count 6",
      "",
    ]);
  });

  it("leaves out a family without samples", () => {
    expect(exposition([{ name: "a", help: "a", type: "gauge", samples: [] }])).toBe("");
  });
});

describe("the metrics", () => {
  const text = exposition(familiesOf(SCRAPE));

  it.each([
    'sendonce_recipients{campaign="spring",state="sent"} 4',
    'sendonce_recipients{campaign="spring",state="remaining"} 3',
    'sendonce_campaign_state{campaign="spring",state="sending"} 1',
    'sendonce_campaign_state{campaign="spring",state="paused"} 0',
    'sendonce_campaign_paused{campaign="spring",reason="providerAuth"} 0',
    'sendonce_feedback{campaign="spring",fate="bounced"} 1',
    'sendonce_attempts_total{campaign="spring",outcome="answered"} 1',
    'sendonce_provider_latency_seconds_bucket{campaign="spring",le="0.05"} 0',
    'sendonce_provider_latency_seconds_bucket{campaign="spring",le="0.1"} 1',
    'sendonce_provider_latency_seconds_sum{campaign="spring"} 0.07',
    'sendonce_lease_expiries_total{campaign="spring"} 0',
    'sendonce_duplicates_prevented_total{campaign="spring"} 2',
    'sendonce_dead_letters_total{campaign="spring"} 0',
    'sendonce_outbox_dispatches{campaign="spring",state="out"} 2',
    'sendonce_outbox_oldest_age_seconds{campaign="spring"} 9',
    'sendonce_queue_unanswered_seconds{campaign="spring"} 5',
    'sendonce_open_batches{campaign="spring"} 2',
    'sendonce_troubled_batches{campaign="spring"} 1',
    'sendonce_alarm_late_seconds{campaign="spring"} 0.25',
    'sendonce_live_sockets{campaign="spring"} 3',
    "sendonce_campaigns_left_out 2",
    "sendonce_rate_gate_wait_seconds 1.5",
    "sendonce_rate_gate_holds_total 4",
    "sendonce_queue_backlog_messages 7",
    "sendonce_queue_oldest_message_age_seconds 4.5",
  ])("tell %s", (line) => {
    expect(text.split("\n")).toContain(line);
  });

  it("say nothing of the platform's queue where the platform says nothing", () => {
    const without = exposition(familiesOf({ ...SCRAPE, queue: null }));
    expect(without).not.toContain("backlog");
  });

  it("are named by Prometheus' rules: a prefix, base units, and _total for counters alone", () => {
    for (const { name, type, help } of METRICS) {
      expect(name).toMatch(/^sendonce_[a-z]+(_[a-z]+)*$/);
      expect(name.endsWith("_total"), name).toBe(type === "counter");
      expect(name).not.toMatch(/milliseconds|_ms$|_count$|_sum$|_bucket$/);
      expect(help, name).toMatch(/^.{15,110}\.$/);
    }
    expect(new Set(METRICS.map(({ name }) => name)).size).toBe(METRICS.length);
  });

  it("R-no-address: have labels of closed sets beside the campaign's id", () => {
    const labels = [...text.matchAll(/([a-z]+)="([^"]*)"/g)].map(([, label]) => label);
    const known = new Set(["campaign", "state", "reason", "fate", "outcome", "le"]);
    expect(labels.filter((label) => !known.has(label ?? ""))).toEqual([]);
    expect(text).not.toContain("@");
  });
});
