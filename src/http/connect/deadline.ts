import { parseTimeout as parseConnectTimeout } from "@connectrpc/connect/protocol-connect";
import { parseTimeout as parseGrpcTimeout } from "@connectrpc/connect/protocol-grpc";
import type { NodeRequest } from "../listener/exchange.ts";
import { HTTP_LIMITS } from "../listener/limits.ts";
import { readGrpcType } from "./grpc-framing.ts";

/** The time that a caller waits, in milliseconds, or the error of a malformed header; neither without one. */
export type Timeout = ReturnType<typeof parseConnectTimeout>;

/** Reads the timeout of a call. Node joins a repeated header, which makes it malformed. */
export function readTimeout(request: NodeRequest): Timeout {
  const isGrpc = request.method === "POST" && readGrpcType(request) !== undefined;
  const value = request.headers[isGrpc ? "grpc-timeout" : "connect-timeout-ms"];
  if (value === undefined) return {};
  return isGrpc
    ? parseGrpcTimeout(capGrpcTimeout(String(value)), HTTP_LIMITS.deadline)
    : parseConnectTimeout(capConnectTimeout(String(value)), HTTP_LIMITS.deadline);
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

const UNIT_MS: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1_000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};
