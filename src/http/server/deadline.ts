import { parseTimeout as parseConnectTimeout } from "@connectrpc/connect/protocol-connect";
import { parseTimeout as parseGrpcTimeout } from "@connectrpc/connect/protocol-grpc";
import { Code, DomainError } from "../../domain/errors.ts";
import type { NodeRequest } from "./exchange.ts";
import { capConnectTimeout, capGrpcTimeout } from "./headers.ts";
import { HTTP_LIMITS } from "./limits.ts";

/** The time that a caller waits, in milliseconds, or the error of a malformed header; neither without one. */
export type Timeout = ReturnType<typeof parseConnectTimeout>;

/** Reads the timeout of a call. Node joins a repeated header, which makes it malformed. */
export function readTimeout({ headers }: Pick<NodeRequest, "headers">, protocol: string): Timeout {
  const isConnect = protocol === "connect";
  const value = headers[isConnect ? "connect-timeout-ms" : "grpc-timeout"];
  if (value === undefined) return NO_TIMEOUT;
  const text = String(value);
  return isConnect
    ? parseConnectTimeout(capConnectTimeout(text), HTTP_LIMITS.deadline)
    : parseGrpcTimeout(capGrpcTimeout(text), HTTP_LIMITS.deadline);
}

const NO_TIMEOUT: Timeout = {};

/**
 * Waits for a result for at most the caller's timeout, in milliseconds; throws `DEADLINE_PASSED` afterwards. A timeout
 * of 0 is checked with the credentials, before any work.
 */
export async function withinTime<T>(time: number | undefined, result: Promise<T>): Promise<T> {
  if (time === undefined || time === 0) return result;
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(deadlinePassed()), time);
  });
  try {
    return await Promise.race([result, end]);
  } finally {
    clearTimeout(timer);
  }
}

/** Creates the error of a call that exceeds its deadline. */
export function deadlinePassed(): DomainError {
  return new DomainError(
    Code.DEADLINE_EXCEEDED,
    "DEADLINE_PASSED",
    "the call took longer than its deadline allows",
  );
}
