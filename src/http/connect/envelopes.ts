import { trailerFlag } from "@connectrpc/connect/protocol-grpc-web";
import { Code, DomainError } from "../../domain/errors.ts";
import type { NodeRequest } from "../server/exchange.ts";
import { bodyTooLarge } from "../server/refusal.ts";

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
export function isCompressedStream({ headers }: NodeRequest): boolean {
  const encoding = headers["grpc-encoding"] ?? headers["connect-content-encoding"] ?? "identity";
  return encoding !== "identity";
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
 * Splits a body that arrives in any chunks into envelopes, in linear time. A message whose declared length is
 * too large is refused as soon as its prefix is read.
 */
export class EnvelopeSplitter {
  readonly #rules: EnvelopeRules;
  #bytes: Buffer = Buffer.alloc(0);
  #start = 0;
  #end = 0;

  constructor(rules: EnvelopeRules) {
    this.#rules = rules;
  }

  /** The bytes not taken yet. */
  get rest(): Uint8Array {
    return this.#bytes.subarray(this.#start, this.#end);
  }

  /** Adds a chunk. */
  push(chunk: Buffer): void {
    const size = this.#end - this.#start;
    if (size === 0) {
      this.#bytes = chunk;
      this.#start = 0;
      this.#end = chunk.length;
      return;
    }
    if (this.#end + chunk.length > this.#bytes.length) {
      const bytes = Buffer.allocUnsafe(Math.max(2 * size, size + chunk.length));
      this.#bytes.copy(bytes, 0, this.#start, this.#end);
      this.#bytes = bytes;
      this.#start = 0;
      this.#end = size;
    }
    this.#bytes.set(chunk, this.#end);
    this.#end += chunk.length;
  }

  /**
   * Takes the next whole envelope with its prefix; undefined if it is incomplete. Throws a Refusal
   * `BODY_TOO_LARGE`, or INTERNAL `COMPRESSION_UNDECLARED` for a compressed message in a request that names
   * no encoding.
   */
  take(): Uint8Array | undefined {
    if (this.#end - this.#start < ENVELOPE_PREFIX) return undefined;
    const { limit, isCompressed } = this.#rules;
    const length = this.#bytes.readUInt32BE(this.#start + 1);
    if (length > limit) throw bodyTooLarge(limit);
    const isMarked = isCompressedMessage(this.#bytes.subarray(this.#start));
    if (isMarked && !isCompressed) throw compressionUndeclared();
    const end = this.#start + ENVELOPE_PREFIX + length;
    if (end > this.#end) return undefined;
    const envelope = this.#bytes.subarray(this.#start, end);
    this.#start = end;
    return envelope;
  }
}

/** Creates the error of both gRPC and Connect for a disagreement about the protocol: INTERNAL. */
function compressionUndeclared(): DomainError {
  return new DomainError(
    Code.INTERNAL,
    "COMPRESSION_UNDECLARED",
    "a message is compressed, but the request names no encoding",
  );
}
