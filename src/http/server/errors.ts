import type { ConnectError } from "@connectrpc/connect";
import {
  endStreamFlag,
  endStreamToJson,
  errorToJsonBytes,
} from "@connectrpc/connect/protocol-connect";
import { toConnectError, toRpcCode } from "../../api/steps/errors.ts";
import type { IncomingCall } from "../../api/steps/incoming-call.ts";
import { httpStatusOf, writeStatus } from "../../protojson/status.ts";
import { toConnectTrailers } from "../connect/connect-trailers.ts";
import { toEnvelope } from "../connect/envelopes.ts";
import { type GrpcType, isWebType, readGrpcType, toGrpcErrorAnswer } from "../connect/grpc.ts";
import type { Protocol } from "../connect/unary-form.ts";
import type { Answer, Handled, NodeRequest } from "./exchange.ts";
import { Refusal } from "./refusal.ts";

/** The form of an error: a `google.rpc.Status`, the error body of Connect, or trailers of gRPC or gRPC-Web. */
export type ErrorForm = "status" | "connect" | GrpcType;

/** Returns the form in which the caller of a path expects errors. */
export function errorFormOf({ path, request }: Handled): ErrorForm {
  if (!isProcedure(path)) return "status";
  return readGrpcType(request) ?? "connect";
}

/** Returns the protocol of a procedure call by the content type of its request. */
export function protocolOf(request: NodeRequest): Protocol {
  const grpcType = readGrpcType(request);
  if (grpcType === undefined) return "connect";
  return isWebType(grpcType) ? "grpc-web" : "grpc";
}

/** Reports whether a path has the form `/package.Service/Method`. */
export function isProcedure(path: string): boolean {
  return /^\/[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\/[^/]*$/.test(path);
}

/**
 * Creates the answer to anything thrown, without the cause of an unforeseen error; with the headers and
 * trailers that the call had set before, if there was one.
 */
export function toErrorAnswer(
  cause: unknown,
  form: ErrorForm,
  call?: Pick<IncomingCall, "responseHeaders" | "responseTrailers">,
): Answer {
  const error = toConnectError(cause);
  const code = toRpcCode(error.code);
  if (form !== "status" && form !== "connect") {
    return { ...toGrpcErrorAnswer(error, form, call), code };
  }
  const refusal = cause instanceof Refusal ? cause : undefined;
  return {
    status: refusal?.status ?? httpStatusOf(error.code),
    headers: {
      ...call?.responseHeaders,
      ...(call && toConnectTrailers(call.responseTrailers)),
      "content-type": "application/json",
      "cache-control": "no-store",
      ...Object.fromEntries(error.metadata),
      ...refusal?.headers,
    },
    body: writeBody(error, form),
    code,
  };
}

/**
 * Creates the answer of a streaming call that fails before its first message. A Connect stream, like one of
 * gRPC, has the status 200 and reports the error at its end.
 */
export function toStreamErrorAnswer(cause: unknown, request: NodeRequest): Answer {
  const grpcType = readGrpcType(request);
  if (grpcType !== undefined) return toErrorAnswer(cause, grpcType);
  const error = toConnectError(cause);
  const end = endStreamToJson(new Headers(), error, undefined);
  return {
    status: 200,
    headers: { "content-type": request.headers["content-type"] ?? "" },
    body: toEnvelope(Buffer.from(JSON.stringify(end)), endStreamFlag),
    code: toRpcCode(error.code),
  };
}

function writeBody(error: ConnectError, form: "status" | "connect"): Uint8Array {
  return form === "status" ? Buffer.from(writeStatus(error)) : errorToJsonBytes(error, undefined);
}
