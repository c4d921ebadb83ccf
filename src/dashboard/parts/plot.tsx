/**
 * Mails sent over time, as this page has seen it. What came before the page was opened is not known
 * here: a dashed line joins the start to the first number seen, and says nothing about the way.
 */
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import type { Sample } from "../samples.ts";
import { count } from "../text/format.ts";

const HEIGHT = 240;
/** Between two times that are written: whole seconds, since no smaller ones are shown. */
const TICK_SECONDS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400,
  172_800, 604_800,
];

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function seriesOf(samples: readonly Sample[], startedAt: number): uPlot.AlignedData {
  const [first] = samples;
  const isGap = first !== undefined && first.at - startedAt > 2000;
  const all = isGap ? [{ at: startedAt, sent: 0 }, ...samples] : samples;
  const dashed = all.map(({ sent }, index) => (isGap && index < 2 ? sent : null));
  const seen = all.map(({ sent }, index) => (isGap && index === 0 ? null : sent));
  return [all.map(({ at }) => at / 1000), seen, dashed];
}

function axis(more: uPlot.Axis): uPlot.Axis {
  const line = { stroke: colour("--line"), width: 1 };
  const font = "12px system-ui, sans-serif";
  return { stroke: colour("--text-soft"), grid: line, ticks: line, font, ...more };
}

function optionsFor(width: number): uPlot.Options {
  const spans = { spanGaps: false, points: { show: false } };
  const stroke = colour("--fill-sent");
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: true },
      y: { range: (_plot, _least, most) => [0, Math.max(10, most * 1.05)] },
    },
    axes: [
      axis({
        space: 80,
        incrs: TICK_SECONDS,
        values: (_plot, ticks) => ticks.map((tick) => timeOf(tick)),
      }),
      axis({ size: 64, values: (_plot, ticks) => ticks.map((tick) => count(tick)) }),
    ],
    series: [
      {},
      { ...spans, label: "sent", stroke, width: 2, fill: colour("--fill-sent-soft") },
      { ...spans, label: "not watched", stroke, width: 1, dash: [4, 4] },
    ],
  };
}

const TIME = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});
const timeOf = (seconds: number): string => TIME.format(new Date(seconds * 1000));

export function Plot({
  samples,
  startedAt,
}: {
  readonly samples: readonly Sample[];
  readonly startedAt: number;
}) {
  const ref = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const series = seriesOf(samples, startedAt);
  const latest = useRef(series);
  latest.current = series;

  useEffect(() => {
    const element = ref.current;
    if (element === null) return undefined;
    const draw = (): void => {
      plot.current?.destroy();
      plot.current = new uPlot(optionsFor(element.clientWidth), latest.current, element);
    };
    draw();
    const resize = new ResizeObserver(() => {
      plot.current?.setSize({ width: element.clientWidth, height: HEIGHT });
    });
    resize.observe(element);
    // A canvas keeps the colours it was drawn with.
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", draw);
    return () => {
      resize.disconnect();
      scheme.removeEventListener("change", draw);
      plot.current?.destroy();
      plot.current = null;
    };
  }, []);

  useEffect(() => {
    plot.current?.setData(series);
  }, [samples]);

  const last = samples.at(-1);
  const label = `Mails sent over time${last === undefined ? "" : `, ${count(last.sent)} by ${timeOf(last.at / 1000)}`}`;
  return <div ref={ref} class="plot" role="img" aria-label={label} />;
}
