import { setTimeout } from "node:timers/promises";
import { type HttpResponse, send } from "../../test/harness/http.ts";
import { measureCpuWait } from "./cpu-wait.ts";
import type { Service } from "./service.ts";

/** The pause of a probe between a response and the next request, in milliseconds. */
const PAUSE = 10;

/** A response to a probe. */
export interface Probed {
  /** When the request was sent, in milliseconds of `performance.now`. */
  readonly begin: number;
  /** How long the response took, in milliseconds, without the waits of both processes for a processor. */
  readonly time: number;
  readonly ownTime: number;
  /** 0 without a response. */
  readonly status: number;
  readonly retryAfter: string | null;
}

/** Asks a service for the same again and again, one request after the other. */
export interface Probe {
  /** Returns the responses to requests that were sent in a period; default: all. */
  among(from?: number, to?: number): readonly Probed[];
  /** Waits for the first 200 of a request that is sent from now on; returns the milliseconds. */
  recover(): Promise<number>;
  stop(): Promise<void>;
}

/** What is asked for in a probe of a service. */
export type Ask = (number: number) => Promise<HttpResponse>;

/** Starts a probe of a service. */
export function startProbe({ pid }: Pick<Service, "pid">, ask: Ask): Probe {
  const pids = [pid, process.pid];
  const responses: Probed[] = [];
  let isOver = false;
  const asking = (async () => {
    for (let number = 0; !isOver; number += 1) {
      const begin = performance.now();
      const readWait = measureCpuWait(pids);
      const got = await ask(number).catch(() => undefined);
      const time = performance.now() - begin;
      const ownTime = Math.max(0, time - readWait());
      const retryAfter = got?.headers.get("retry-after") ?? null;
      responses.push({ begin, time, ownTime, status: got?.status ?? 0, retryAfter });
      await setTimeout(PAUSE);
    }
  })();
  const among = (from = 0, to = Number.POSITIVE_INFINITY) =>
    responses.filter(({ begin }) => begin >= from && begin < to);
  return {
    among,
    async recover() {
      const start = performance.now();
      while (performance.now() < start + 60_000) {
        const first = among(start).find(({ status }) => status === 200);
        if (first !== undefined) return Math.round(first.begin + first.time - start);
        await setTimeout(1);
      }
      return Number.POSITIVE_INFINITY;
    },
    async stop() {
      isOver = true;
      await asking;
    },
  };
}

/** Starts a probe of a path; each request has a connection of its own. */
export function startPathProbe(service: Pick<Service, "pid" | "url">, path: string): Probe {
  const headers = { connection: "close" };
  return startProbe(service, () => send("GET", service.url + path, { headers }));
}

/** Summarizes responses: how many of each status, and the slowest. */
export function summarize(responses: readonly Probed[]): {
  /** `STATUS: COUNT`, joined by commas. */
  readonly statuses: string;
  /** In milliseconds, and without waits for a processor. */
  readonly slowest: number;
  readonly slowestOwn: number;
} {
  const counts = new Map<number, number>();
  for (const { status } of responses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return {
    statuses: Array.from(counts, ([status, count]) => `${status}: ${count}`).join(", "),
    slowest: Math.round(Math.max(0, ...responses.map(({ time }) => time))),
    slowestOwn: Math.round(Math.max(0, ...responses.map(({ ownTime }) => ownTime))),
  };
}
