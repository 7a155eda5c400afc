import { toConnectError, toRpcCode } from "../../api/steps/errors.ts";
import { httpStatusOf, writeStatus } from "../../protojson/status.ts";
import type { Answer } from "../listener/exchange.ts";
import { Refusal } from "../listener/refusal.ts";

/** Creates the response to anything thrown: a `google.rpc.Status` without the cause of an unforeseen error. */
export function toStatusAnswer(cause: unknown): Answer {
  const error = toConnectError(cause);
  const refusal = cause instanceof Refusal ? cause : undefined;
  return {
    status: refusal?.status ?? httpStatusOf(error.code),
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      ...Object.fromEntries(error.metadata),
      ...refusal?.headers,
    },
    body: Buffer.from(writeStatus(error)),
    code: toRpcCode(error.code),
  };
}
