/** What the kernel says about workerd (Linux, proc(5)). */
import { readdirSync, readFileSync } from "node:fs";

/** The largest resident size so far of the workerd in a process group, in MB; null off Linux. */
export function peakMegabytes(group: number): number | null {
  const peaks = workerdsOf(group).map((pid) => {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0);
  });
  return peaks.length === 0 ? null : Math.round(Math.max(...peaks) / 1024);
}

/** Processor time of the workerd in a process group, so far; null off Linux. */
export function cpuSeconds(group: number): number | null {
  const pid = workerdOf(group);
  return pid === null ? null : Math.round(cpuTicks(pid) / 10) / 10;
}

/** The workerd of a process group that runs the Worker: Wrangler's own does little. */
export function workerdOf(group: number): string | null {
  return workerdsOf(group).toSorted((a, b) => cpuTicks(b) - cpuTicks(a))[0] ?? null;
}

/** proc_pid_stat(5): utime and stime are fields 14 and 15, in ticks of 10 ms. */
function cpuTicks(pid: string): number {
  const fields = statOf(pid)
    .replace(/^.*\) /s, "")
    .split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

function workerdsOf(group: number): string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && isWorkerd(pid, group));
}

function isWorkerd(pid: string, group: number): boolean {
  try {
    // proc_pid_stat(5): "pid (comm) state ppid pgrp …"
    const [, comm = "", pgrp] = /\((.*)\) \S+ \d+ (\d+)/.exec(statOf(pid)) ?? [];
    return comm === "workerd" && Number(pgrp) === group;
  } catch {
    // It has ended since it was listed.
    return false;
  }
}

function statOf(pid: string): string {
  return readFileSync(`/proc/${pid}/stat`, "utf8");
}
