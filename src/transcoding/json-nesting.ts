import { Code, DomainError } from "../domain/errors.ts";
import { MAX_DEPTH } from "./json-reader.ts";

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/**
 * Checks how deep a JSON text nests (CONTRACT 7), where a lenient reader reads it: that one skips
 * what it does not know, however deep. Whether the text is JSON is left to it. INVALID_ARGUMENT
 * `JSON_TOO_DEEP`.
 */
export function checkNesting(text: Uint8Array): void {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at] ?? 0;
    if (byte === QUOTE) isInString = !isInString;
    else if (isInString && byte === BACKSLASH) at += 1;
    else if (!isInString && OPENING.has(byte)) depth += 1;
    else if (!isInString && CLOSING.has(byte)) depth -= 1;
    if (depth > MAX_DEPTH) {
      const message = `more than ${MAX_DEPTH} arrays and objects are open`;
      throw new DomainError(Code.INVALID_ARGUMENT, "JSON_TOO_DEEP", message);
    }
  }
}
