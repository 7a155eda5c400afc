import type { ConnectError } from "@connectrpc/connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { trailerFlag, trailerSerialize } from "@connectrpc/connect/protocol-grpc-web";
import type { IncomingCall } from "../../api/steps/incoming-call.ts";
import type { Answer, NodeRequest } from "../listener/exchange.ts";
import { toEnvelope } from "./envelopes.ts";

/** The content type of gRPC or gRPC-Web, in lower case, without parameters. */
export type GrpcType = `application/grpc${string}`;

const GRPC_TYPE = /^(application\/grpc(?:-web)?(?:\+[a-z]+)?)\s*(?:;|$)/;

/** Reads the content type of a gRPC or gRPC-Web request; `undefined` for other requests. */
export function readGrpcType(request: NodeRequest): GrpcType | undefined {
  const [, type] = GRPC_TYPE.exec(request.headers["content-type"]?.toLowerCase() ?? "") ?? [];
  return type as GrpcType | undefined;
}

/** Returns a gRPC error answer: status 200, with the error in the trailers. */
export function toGrpcErrorAnswer(
  error: ConnectError,
  type: GrpcType,
  call?: Pick<IncomingCall, "responseHeaders" | "responseTrailers">,
): Answer {
  const trailer = setTrailerStatus(new Headers(call?.responseTrailers), error);
  trailer.set("grpc-message", encodeGrpcMessage(error.rawMessage));
  const headers = { ...call?.responseHeaders, "content-type": type };
  return isWebType(type)
    ? { status: 200, headers, body: toEnvelope(trailerSerialize(trailer), trailerFlag) }
    : {
        status: 200,
        headers,
        body: new Uint8Array(),
        trailers: Object.fromEntries(trailer),
      };
}

/**
 * Percent-encodes a message as gRPC over HTTP/2 defines: what is not visible ASCII, and the percent sign. The library
 * encodes punctuation as well, which grpc-js does not decode. Spaces are encoded because headers are trimmed.
 */
export function encodeGrpcMessage(message: string): string {
  return message.toWellFormed().replace(/[^\x21-\x24\x26-\x7e]+/g, encodeURIComponent);
}

/** Reports whether a content type is that of gRPC-Web. */
export function isWebType(type: GrpcType): boolean {
  return type.startsWith("application/grpc-web");
}
