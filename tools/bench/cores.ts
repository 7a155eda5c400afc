import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";

/** The core of a server that is measured on one core. */
export const SERVER_CORE = 0;
const LOAD_CORE = 1;

/** Runs the work while this process keeps off the server's core. */
export async function keepOffServerCore(work: () => Promise<void>): Promise<void> {
  if (availableParallelism() < 2)
    throw new Error("a benchmark needs a second core besides the server's");
  const pid = `${process.pid}`;
  const all = execFileSync("taskset", ["-cp", pid], { encoding: "utf8" }).split(": ")[1]?.trim();
  execFileSync("taskset", ["-acp", `${LOAD_CORE}`, pid]);
  try {
    await work();
  } finally {
    execFileSync("taskset", ["-acp", all ?? "", pid]);
  }
}
