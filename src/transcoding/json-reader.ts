import { DomainError } from "../domain/errors.ts";
import { clip } from "../domain/messages/clip.ts";
import { JsonScanner } from "./json-scanner.ts";
import { type JsonObject, type JsonValue, type LongInteger, setOwn } from "./json-value.ts";
import { quote } from "./quote.ts";

// RFC 8259, narrowed: no duplicate key in an object, at most 100 arrays and objects open at once, and at
// most 20,000 values in total. The scanner defines word, number, string and ws.
//
//   text   = ws value ws ;
//   value  = word | number | string | array | object ;
//   array  = "[" ws [ value ws { "," ws value ws } ] "]" ;
//   object = "{" ws [ member ws { "," ws member ws } ] "}" ;
//   member = string ws ":" ws value ;

/** The maximum number of arrays and objects open at once. */
export const MAX_DEPTH = 100;

/** The maximum number of values in one text: each array and object counts, and so does everything in it. */
export const MAX_VALUES = 20_000;

/**
 * Reads a JSON text. Throws INVALID_ARGUMENT with the position (offset from 0 in UTF-16 units,
 * line and column from 1): JSON_SYNTAX, JSON_DUPLICATE_KEY, JSON_TOO_DEEP, JSON_TOO_LARGE.
 */
export function readJson(text: string): JsonValue {
  return new JsonReader(text).readText();
}

/** Reads a text that consists of exactly one JSON number; undefined for any other text. */
export function readJsonNumber(text: string): number | LongInteger | undefined {
  const scanner = new JsonScanner(text);
  try {
    const value = scanner.readNumber();
    return scanner.isAtEnd() ? value : undefined;
  } catch (error) {
    if (error instanceof DomainError) {
      return undefined;
    }
    throw error;
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const LOWER_F = 0x66;
const LOWER_N = 0x6e;
const LOWER_T = 0x74;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

class JsonReader {
  readonly #scanner: JsonScanner;
  #depth = 0;
  #values = 0;

  constructor(text: string) {
    this.#scanner = new JsonScanner(text);
  }

  readText(): JsonValue {
    const value = this.#readValue();
    this.#scanner.skipBlanks();
    if (!this.#scanner.isAtEnd()) {
      throw this.#scanner.syntax("expected the end of the text");
    }
    return value;
  }

  #readValue(): JsonValue {
    const scanner = this.#scanner;
    scanner.skipBlanks();
    this.#values++;
    if (this.#values > MAX_VALUES) {
      throw scanner.fault("JSON_TOO_LARGE", `the JSON has more than ${MAX_VALUES} values`);
    }
    switch (scanner.peek()) {
      case QUOTE:
        return scanner.readString();
      case OPEN_BRACE:
        return this.#readObject();
      case OPEN_BRACKET:
        return this.#readArray();
      case LOWER_T:
        return scanner.readWord("true", true);
      case LOWER_F:
        return scanner.readWord("false", false);
      case LOWER_N:
        return scanner.readWord("null", null);
      default:
        return scanner.readNumber();
    }
  }

  #readObject(): JsonObject {
    const scanner = this.#scanner;
    this.#open(OPEN_BRACE);
    const object: JsonObject = {};
    if (scanner.takeAfterBlanks(CLOSE_BRACE)) {
      this.#depth--;
      return object;
    }
    do {
      scanner.skipBlanks();
      const keyAt = scanner.offset;
      if (scanner.peek() !== QUOTE) {
        throw scanner.syntax("expected a key in double quotes");
      }
      const key = scanner.readString();
      if (Object.hasOwn(object, key)) {
        const what = `duplicate key ${quote(key)}`;
        throw scanner.fault("JSON_DUPLICATE_KEY", what, { key: clip(key) }, keyAt);
      }
      if (!scanner.takeAfterBlanks(COLON)) {
        throw scanner.syntax('expected ":"');
      }
      setOwn(object, key, this.#readValue());
    } while (scanner.takeAfterBlanks(COMMA));
    if (!scanner.takeAfterBlanks(CLOSE_BRACE)) {
      throw scanner.syntax('expected "," or "}"');
    }
    this.#depth--;
    return object;
  }

  #readArray(): JsonValue[] {
    const scanner = this.#scanner;
    this.#open(OPEN_BRACKET);
    const array: JsonValue[] = [];
    if (scanner.takeAfterBlanks(CLOSE_BRACKET)) {
      this.#depth--;
      return array;
    }
    do {
      array.push(this.#readValue());
    } while (scanner.takeAfterBlanks(COMMA));
    if (!scanner.takeAfterBlanks(CLOSE_BRACKET)) {
      throw scanner.syntax('expected "," or "]"');
    }
    this.#depth--;
    return array;
  }

  #open(bracket: number): void {
    if (this.#depth === MAX_DEPTH) {
      const what = `the JSON nests deeper than ${MAX_DEPTH} levels`;
      throw this.#scanner.fault("JSON_TOO_DEEP", what);
    }
    this.#depth++;
    this.#scanner.take(bracket);
  }
}
