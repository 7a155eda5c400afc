import { readdirSync, readFileSync } from "node:fs";

/** Clock ticks per second of /proc. */
const TICKS = 100;

/** Returns the CPU time that a process and its threads have used, in milliseconds; steps of 10. */
export function readCpuTime(pid: number): number {
  return readStat(pid).cpu;
}

/** Returns the CPU time that a process and those that it has started, and that still run, have used; as above. */
export function readCpuTimeOfAll(pid: number): number {
  const stats = new Map(readProcesses((it) => [it, readStat(it)] as const));
  const isOfIt = (it: number): boolean =>
    it === pid || (it > 1 && isOfIt(stats.get(it)?.parent ?? 0));
  return Array.from(stats).reduce((sum, [it, { cpu }]) => (isOfIt(it) ? sum + cpu : sum), 0);
}

/** Returns the CPU time of the processes whose command line has a word, such as the name of a database; as above. */
export function readCpuTimeOf(word: string): number {
  const times = readProcesses((pid) => {
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split(/[\s\0]/);
    return words.includes(word) ? readCpuTime(pid) : 0;
  });
  return times.reduce((sum, time) => sum + time, 0);
}

/** Reads a fact of each process that runs. */
function readProcesses<T>(read: (pid: number) => T): T[] {
  return readdirSync("/proc")
    .filter((it) => /^\d+$/.test(it))
    .flatMap((it) => {
      try {
        return [read(Number(it))];
      } catch {
        // The process has just ended.
        return [];
      }
    });
}

interface Stat {
  readonly parent: number;
  readonly cpu: number;
}

function readStat(pid: number): Stat {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The command, in parentheses, may contain spaces. User and system time are the 14th and 15th field.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(fields[11]) + Number(fields[12]);
  return { parent: Number(fields[1]), cpu: (ticks * 1_000) / TICKS };
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
