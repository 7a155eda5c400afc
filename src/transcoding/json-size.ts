import { Code, DomainError } from "../domain/errors.ts";
import { MAX_DEPTH, MAX_VALUES } from "./json-reader.ts";

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/**
 * Checks how deep a JSON text nests (CONTRACT 7) and how many values it holds, where a lenient reader
 * reads it: that one skips what it does not know, however deep and large. Whether the text is JSON is left
 * to it. INVALID_ARGUMENT `JSON_TOO_DEEP` or `JSON_TOO_LARGE`.
 */
export function checkJsonSize(text: Uint8Array): void {
  let depth = 0;
  let values = 1;
  let isInString = false;
  /** Behind the opening of an array or object, which may be empty. */
  let isOpened = false;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at] ?? 0;
    if (isInString) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isInString = false;
      continue;
    }
    if (BLANKS.has(byte)) continue;
    const isClosing = CLOSING.has(byte);
    if (byte === COMMA || (isOpened && !isClosing)) values += 1;
    isOpened = OPENING.has(byte);
    if (byte === QUOTE) isInString = true;
    else if (isOpened) depth += 1;
    else if (isClosing) depth -= 1;
    if (depth > MAX_DEPTH) {
      throw refuse("JSON_TOO_DEEP", `more than ${MAX_DEPTH} arrays and objects are open`);
    }
    if (values > MAX_VALUES) {
      throw refuse("JSON_TOO_LARGE", `there are more than ${MAX_VALUES} values`);
    }
  }
}

function refuse(reason: string, message: string): DomainError {
  return new DomainError(Code.INVALID_ARGUMENT, reason, message);
}
