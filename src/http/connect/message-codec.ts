import {
  type DescMessage,
  fromBinary,
  type Message,
  type Registry,
  toJsonString,
} from "@bufbuild/protobuf";
import { writeJsonAsBinary } from "./json-to-binary.ts";
import type { Codec } from "./unary-form.ts";
import { WireWriter } from "./wire-writer.ts";
import { writeBinary } from "./write-binary.ts";
import { writeJson } from "./write-json.ts";

/** The types that a `google.protobuf.Any` may hold in JSON. */
export interface CodecOptions {
  readonly registry?: Registry;
}

/** Writes a message in a codec. The next message may overwrite the bytes. */
export function writeMessage(
  schema: DescMessage,
  message: Message,
  codec: Codec,
  options: CodecOptions,
): Uint8Array {
  return codec === "json"
    ? writeJson(schema, message, options)
    : writeBinary(schema, message, options);
}

/**
 * Converts the bytes of a message from a codec to the other. Each holds all that the other does. The next message
 * may overwrite the result.
 */
export function transcode(
  schema: DescMessage,
  bytes: Uint8Array,
  from: Codec,
  options: CodecOptions,
): Uint8Array {
  return from === "proto"
    ? writeJson(schema, fromBinary(schema, bytes), options)
    : toBinaryMessage(schema, bytes, options);
}

function toBinaryMessage(schema: DescMessage, json: Uint8Array, options: CodecOptions): Uint8Array {
  const writer = new WireWriter();
  writeJsonAsBinary(schema, JSON.parse(UTF_8.decode(json)), options, writer);
  return writer.take();
}

const UTF_8 = new TextDecoder();

/**
 * Writes a message in its canonical form, in which `"10"` and `10` are equal; undefined if it has none.
 */
export function toCanonicalForm(
  schema: DescMessage,
  message: Message,
  options: CodecOptions,
): string | undefined {
  try {
    return toJsonString(schema, message, options);
  } catch {
    return undefined;
  }
}
