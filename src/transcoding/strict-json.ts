import { type DescMessage, toJsonString } from "@bufbuild/protobuf";
import { Code, DomainError } from "../domain/errors.ts";
import { decodeUtf8 } from "./decode-utf8.ts";
import { readJson } from "./json-reader.ts";
import { readMessage } from "./read-message.ts";

/**
 * Reads the JSON of a message as strictly as the HTTP/JSON paths do and rewrites it in canonical protobuf
 * JSON: each field once and in lowerCamelCase, field masks too. Throws as `readJson` and `readMessage` do.
 */
export function toCanonicalJson(schema: DescMessage, bytes: Uint8Array): Uint8Array {
  const { message } = readMessage(schema, readJson(decodeUtf8(bytes)), "");
  try {
    return new TextEncoder().encode(toJsonString(schema, message));
  } catch {
    // Of all that could be read, only the paths of a field mask may have no canonical form.
    const message = "a field mask contains a path that is not a field name";
    throw new DomainError(Code.INVALID_ARGUMENT, "UPDATE_MASK_INVALID", message);
  }
}
