import type { FuzzRequest } from "./requests.ts";
import type { Tenant } from "./tenants.ts";
import type { FuzzResponse } from "./transport.ts";

/** The longest time that a response may take, in milliseconds. */
export const LONGEST_RESPONSE = 1_000;

/** The errors above 499 that the contract has: an unknown coding, a database that is away, a deadline. */
const DECLARED = [501, 503, 504, 505];
/** UNKNOWN, INTERNAL and DATA_LOSS: no caller may see them. */
const UNDECLARED_CODES = [2, 13, 15];
const UNDECLARED_NAMES = /"code":"(?:unknown|internal|data_loss)"/;
/** The one exception: gRPC wants INTERNAL for a compressed message in a request that names no encoding. */
const COMPRESSION_UNDECLARED = /names(?: |%20)no(?: |%20)encoding|received(?: |%20)compressed/;

/** Finds errors of a response: its status, its time, or data of another tenant that the request does not name itself. */
export function findError(
  request: Pick<FuzzRequest, "sender"> & Partial<Pick<FuzzRequest, "headers">>,
  response: FuzzResponse,
  time: number,
  tenants: readonly Tenant[],
): string | undefined {
  const { status, grpcStatus, text } = response;
  if (status >= 500 && !DECLARED.includes(status)) return `status ${status}`;
  const isUndeclared = grpcStatus !== undefined && UNDECLARED_CODES.includes(grpcStatus);
  if (isUndeclared && !COMPRESSION_UNDECLARED.test(text)) return `gRPC status ${grpcStatus}`;
  if (status >= 500 && UNDECLARED_NAMES.test(text)) return "an undeclared code";
  if (time > LONGEST_RESPONSE) return `it took ${Math.round(time)} ms`;
  for (const { canary, secretSuffix } of tenants) {
    if (canary === `canary-${request.sender}`) continue;
    if (text.includes(canary)) return `the response contains ${canary}`;
    const isNamed = Object.values(request.headers ?? {}).some((it) => it.includes(secretSuffix));
    if (text.includes(secretSuffix) && !isNamed)
      return `the response contains an id that ends with ${secretSuffix}`;
  }
  return undefined;
}
