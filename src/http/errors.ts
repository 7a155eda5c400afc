import type { ConnectError } from "@connectrpc/connect";
import { errorToJsonBytes } from "@connectrpc/connect/protocol-connect";
import { toConnectError } from "../interceptors/errors.ts";
import { httpStatusOf, writeStatus } from "../transcoding/answer.ts";
import type { Answer, Handled } from "./exchange.ts";
import { type GrpcType, readGrpcType, toGrpcErrorAnswer } from "./grpc.ts";
import { Refusal } from "./refusal.ts";

/**
 * How an error is written: as a `google.rpc.Status`, as the Connect protocol's error body, or as the
 * trailers of gRPC or gRPC-Web.
 */
export type ErrorForm = "status" | "connect" | GrpcType;

/** Tells in which form the caller of a path expects errors. */
export function errorFormOf({ path, request }: Handled): ErrorForm {
  if (!isProcedure(path)) return "status";
  return readGrpcType(request) ?? "connect";
}

/** Tells whether a path has the form `/package.Service/Method`. */
export function isProcedure(path: string): boolean {
  return /^\/(?:svc|grpc)\.[^/]*\/[^/]*$/.test(path);
}

/** Makes the answer of anything thrown; the cause of an unforeseen error does not get into it. */
export function toErrorAnswer(cause: unknown, form: ErrorForm): Answer {
  const error = toConnectError(cause);
  if (form !== "status" && form !== "connect") return toGrpcErrorAnswer(error, form);
  const refusal = cause instanceof Refusal ? cause : undefined;
  return {
    status: refusal?.status ?? httpStatusOf(error.code),
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      ...Object.fromEntries(error.metadata),
      ...refusal?.headers,
    },
    body: writeBody(error, form),
  };
}

function writeBody(error: ConnectError, form: "status" | "connect"): Uint8Array {
  return form === "status" ? Buffer.from(writeStatus(error)) : errorToJsonBytes(error, undefined);
}
