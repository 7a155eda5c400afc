import { trailerFlag } from "@connectrpc/connect/protocol-grpc-web";
import { COMPRESSED, ENVELOPE_PREFIX } from "./envelopes.ts";
import type { Protocol } from "./unary-form.ts";

/**
 * The message of an answer in one piece of memory, framed for all protocols: the prefix of its envelope, the
 * message, and the envelope of gRPC-Web's trailers. Connect sends only the message, gRPC the first two.
 */
export class Payload {
  readonly #bytes: Buffer;
  readonly #end: number;

  /** Copies a message into its own memory: the bytes of a writer are reused, and a pool would stay alive. */
  constructor(message: Uint8Array, trailers: string, isCompressed = false) {
    const size = message.length;
    const end = ENVELOPE_PREFIX + size;
    const bytes = Buffer.allocUnsafeSlow(end + ENVELOPE_PREFIX + trailers.length);
    bytes.writeUInt8(isCompressed ? COMPRESSED : 0, 0);
    bytes.writeUInt32BE(size, 1);
    bytes.set(message, ENVELOPE_PREFIX);
    bytes.writeUInt8(trailerFlag, end);
    bytes.writeUInt32BE(trailers.length, end + 1);
    bytes.write(trailers, end + ENVELOPE_PREFIX, "latin1");
    this.#bytes = bytes;
    this.#end = end;
  }

  /** The size in memory, in bytes. */
  get size(): number {
    return this.#bytes.length;
  }

  /** The message without its frames. */
  get message(): Uint8Array {
    return this.#bytes.subarray(ENVELOPE_PREFIX, this.#end);
  }

  /** Returns the body of the answer in a protocol. */
  bodyIn(protocol: Protocol): Uint8Array {
    switch (protocol) {
      case "connect":
        return this.message;
      case "grpc":
        return this.#bytes.subarray(0, this.#end);
      case "grpc-web":
        return this.#bytes;
    }
  }
}
