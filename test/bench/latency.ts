import { Agent, get } from "node:http";

/** How long answers took, in milliseconds. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
}

/** Reads addresses one after the other over one connection and measures each answer; all must be 200. */
export async function measureLatency(
  urls: readonly string[],
  headers: Readonly<Record<string, string>>,
): Promise<Latency> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  for (const url of urls) {
    const start = performance.now();
    await read(url, headers, agent);
    times.push(performance.now() - start);
  }
  agent.destroy();
  return summarize(times);
}

/** Finds the middle, and the time that one in a hundred takes longer than. */
export function summarize(times: readonly number[]): Latency {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
  return { p50: at(0.5) ?? Number.NaN, p99: at(0.99) ?? Number.NaN };
}

/** Reads an address and returns the body; another status than 200 throws. */
export function read(
  url: string,
  headers: Readonly<Record<string, string>>,
  agent?: Agent,
): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { headers, ...(agent && { agent }) }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode === 200) resolve(text);
        else reject(new Error(`${url}: ${response.statusCode} ${text}`));
      });
    }).once("error", reject);
  });
}
