/** Numbers, times and bars as a person reads them. Pure; times are in UTC, so that logs compare. */
import { counted } from "../domain/counted.ts";
import type { DeliveryStatus } from "../client/types.ts";

/** 12,480: the same wherever it runs. */
export function count(value: number): string {
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, ",");
}

export function percent(part: number, whole: number): string {
  if (whole === 0) return "100.0 %";
  // Never shows 100 while somebody is missing.
  const tenths = Math.floor((part / whole) * 1000);
  return `${Math.floor(tenths / 10)}.${tenths % 10} %`;
}

/** 3 s · 4 min 5 s · 2 h 3 min */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

export function bytes(value: number): string {
  if (value < 1_000) return `${value} B`;
  if (value < 1_000_000) return `${(value / 1_000).toFixed(1)} kB`;
  if (value < 1_000_000_000) return `${(value / 1_000_000).toFixed(1)} MB`;
  return `${(value / 1_000_000_000).toFixed(1)} GB`;
}

/** 10:32:05Z */
export function clock(time: string | number): string {
  return `${new Date(time).toISOString().slice(11, 19)}Z`;
}

/** 2026-12-01 10:32:05Z */
export function moment(time: string): string {
  return `${new Date(time).toISOString().slice(0, 19).replace("T", " ")}Z`;
}

/** A bar of `width` characters, filled from 0 to 1. */
export function bar(filled: number, width: number): string {
  const full = Math.floor(Math.min(Math.max(filled, 0), 1) * width);
  return "█".repeat(full) + "░".repeat(width - full);
}

/** Recipients that are in a final state. */
export function settled({ stats }: DeliveryStatus): number {
  return stats.total - stats.remaining - stats.reserved;
}

/** `1 recipient`, `12,480 recipients`. */
export function some(value: number, noun: string): string {
  return counted(value, noun, count(value));
}

/** Rows with columns as wide as they need to be. Numbers are text already. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    }
  }
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ");
  return rows.map((row) => `${line(row).trimEnd()}\n`).join("");
}

/**
 * Text of a stranger for a terminal: control characters would move its cursor or set its title, and
 * those of direction would show one text and mean another.
 */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "\u{FFFD}");
}
