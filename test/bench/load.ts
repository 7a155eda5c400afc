import autocannon from "autocannon";

/** A request that is sent again and again. */
export interface Load {
  readonly url: string;
  readonly method?: "GET" | "POST" | "PATCH";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The status of every answer; 200 unless it says another. */
  readonly status?: number;
}

/** Connections at the same time. */
const CONNECTIONS = 16;

/** Sends a request for some seconds and returns how many were answered in one; all must be as wanted. */
export async function measureRate(
  { status = 200, ...load }: Load,
  seconds: number,
): Promise<number> {
  const result = await autocannon({ ...load, connections: CONNECTIONS, duration: seconds });
  const others = Object.entries(result.statusCodeStats ?? {}).filter(([it]) => it !== `${status}`);
  if (others.length + result.errors > 0 || result.requests.total === 0) {
    throw new Error(`${load.url}: ${JSON.stringify(others)} and ${result.errors} failed`);
  }
  return result.requests.total / result.duration;
}

/**
 * Measures several loads in turns, so that whatever slows the machine down slows all of them, and
 * returns the median rate of each.
 */
export async function measureRates(
  loads: ReadonlyMap<string, Load>,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<ReadonlyMap<string, number>> {
  const rates = new Map(Array.from(loads.keys(), (name) => [name, [] as number[]]));
  for (const load of loads.values()) await measureRate(load, 1);
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, load] of loads) {
      rates.get(name)?.push(await measureRate(load, seconds));
    }
  }
  return new Map(Array.from(rates, ([name, values]) => [name, median(values)]));
}

/** The value in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
