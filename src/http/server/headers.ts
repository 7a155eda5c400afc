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
export function capConnectTimeout(value: string): string {
  if (!/^\d{1,10}$/.test(value)) return value;
  return String(Math.min(Number(value), HTTP_LIMITS.deadline));
}

/** Caps the value of a `grpc-timeout` header at the longest deadline. */
export function capGrpcTimeout(value: string): string {
  const [, count, unit] = /^(\d{1,8})([HMSmun])$/.exec(value) ?? [];
  const isLonger = Number(count) * (UNIT_MS[unit ?? ""] ?? 0) > HTTP_LIMITS.deadline;
  return isLonger ? `${HTTP_LIMITS.deadline}m` : value;
}

function shortenDeadline(headers: Headers): void {
  const connect = headers.get("connect-timeout-ms");
  if (connect !== null) headers.set("connect-timeout-ms", capConnectTimeout(connect));
  const grpc = headers.get("grpc-timeout");
  if (grpc !== null) headers.set("grpc-timeout", capGrpcTimeout(grpc));
}
