import { Agent, request as send } from "node:http";
import { readCpuTime } from "../../test/harness/process-usage.ts";
import { type BenchRequest, type Load, median } from "./load.ts";

/** How long responses took, in milliseconds. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
}

/** How long responses took, and the CPU time of the server for one of them, in milliseconds. */
export interface LatencyAndCpu extends Latency {
  readonly cpu: number;
}

/**
 * Sends so many requests of each load, one after the other over one connection, in turns; every response must be
 * 200. Returns the medians over the rounds.
 */
export async function measureLatencies<Name extends string>(
  loads: Readonly<Record<Name, Load>>,
  { rounds, requests }: { readonly rounds: number; readonly requests: number },
): Promise<Readonly<Record<Name, LatencyAndCpu>>> {
  const all = Object.entries<Load>(loads);
  const turns = new Map(all.map(([name]) => [name, [] as LatencyAndCpu[]]));
  for (const [, load] of all) await sendInTurn(load, requests);
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? all : all.toReversed();
    for (const [name, load] of order) turns.get(name)?.push(await sendInTurn(load, requests));
  }
  const entries = Array.from(turns, ([name, values]) => [
    name,
    {
      p50: median(values.map(({ p50 }) => p50)),
      p99: median(values.map(({ p99 }) => p99)),
      cpu: median(values.map(({ cpu }) => cpu)),
    },
  ]);
  return Object.fromEntries(entries) as Record<Name, LatencyAndCpu>;
}

async function sendInTurn({ server, requests }: Load, count: number): Promise<LatencyAndCpu> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  const cpu = readCpuTime(server.pid);
  for (let sent = 0; sent < count; sent += 1) {
    const request = requests[sent % requests.length];
    if (request === undefined) throw new Error("a load without requests");
    const start = performance.now();
    await readBody(server.port, request, agent);
    times.push(performance.now() - start);
  }
  agent.destroy();
  return { ...summarize(times), cpu: (readCpuTime(server.pid) - cpu) / count };
}

/** Finds the middle, and the time that one in a hundred takes longer than. */
export function summarize(times: readonly number[]): Latency {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
  return { p50: at(0.5) ?? Number.NaN, p99: at(0.99) ?? Number.NaN };
}

/** Sends a request and returns the response's body; another status than 200 throws. */
export function readBody(
  port: number,
  { method, path, headers, body }: BenchRequest,
  agent: Agent,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const address = { host: "127.0.0.1", port, path, method, agent };
    send({ ...address, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode === 200) resolve(text);
        else reject(new Error(`${path}: ${response.statusCode} ${text}`));
      });
    })
      .once("error", reject)
      .end(body);
  });
}
