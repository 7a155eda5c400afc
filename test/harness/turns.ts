/** How long this process was busy while something ran, in milliseconds of its own CPU time. */
export interface Turns {
  /** In all turns of the event loop that did some work. */
  readonly busy: number;
  /** In the longest turn: what another request would have waited. */
  readonly longest: number;
}

/** A turn that did nothing but be watched takes less. */
const IDLE_MS = 0.2;

/**
 * Runs something and watches the turns of the event loop meanwhile. It counts CPU time of this thread, so
 * that other processes of the machine do not show.
 */
export async function watchTurns(run: () => Promise<unknown>): Promise<Turns> {
  let busy = 0;
  let longest = 0;
  let last = readCpu();
  let isRunning = true;
  const watch = () => {
    const now = readCpu();
    const turn = now - last;
    last = now;
    if (turn > IDLE_MS) busy += turn;
    longest = Math.max(longest, turn);
    if (isRunning) setImmediate(watch);
  };
  setImmediate(watch);
  try {
    await run();
  } finally {
    isRunning = false;
  }
  return { busy, longest };
}

function readCpu(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
