import { errorToJsonBytes } from "@connectrpc/connect/protocol-connect";
import { toConnectError } from "../interceptors/errors.ts";
import { httpStatusOf, writeStatus } from "../transcoding/answer.ts";
import type { Answer } from "./exchange.ts";
import { Refusal } from "./refusal.ts";

/** How an error is written: as a `google.rpc.Status`, or as the Connect protocol's error body. */
export type ErrorForm = "status" | "connect";

/** Makes the answer of anything thrown; the cause of an unforeseen error does not get into it. */
export function toErrorAnswer(cause: unknown, form: ErrorForm): Answer {
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
    body: form === "status" ? Buffer.from(writeStatus(error)) : errorToJsonBytes(error, undefined),
  };
}
