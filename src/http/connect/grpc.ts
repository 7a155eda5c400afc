import type { ConnectError } from "@connectrpc/connect";
import { findTrailerError, setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { trailerFlag, trailerParse, trailerSerialize } from "@connectrpc/connect/protocol-grpc-web";
import type { Answer, NodeRequest } from "../server/exchange.ts";
import { ENVELOPE_PREFIX, toEnvelope } from "./envelopes.ts";

/** The content type of gRPC or gRPC-Web, in lower case, without parameters. */
export type GrpcType = `application/grpc${string}`;

const GRPC_TYPE = /^(application\/grpc(?:-web)?(?:\+[a-z]+)?)\s*(?:;|$)/;

/** Reads the content type of a gRPC or gRPC-Web request; `undefined` for other requests. */
export function readGrpcType(request: NodeRequest): GrpcType | undefined {
  const [, type] = GRPC_TYPE.exec(request.headers["content-type"]?.toLowerCase() ?? "") ?? [];
  return type as GrpcType | undefined;
}

/** Returns a gRPC error answer: status 200, with the error in the trailers. */
export function toGrpcErrorAnswer(error: ConnectError, type: GrpcType): Answer {
  const trailer = setTrailerStatus(new Headers(), error);
  const headers = { "content-type": type };
  return isWeb(type)
    ? { status: 200, headers, body: toEnvelope(trailerSerialize(trailer), trailerFlag) }
    : {
        status: 200,
        headers,
        body: new Uint8Array(),
        trailers: Object.fromEntries(trailer),
      };
}

/** Finds the error in the trailers of a gRPC or gRPC-Web answer. */
export function findGrpcError(
  { headers, body, trailers }: Answer,
  type: GrpcType,
): ConnectError | undefined {
  if (!isWeb(type)) return findTrailerError(new Headers(trailers));
  return findTrailerError(readWebTrailers(body) ?? new Headers(headers));
}

function isWeb(type: GrpcType): boolean {
  return type.startsWith("application/grpc-web");
}

function readWebTrailers(body: Uint8Array): Headers | undefined {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  let start = 0;
  while (start + ENVELOPE_PREFIX <= body.length) {
    const end = start + ENVELOPE_PREFIX + view.getUint32(start + 1);
    if (view.getUint8(start) === trailerFlag) {
      return trailerParse(body.subarray(start + ENVELOPE_PREFIX, end));
    }
    start = end;
  }
  return undefined;
}
