import { readFileSync } from "node:fs";

/** Clock ticks per second of /proc. */
const TICKS = 100;

/** Returns the CPU time that a process and its threads have used, in milliseconds; steps of 10. */
export function readCpuTime(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The command, in parentheses, may contain spaces. User and system time are the 14th and 15th field.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS;
}

/** Returns the resident memory of a process, in MB of 1,000,000 bytes. */
export function readMemory(pid: number): number {
  return readStatus(pid, "VmRSS");
}

/** Returns the resident memory of a process without pages of files, in MB. */
export function readOwnMemory(pid: number): number {
  return readStatus(pid, "RssAnon");
}

/** Returns the most resident memory that a process has had, in MB of 1,000,000 bytes. */
export function readPeakMemory(pid: number): number {
  return readStatus(pid, "VmHWM");
}

function readStatus(pid: number, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kibibytes = new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1];
  return (Number(kibibytes) * 1_024) / 1_000_000;
}
