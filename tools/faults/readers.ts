import { getUrl, PROCEDURES } from "../../test/harness/calls.ts";
import { send } from "../../test/harness/http.ts";

/** Readers of lists of events that repeat nothing. */
export interface Readers {
  readonly count: () => number;
  /** Reads without a response, or with another status than 200. */
  readonly failures: () => number;
  /** Returns the time within which a share of the reads got a response, in milliseconds. */
  percentile(share: number): number;
  stop(): Promise<void>;
}

/** Starts readers with a project key; each waits for the response to one read before the next. */
export function startReaders(url: string, key: string, count: number): Readers {
  const times: number[] = [];
  let failures = 0;
  let isOver = false;
  const read = async () => {
    while (!isOver) {
      const list = getUrl(PROCEDURES.listEvents, { pageSize: 1 + (times.length % 50) });
      const headers = { authorization: `Bearer ${key}` };
      const start = performance.now();
      const got = await send("GET", url + list, { headers }).catch((cause: unknown) => ({
        ...{ status: 0, text: String(cause) },
      }));
      times.push(performance.now() - start);
      if (got.status === 200) continue;
      failures += 1;
      console.error(`failed read: ${got.status} ${got.text}`);
    }
  };
  const reading = Promise.all(Array.from({ length: count }, read));
  return {
    count: () => times.length,
    failures: () => failures,
    percentile: (share) =>
      times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * share)] ?? Number.NaN,
    async stop() {
      isOver = true;
      await reading;
    },
  };
}
