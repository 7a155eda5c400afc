import { create } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { trailerFlag, trailerSerialize } from "@connectrpc/connect/protocol-grpc-web";
import { BadRequestSchema, ErrorInfoSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import { toRpcCode } from "../../api/steps/errors.ts";
import type { IncomingCall } from "../../api/steps/incoming-call.ts";
import { Code, DomainError } from "../../domain/base/errors.ts";
import { clipBytes } from "../../domain/base/text.ts";
import type { HttpResponse, NodeRequest } from "../listener/exchange.ts";
import { httpError } from "../listener/rejection.ts";

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
  const trailer = toTrailer(error, call);
  const headers = {
    ...call?.responseHeaders,
    "content-type": type,
    // The request may have an unknown compression.
    ...(toRpcCode(error.code) === Code.UNIMPLEMENTED && { "grpc-accept-encoding": "gzip,br" }),
  };
  if (isWebType(type)) {
    return { status: 200, headers, body: toEnvelope(trailerSerialize(trailer), trailerFlag) };
  }
  const trailers = Object.fromEntries(trailer);
  return { status: 200, headers, body: new Uint8Array(), trailers };
}

/** The maximum length of the encoded message and details of an error in the trailers (contract: errors 4). */
const MOST_TRAILERS = 7_168;

/** The bytes of the message of an error whose details are whole. */
const SHORT_MESSAGE = 256;

function toTrailer(
  error: ConnectError,
  call?: Pick<IncomingCall, "responseHeaders" | "responseTrailers">,
): Headers {
  const forms = [() => error, () => shortenMessage(error), () => shorten(error)];
  let trailer = new Headers();
  for (const form of forms) {
    const short = form();
    trailer = setTrailerStatus(new Headers(call?.responseTrailers), short);
    const message = encodeGrpcMessage(short.rawMessage);
    trailer.set("grpc-message", message);
    const details = trailer.get("grpc-status-details-bin") ?? "";
    if (message.length + details.length <= MOST_TRAILERS) break;
  }
  return trailer;
}

function shortenMessage(error: ConnectError): ConnectError {
  const details = error.details.filter((it) => "desc" in it);
  const message = clipBytes(error.rawMessage, SHORT_MESSAGE);
  return new ConnectError(message, error.code, undefined, details);
}

/**
 * The limits of an error that is cut: bytes of the message and of each other text, and the numbers of values in the metadata
 * and of errors in fields. A byte of the message takes at most three in the trailers.
 */
const SHORT = { message: 672, text: 128, values: 8, fields: 2 };

function shorten(error: ConnectError): ConnectError {
  const clip = (text: string) => clipBytes(text, SHORT.text);
  const info = error.findDetails(ErrorInfoSchema).map(({ metadata, ...rest }) => ({
    desc: ErrorInfoSchema,
    value: create(ErrorInfoSchema, {
      ...rest,
      metadata: Object.fromEntries(
        Object.entries(metadata)
          .slice(0, SHORT.values)
          .map(([name, value]) => [name, clip(value)]),
      ),
    }),
  }));
  const violations = error.findDetails(BadRequestSchema).map(({ fieldViolations }) => ({
    desc: BadRequestSchema,
    value: create(BadRequestSchema, {
      fieldViolations: fieldViolations
        .slice(0, SHORT.fields)
        .map((it) => ({ ...it, field: clip(it.field), description: clip(it.description) })),
    }),
  }));
  const message = clipBytes(error.rawMessage, SHORT.message);
  return new ConnectError(message, error.code, undefined, [...info, ...violations]);
}

/**
 * Percent-encodes a message as gRPC over HTTP/2 defines: all bytes but visible ASCII, and the percent sign. The library
 * encodes punctuation as well, which grpc-js does not decode. Spaces are encoded because headers are trimmed.
 */
function encodeGrpcMessage(message: string): string {
  return message.toWellFormed().replace(/[^\x21-\x24\x26-\x7e]+/g, encodeURIComponent);
}

/** Reports whether a content type belongs to gRPC-Web. */
export function isWebType(type: GrpcType): boolean {
  return type.startsWith("application/grpc-web");
}

/** The prefix of each message: one byte of flags and four of length. */
export const ENVELOPE_PREFIX = 5;

/** The flag of a compressed message. */
export const COMPRESSED = 1;

/** Writes one message in the envelope of gRPC, gRPC-Web and Connect streams. */
export function toEnvelope(data: Uint8Array, flags: number): Uint8Array {
  const bytes = Buffer.alloc(ENVELOPE_PREFIX + data.length);
  bytes.writeUInt8(flags, 0);
  bytes.writeUInt32BE(data.length, 1);
  bytes.set(data, ENVELOPE_PREFIX);
  return bytes;
}

/** A message in an envelope. */
export interface Envelope {
  readonly flags: number;
  readonly data: Uint8Array;
}

/**
 * Splits a body into envelopes when they are asked for: there may be very many. `limit` applies to a message as sent, in
 * bytes. Throws a Rejection `BODY_TOO_LARGE`, INTERNAL `COMPRESSION_UNDECLARED` for a compressed message in a request that
 * names no encoding, and INVALID_ARGUMENT `REQUEST_MALFORMED` for an incomplete envelope.
 */
export function* splitEnvelopes(
  body: Buffer,
  { headers }: NodeRequest,
  limit: number,
): Generator<Envelope> {
  const isCompressed = (headers["grpc-encoding"] ?? "identity") !== "identity";
  let start = 0;
  while (body.length - start >= ENVELOPE_PREFIX) {
    const [flags, length] = [body.readUInt8(start), body.readUInt32BE(start + 1)];
    if (length > limit) throw httpError.bodyTooLarge(limit);
    if ((flags & COMPRESSED) !== 0 && !isCompressed) {
      const message = "a message is compressed, but the request names no encoding";
      throw new DomainError(Code.INTERNAL, "COMPRESSION_UNDECLARED", message);
    }
    const end = start + ENVELOPE_PREFIX + length;
    if (end > body.length) break;
    yield { flags, data: body.subarray(start + ENVELOPE_PREFIX, end) };
    start = end;
  }
  if (start === body.length) return;
  const message = "protocol error: incomplete envelope";
  throw new DomainError(Code.INVALID_ARGUMENT, "REQUEST_MALFORMED", message);
}
