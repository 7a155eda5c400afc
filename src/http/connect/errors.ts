import type { ConnectError } from "@connectrpc/connect";
import {
  endStreamFlag,
  endStreamToJson,
  errorToJsonBytes,
} from "@connectrpc/connect/protocol-connect";
import { toConnectError, toRpcCode } from "../../api/steps/errors.ts";
import type { IncomingCall } from "../../api/steps/incoming-call.ts";
import type { HttpResponse, NodeRequest } from "../listener/exchange.ts";
import { toStatusResponse } from "../rest/status.ts";
import {
  type GrpcType,
  isWebType,
  readGrpcType,
  toEnvelope,
  toGrpcErrorResponse,
} from "./grpc-framing.ts";
import type { Protocol } from "./read-unary.ts";
import { toConnectTrailers } from "./write-unary.ts";

/** The form of an error: the error body of Connect, or the trailers of gRPC or gRPC-Web. */
export type ErrorForm = "connect" | GrpcType;

/** Returns the form of errors that the caller of a procedure expects. */
export function errorFormOf(request: NodeRequest): ErrorForm {
  return readGrpcType(request) ?? "connect";
}

/** Returns the protocol of a procedure call by the content type of its request. */
export function protocolOf(request: NodeRequest): Protocol {
  const grpcType = readGrpcType(request);
  if (grpcType === undefined) return "connect";
  return isWebType(grpcType) ? "grpc-web" : "grpc";
}

/** Ends a body, for readers in a terminal. */
const NEWLINE = Buffer.from("\n");

/**
 * Creates the response to anything thrown, without the cause of an unforeseen error; with the headers and
 * trailers that the call had set before, if there was one.
 */
export function toErrorResponse(
  cause: unknown,
  form: ErrorForm,
  call?: Pick<IncomingCall, "responseHeaders" | "responseTrailers">,
): HttpResponse {
  if (form !== "connect") {
    const error = toConnectError(cause);
    return { ...toGrpcErrorResponse(error, form, call), code: toRpcCode(error.code) };
  }
  const write = (error: ConnectError) =>
    Buffer.concat([errorToJsonBytes(error, undefined), NEWLINE]);
  const trailers = call && toConnectTrailers(call.responseTrailers);
  return toStatusResponse(cause, write, { ...call?.responseHeaders, ...trailers });
}

/**
 * Creates the response of a streaming call that fails before its first message. A Connect stream, like one of
 * gRPC, has the status 200 and reports the error at its end.
 */
export function toStreamErrorResponse(cause: unknown, request: NodeRequest): HttpResponse {
  const grpcType = readGrpcType(request);
  if (grpcType !== undefined) return toErrorResponse(cause, grpcType);
  const error = toConnectError(cause);
  const end = endStreamToJson(new Headers(), error, undefined);
  return {
    status: 200,
    headers: { "content-type": request.headers["content-type"] ?? "" },
    body: toEnvelope(Buffer.from(JSON.stringify(end)), endStreamFlag),
    code: toRpcCode(error.code),
  };
}
