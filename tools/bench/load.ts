import { readCpuTimeOfAll } from "../../test/harness/process-usage.ts";
import { sendGrpc } from "./grpc-load.ts";
import { sendHttp1 } from "./http1-load.ts";
import type { ServerProcess } from "./processes.ts";
import { sendByWrk } from "./wrk-load.ts";

/** A request as it is sent; its headers are lowercase. */
export interface BenchRequest {
  readonly method: "GET" | "POST" | "PATCH";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body; of a gRPC request, its message. */
  readonly body?: string | Uint8Array;
}

/** Requests to a server, sent in turn again and again. */
export interface Load {
  readonly server: ServerProcess;
  readonly requests: readonly BenchRequest[];
  /** Over HTTP/2 as gRPC rather than over HTTP/1.1. */
  readonly isGrpc?: boolean;
  /** By wrk rather than by a client in this process. */
  readonly byWrk?: boolean;
  /** The status of every response; default 200. */
  readonly status?: number;
}

/** The requests of a connection, and their responses. */
export interface Turns {
  readonly port: number;
  readonly status: number;
  /** Returns the next request; undefined if there is none. */
  next(): BenchRequest | undefined;
}

/** Requests at the same time: connections of HTTP/1.1, streams of one connection of gRPC. */
const CONCURRENCY = 16;

/** The result of a load in one turn. */
export interface Turn {
  /** Responses per second. */
  readonly rate: number;
  /** CPU time of the server and its workers for a response, in milliseconds. */
  readonly cpu: number;
}

/** Loads that were measured in turns; each value is a median over the rounds. */
export interface Measured {
  rate(name: string): number;
  cpu(name: string): number;
  /** The share of the time that the server had a core; below 1, the load was the limit. */
  busy(name: string): number;
  /** The rate of one load relative to another in the same round. */
  ratio(name: string, to: string): number;
  /** The CPU of one load relative to another in the same round. */
  cpuRatio(name: string, to: string): number;
}

/** Every request differs from the one before, also at the start of a turn. */
let sent = 0;

/** Sends a load for some seconds; an unexpected response throws. */
export async function sendLoad(load: Load, seconds: number): Promise<Turn> {
  const { server, requests, status = 200 } = load;
  const cpu = readCpuTimeOfAll(server.pid);
  const start = performance.now();
  const end = start + seconds * 1_000;
  const turns: Turns = {
    ...{ port: server.port, status },
    next: () => {
      if (performance.now() >= end) return undefined;
      sent += 1;
      return requests[sent % requests.length];
    },
  };
  const count = await sendTurns(load, turns, seconds);
  const time = performance.now() - start;
  if (count === 0) throw new Error(`${requests[0]?.path}: no responses`);
  return { rate: (count * 1_000) / time, cpu: (readCpuTimeOfAll(server.pid) - cpu) / count };
}

async function sendTurns(load: Load, turns: Turns, seconds: number): Promise<number> {
  if (load.isGrpc) return sendGrpc(turns, CONCURRENCY);
  if (load.byWrk) {
    return sendByWrk(load.requests, { port: turns.port, connections: CONCURRENCY, seconds });
  }
  const connections = Array.from({ length: CONCURRENCY }, () => sendHttp1(turns));
  return (await Promise.all(connections)).reduce((sum, count) => sum + count, 0);
}

/**
 * Measures several loads in turns, so that other work on the machine slows all of them. Every second round takes them
 * in the opposite order.
 */
export async function measureLoads(
  loads: ReadonlyMap<string, Load>,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<Measured> {
  const turns = new Map(Array.from(loads.keys(), (name) => [name, [] as Turn[]]));
  for (const load of loads.values()) await sendLoad(load, 1);
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? [...loads] : [...loads].reverse();
    for (const [name, load] of order) turns.get(name)?.push(await sendLoad(load, seconds));
  }
  const values = (name: string, of: (turn: Turn) => number) => (turns.get(name) ?? []).map(of);
  const ratio = (name: string, to: string, of: (turn: Turn) => number) => {
    const others = values(to, of);
    return median(values(name, of).map((value, round) => value / (others[round] ?? Number.NaN)));
  };
  return {
    rate: (name) => median(values(name, ({ rate }) => rate)),
    cpu: (name) => median(values(name, ({ cpu }) => cpu)),
    busy: (name) => median(values(name, ({ rate, cpu }) => (rate * cpu) / 1_000)),
    ratio: (name, to) => ratio(name, to, ({ rate }) => rate),
    cpuRatio: (name, to) => ratio(name, to, ({ cpu }) => cpu),
  };
}

/** The value in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
