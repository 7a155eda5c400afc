import { type DescMessage, type Message, type Registry, toBinary } from "@bufbuild/protobuf";
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
