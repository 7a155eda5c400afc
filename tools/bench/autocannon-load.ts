import autocannon from "autocannon";
import type { Load, Turns } from "./load.ts";

/** Sends the first request of a load over several connections for some seconds; returns the number of responses. */
export async function sendByAutocannon(
  { port, status }: Pick<Turns, "port" | "status">,
  [request]: Load["requests"],
  { connections, seconds }: { readonly connections: number; readonly seconds: number },
): Promise<number> {
  if (request === undefined) throw new Error("a load without requests");
  const { method, path, headers } = request;
  const url = `http://127.0.0.1:${port}${path}`;
  const result = await autocannon({ url, method, headers, connections, duration: seconds });
  const { errors, statusCodeStats = {} } = result;
  const unexpected = Object.keys(statusCodeStats).filter((code) => code !== `${status}`);
  if (errors > 0 || unexpected.length > 0) {
    throw new Error(`${path}: ${errors} errors, statuses ${unexpected} instead of ${status}`);
  }
  return result.requests.total;
}
