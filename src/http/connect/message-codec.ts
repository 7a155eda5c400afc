import {
  type DescMessage,
  fromBinary,
  fromJsonString,
  type Message,
  type Registry,
  toBinary,
  toJsonString,
} from "@bufbuild/protobuf";
import { CHECKED_DEPTH } from "../../domain/messages/recursion-limit.ts";
import type { Codec } from "./unary-form.ts";
import { writeJson } from "./write-json.ts";

/** The types that a `google.protobuf.Any` may hold in JSON. */
export interface CodecOptions {
  readonly registry?: Registry;
}

/** Writes a message in a codec. */
export function writeMessage(
  schema: DescMessage,
  message: Message,
  codec: Codec,
  options: CodecOptions,
): Uint8Array {
  return codec === "json"
    ? Buffer.from(writeJson(schema, message, options))
    : toBinary(schema, message);
}

/**
 * Converts the bytes of a message from a codec to the other. Each holds all that the other does.
 */
export function transcode(
  schema: DescMessage,
  bytes: Uint8Array,
  from: Codec,
  options: CodecOptions,
): Uint8Array {
  if (from === "proto") {
    return writeMessage(schema, fromBinary(schema, bytes, CHECKED_DEPTH), "json", options);
  }
  const json = UTF_8.decode(bytes);
  return toBinary(schema, fromJsonString(schema, json, { ...options, ...CHECKED_DEPTH }));
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
