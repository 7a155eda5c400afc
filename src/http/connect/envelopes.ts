import { trailerFlag } from "@connectrpc/connect/protocol-grpc-web";
import { Code, DomainError } from "../../domain/errors.ts";
import type { NodeRequest } from "../listener/exchange.ts";
import { bodyTooLarge } from "../listener/refusal.ts";

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
