import { Code, DomainError, type Reason } from "../domain/base/errors.ts";
import { MAX_DEPTH, MAX_VALUES } from "./read-json.ts";

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/**
 * Checks the depth of a JSON text and its number of values (contract: limits 1), but not its syntax. The lenient parser
 * that reads it next skips unknown members of any depth and size. INVALID_ARGUMENT `JSON_TOO_DEEP` or `JSON_TOO_LARGE`.
 */
export function checkJsonSize(text: Uint8Array): void {
  let depth = 0;
  let values = 1;
  let isInString = false;
  // True right after the opening bracket of an array or object, which may be empty.
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
      throw rejection("JSON_TOO_DEEP", `the JSON nests deeper than ${MAX_DEPTH} levels`);
    }
    if (values > MAX_VALUES) {
      throw rejection("JSON_TOO_LARGE", `the JSON has more than ${MAX_VALUES} values`);
    }
  }
}

function rejection(reason: Reason, message: string): DomainError {
  return new DomainError(Code.INVALID_ARGUMENT, reason, message);
}
