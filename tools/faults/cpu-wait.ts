import { readFileSync } from "node:fs";

/**
 * Starts to measure how long some processes could run but have no processor: a busy machine adds this to times. The
 * returned function returns the longest of their waits since then, in milliseconds; 0 if the system does not report it.
 */
export function measureCpuWait(pids: readonly number[]): () => number {
  const before = pids.map(readWait);
  return () => Math.max(...pids.map((pid, index) => readWait(pid) - (before[index] ?? 0)));
}

/** Reads for how long the main thread of a process has waited since its start, in milliseconds. */
function readWait(pid: number): number {
  try {
    const [, waited] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ");
    return Number(waited) / 1e6;
  } catch {
    return 0;
  }
}
