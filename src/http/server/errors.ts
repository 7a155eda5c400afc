import type { ConnectError } from "@connectrpc/connect";
import {
  endStreamFlag,
  endStreamToJson,
  errorToJsonBytes,
} from "@connectrpc/connect/protocol-connect";
import { toConnectError } from "../../call/errors.ts";
import { httpStatusOf, writeStatus } from "../../transcoding/answer.ts";
import { toEnvelope } from "../connect/envelopes.ts";
import { type GrpcType, readGrpcType, toGrpcErrorAnswer } from "../connect/grpc.ts";
import type { Answer, Handled, NodeRequest } from "./exchange.ts";
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
  return /^\/[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\/[^/]*$/.test(path);
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

/**
 * Makes the answer of a streaming call that ends before its first message: of a Connect stream, like
 * that of gRPC, the status is 200, and the message at the end tells the rest.
 */
export function toStreamErrorAnswer(cause: unknown, request: NodeRequest): Answer {
  const grpcType = readGrpcType(request);
  if (grpcType !== undefined) return toErrorAnswer(cause, grpcType);
  const end = endStreamToJson(new Headers(), toConnectError(cause), undefined);
  return {
    status: 200,
    headers: { "content-type": request.headers["content-type"] ?? "" },
    body: toEnvelope(Buffer.from(JSON.stringify(end)), endStreamFlag),
  };
}

function writeBody(error: ConnectError, form: "status" | "connect"): Uint8Array {
  return form === "status" ? Buffer.from(writeStatus(error)) : errorToJsonBytes(error, undefined);
}
