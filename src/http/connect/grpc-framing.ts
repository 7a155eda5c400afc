import type { ConnectError } from "@connectrpc/connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { trailerFlag, trailerSerialize } from "@connectrpc/connect/protocol-grpc-web";
import type { IncomingCall } from "../../api/steps/incoming-call.ts";
import { Code, DomainError } from "../../domain/errors.ts";
import type { HttpResponse, NodeRequest } from "../listener/exchange.ts";
import { bodyTooLarge } from "../listener/refusal.ts";

/** The content type of gRPC or gRPC-Web, in lower case, without parameters. */
export type GrpcType = `application/grpc${string}`;

const GRPC_TYPE = /^(application\/grpc(?:-web)?(?:\+[a-z]+)?)\s*(?:;|$)/;

/** Reads the content type of a gRPC or gRPC-Web request; `undefined` for other requests. */
export function readGrpcType(request: NodeRequest): GrpcType | undefined {
  const [, type] = GRPC_TYPE.exec(request.headers["content-type"]?.toLowerCase() ?? "") ?? [];
  return type as GrpcType | undefined;
}

/** Returns a gRPC error response: status 200, with the error in the trailers. */
export function toGrpcErrorResponse(
  error: ConnectError,
  type: GrpcType,
  call?: Pick<IncomingCall, "responseHeaders" | "responseTrailers">,
): HttpResponse {
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

/** The prefix of each message: one byte of flags and four of length. */
export const ENVELOPE_PREFIX = 5;

/** The flag of a compressed message. */
export const COMPRESSED = 1;

/** The rules for the envelopes of a request. */
export interface EnvelopeRules {
  /** The largest message as sent, in bytes. */
  readonly limit: number;
  /** True if the request declares a compression, so that messages may be compressed. */
  readonly isCompressed: boolean;
}

/** Reports whether a request declares a compression of its enveloped messages. */
export function declaresCompression({ headers }: NodeRequest): boolean {
  return (headers["grpc-encoding"] ?? "identity") !== "identity";
}

/** Reports whether the message of an envelope is compressed. */
export function isCompressedMessage([flags = 0]: Uint8Array): boolean {
  return (flags & COMPRESSED) !== 0;
}

/** Reports whether an envelope holds the trailers of gRPC-Web. */
export function isTrailers([flags = 0]: Uint8Array): boolean {
  return (flags & trailerFlag) !== 0;
}

/** Writes one message in the envelope of gRPC, gRPC-Web and Connect streams. */
export function toEnvelope(data: Uint8Array, flags: number): Uint8Array {
  const bytes = Buffer.alloc(ENVELOPE_PREFIX + data.length);
  bytes.writeUInt8(flags, 0);
  bytes.writeUInt32BE(data.length, 1);
  bytes.set(data, ENVELOPE_PREFIX);
  return bytes;
}

/**
 * Splits a body into whole envelopes with their prefixes, and what follows the last one. Throws a Refusal
 * `BODY_TOO_LARGE`, or INTERNAL `COMPRESSION_UNDECLARED` for a compressed message in a request that names
 * no encoding.
 */
export function splitEnvelopes(
  body: Buffer,
  { limit, isCompressed }: EnvelopeRules,
): { readonly envelopes: readonly Uint8Array[]; readonly rest: Uint8Array } {
  const envelopes: Uint8Array[] = [];
  let start = 0;
  while (body.length - start >= ENVELOPE_PREFIX) {
    const length = body.readUInt32BE(start + 1);
    if (length > limit) throw bodyTooLarge(limit);
    if (isCompressedMessage(body.subarray(start)) && !isCompressed) throw compressionUndeclared();
    const end = start + ENVELOPE_PREFIX + length;
    if (end > body.length) break;
    envelopes.push(body.subarray(start, end));
    start = end;
  }
  return { envelopes, rest: body.subarray(start) };
}

/** Creates the error of both gRPC and Connect for a disagreement about the protocol: INTERNAL. */
function compressionUndeclared(): DomainError {
  return new DomainError(
    Code.INTERNAL,
    "COMPRESSION_UNDECLARED",
    "a message is compressed, but the request names no encoding",
  );
}
