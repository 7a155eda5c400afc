import { type DescMessage, toJsonString } from "@bufbuild/protobuf";
import { Code, DomainError } from "../domain/errors.ts";
import { decodeUtf8, readJson } from "./json-reader.ts";
import { readMessage } from "./read-message.ts";

/**
 * Reads the JSON of a message as strictly as the HTTP/JSON paths do, and writes it anew in the form
 * that every reader of protobuf JSON takes: fields once and in lowerCamelCase, masks too. Throws what
 * `readJson` and `readMessage` throw.
 */
export function toCanonicalJson(schema: DescMessage, bytes: Uint8Array): Uint8Array {
  const { message } = readMessage(schema, readJson(decodeUtf8(bytes)), "");
  try {
    return new TextEncoder().encode(toJsonString(schema, message));
  } catch {
    // Of what could be read, only the names of a field mask may have no such form.
    const message = "a field mask holds what is no field's name";
    throw new DomainError(Code.INVALID_ARGUMENT, "UPDATE_MASK_INVALID", message);
  }
}
