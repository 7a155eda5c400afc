import { acceptedEncodings } from "../cache/accept-encoding.ts";
import type { NodeRequest } from "./exchange.ts";
import { HTTP_LIMITS } from "./limits.ts";

const UNIT_MS: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1_000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};

/**
 * Converts a request's headers to web headers, in the form that the Connect library expects: accepted
 * encodings in lower case without q-values, and a deadline within the range of Node's timers.
 */
export function toWebHeaders(request: NodeRequest): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (name.startsWith(":") || value === undefined) continue;
    if (Array.isArray(value)) for (const item of value) headers.append(name, item);
    else headers.set(name, value);
  }
  const encodings = request.headers["accept-encoding"];
  if (encodings !== undefined) {
    headers.set("accept-encoding", acceptedEncodings(encodings).join(","));
  }
  shortenDeadline(headers);
  return headers;
}

/** Caps the value of a `connect-timeout-ms` header at the longest deadline. */
export function capConnectTimeout(value: string | null): string | null {
  if (value === null || !/^\d{1,10}$/.test(value)) return value;
  return String(Math.min(Number(value), HTTP_LIMITS.deadline));
}

function shortenDeadline(headers: Headers): void {
  const connect = capConnectTimeout(headers.get("connect-timeout-ms"));
  if (connect !== null) headers.set("connect-timeout-ms", connect);
  const grpc = /^(\d{1,8})([HMSmun])$/.exec(headers.get("grpc-timeout") ?? "");
  if (grpc !== null && Number(grpc[1]) * (UNIT_MS[grpc[2] ?? ""] ?? 0) > HTTP_LIMITS.deadline) {
    headers.set("grpc-timeout", `${HTTP_LIMITS.deadline}m`);
  }
}
