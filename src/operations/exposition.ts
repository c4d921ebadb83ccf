/**
 * Prometheus' text format, version 0.0.4 ("Exposition formats", text-based format). By hand, since it
 * is a page of text: the libraries for it keep counters of a process, and here they are kept by the
 * objects that own what is counted. promtool checks it (test/promtool/).
 */
import { LATENCY_BUCKETS_SECONDS, type Latency } from "../domain/measures.ts";

export const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export type Labels = Readonly<Record<string, string>>;
export type Sample = { readonly labels: Labels; readonly value: number };
export type Histogram = { readonly labels: Labels; readonly latency: Latency };

export type Family = { readonly name: string; readonly help: string } & (
  | { readonly type: "gauge" | "counter"; readonly samples: readonly Sample[] }
  | { readonly type: "histogram"; readonly histograms: readonly Histogram[] }
);

/** The families in their order; one without samples is left out, as a format of samples wants it. */
export function exposition(families: readonly Family[]): string {
  return families.map((family) => familyText(family)).join("");
}

function familyText(family: Family): string {
  const { name, help, type } = family;
  const lines =
    type === "histogram"
      ? family.histograms.flatMap((each) => histogramLines(name, each))
      : family.samples.map(({ labels, value }) => sampleLine(name, labels, value));
  if (lines.length === 0) return "";
  const head = [`# HELP ${name} ${escapedHelp(help)}`, `# TYPE ${name} ${type}`];
  return `${[...head, ...lines].join("\n")}\n`;
}

/** Buckets are cumulative, and the one of `+Inf` holds them all. */
function histogramLines(name: string, { labels, latency }: Histogram): string[] {
  let count = 0;
  const buckets = latency.counts.map((each, at) => {
    count += each;
    const le = LATENCY_BUCKETS_SECONDS[at];
    const bound = le === undefined ? "+Inf" : String(le);
    return sampleLine(`${name}_bucket`, { ...labels, le: bound }, count);
  });
  return [
    ...buckets,
    sampleLine(`${name}_sum`, labels, latency.seconds),
    sampleLine(`${name}_count`, labels, count),
  ];
}

function sampleLine(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapedLabel(text)}"`);
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${String(value)}`;
}

function escapedLabel(text: string): string {
  return escapedHelp(text).replaceAll('"', '\\"');
}

function escapedHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}
