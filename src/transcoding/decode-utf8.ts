import { Code, DomainError } from "../domain/errors.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Decodes UTF-8. Throws BODY_NOT_UTF8, also for a byte order mark. */
export function decodeUtf8(bytes: Uint8Array): string {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    throw notUtf8("the body must not start with a byte order mark");
  }
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw notUtf8("the body is not UTF-8", cause);
  }
}

function notUtf8(message: string, cause?: unknown): DomainError {
  return new DomainError(Code.INVALID_ARGUMENT, "BODY_NOT_UTF8", message, { cause });
}
