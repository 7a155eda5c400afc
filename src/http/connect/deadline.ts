import { parseTimeout as parseConnectTimeout } from "@connectrpc/connect/protocol-connect";
import { parseTimeout as parseGrpcTimeout } from "@connectrpc/connect/protocol-grpc";
import type { NodeRequest } from "../listener/exchange.ts";
import { HTTP_LIMITS } from "../listener/limits.ts";
import { httpError } from "../listener/rejection.ts";
import { readGrpcType } from "./grpc-framing.ts";

/** The time that a caller waits, in milliseconds, or the error of a malformed header; neither without one. */
export type Timeout = ReturnType<typeof parseConnectTimeout>;

/**
 * Reads the timeout of a call, at most the longest deadline. Node joins a repeated header, which makes it malformed.
 */
export function readTimeout(request: NodeRequest): Timeout {
  const isGrpc = request.method === "POST" && readGrpcType(request) !== undefined;
  const header = request.headers[isGrpc ? "grpc-timeout" : "connect-timeout-ms"];
  if (header === undefined) return {};
  const parse = isGrpc ? parseGrpcTimeout : parseConnectTimeout;
  const timeout = parse(String(header), Number.POSITIVE_INFINITY);
  const { timeoutMs } = timeout;
  return timeoutMs === undefined
    ? timeout
    : { timeoutMs: Math.min(timeoutMs, HTTP_LIMITS.deadline) };
}

/** Checks the time that a caller waits. Throws a Rejection: 400 `REQUEST_MALFORMED`, or the error of a deadline that has passed. */
export function checkTimeout({ timeoutMs, error }: Timeout): void {
  if (error !== undefined) throw httpError.malformedRequest("REQUEST_MALFORMED", error.rawMessage);
  if (timeoutMs === 0) throw httpError.deadlinePassed();
}
