import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Load } from "./load.ts";

/** How long and over how many connections wrk sends. */
interface WrkOptions {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
}

/**
 * Sends the first request of a load, a GET, by wrk, which uses less CPU than every server. Returns the number of
 * responses. Throws for a response that is not a success, and if wrk is not installed.
 */
export async function sendByWrk(
  [request]: Load["requests"],
  { port, connections, seconds }: WrkOptions,
): Promise<number> {
  if (request === undefined) throw new Error("a load without requests");
  const { path, headers } = request;
  const { stdout } = await promisify(execFile)("wrk", [
    ...["-t1", `-c${connections}`, `-d${seconds}s`],
    ...Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]),
    `http://127.0.0.1:${port}${path}`,
  ]).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === "ENOENT" ? new Error("wrk is not installed: apt-get install wrk") : cause;
  });
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${path}: ${stdout}`);
  return Number(/(\d+) requests in/.exec(stdout)?.[1]);
}
