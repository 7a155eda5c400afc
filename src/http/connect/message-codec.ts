import {
  type DescMessage,
  type Message,
  type Registry,
  toBinary,
  toJsonString,
} from "@bufbuild/protobuf";
import { MessageJson, toMessage } from "../../protojson/message-json.ts";
import type { Codec } from "./unary-form.ts";

/** The types that a `google.protobuf.Any` may hold in JSON. */
export interface CodecOptions {
  readonly registry?: Registry;
}

/** Writes a message in a codec. */
export function writeMessage(
  schema: DescMessage,
  message: Message | MessageJson,
  codec: Codec,
  options: CodecOptions,
): Uint8Array {
  if (codec === "proto") return toBinary(schema, toMessage(message));
  if (message instanceof MessageJson) return message.toBytes();
  return Buffer.from(toJsonString(schema, message, options));
}
