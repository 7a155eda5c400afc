import { Code, DomainError, type Reason } from "../domain/base/errors.ts";
import { setOwn } from "../domain/base/json.ts";
import { clip, quote } from "../domain/base/text.ts";

// RFC 8259, narrowed: no duplicate key in an object, at most 100 arrays and objects open at once, and at
// most 20,000 values in total.
//
//   text   = ws value ws ;
//   value  = word | number | string | array | object ;
//   array  = "[" ws [ value ws { "," ws value ws } ] "]" ;
//   object = "{" ws [ member ws { "," ws member ws } ] "}" ;
//   member = string ws ":" ws value ;
//   word   = "null" | "true" | "false" ;
//   number = [ "-" ] ( "0" | digit19 { digit } ) [ "." digit { digit } ]
//            [ ( "e" | "E" ) [ "+" | "-" ] digit { digit } ] ;
//   string = quote { any UTF-16 unit from U+0020 on but quote and "\" | escape } quote ;
//   escape = "\" ( quote | "\" | "/" | "b" | "f" | "n" | "r" | "t" | "u" hex hex hex hex ) ;
//   ws     = { space | tab | line feed | carriage return } ;

/** The maximum number of arrays and objects open at once. */
export const MAX_DEPTH = 100;

/** The maximum number of values in one text: each array and object counts, and so does everything in it. */
export const MAX_VALUES = 20_000;

/** A JSON value whose long integers keep their digits. */
export type JsonValue = null | boolean | number | string | LongInteger | JsonValue[] | JsonObject;

/** A JSON object; every key is an own property, `__proto__` included. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** An integer beyond ±(2^53 - 1), as written. */
export class LongInteger {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Reports whether a JSON value is an object. */
export function isObject(json: JsonValue): json is JsonObject {
  return (
    typeof json === "object" &&
    json !== null &&
    !Array.isArray(json) &&
    !(json instanceof LongInteger)
  );
}

/**
 * Reads a JSON text of at most `maxDepth` levels. Throws INVALID_ARGUMENT with the position (offset from 0 in
 * UTF-16 units, line and column from 1): JSON_SYNTAX, JSON_DUPLICATE_KEY, JSON_TOO_DEEP, JSON_TOO_LARGE.
 */
export function readJson(text: string, maxDepth = MAX_DEPTH): JsonValue {
  return new JsonReader(text, maxDepth).readText();
}

/** Reads JSON in UTF-8. Throws as `readJson` does, and BODY_NOT_UTF8, also for a byte order mark. */
export function readJsonBytes(bytes: Uint8Array): JsonValue {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    throw notUtf8("the body must not start with a byte order mark");
  }
  let text: string;
  try {
    text = UTF_8.decode(bytes);
  } catch (cause) {
    throw notUtf8("the body is not UTF-8", cause);
  }
  return readJson(text);
}

const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function notUtf8(message: string, cause?: unknown): DomainError {
  return new DomainError(Code.INVALID_ARGUMENT, "BODY_NOT_UTF8", message, { cause });
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Reads a text that consists of exactly one JSON number; undefined for any other text. */
export function readJsonNumber(text: string): number | LongInteger | undefined {
  return NUMBER.test(text) ? (readJson(text) as number | LongInteger) : undefined;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

function isBlank(unit: string): boolean {
  return unit === " " || unit === "\n" || unit === "\r" || unit === "\t";
}

class JsonReader {
  readonly #text: string;
  readonly #maxDepth: number;
  /** The offset of the next UTF-16 unit. */
  #at = 0;
  #depth = 0;
  #values = 0;

  constructor(text: string, maxDepth: number) {
    this.#text = text;
    this.#maxDepth = maxDepth;
  }

  readText(): JsonValue {
    const value = this.#readValue();
    this.#skipBlanks();
    if (this.#at < this.#text.length) throw this.#syntax("expected the end of the text");
    return value;
  }

  #readValue(): JsonValue {
    this.#skipBlanks();
    this.#values += 1;
    if (this.#values > MAX_VALUES) {
      throw this.#error("JSON_TOO_LARGE", `the JSON has more than ${MAX_VALUES} values`);
    }
    switch (this.#peek()) {
      case '"':
        return this.#readString();
      case "{":
        return this.#readObject();
      case "[":
        return this.#readArray();
      case "t":
        return this.#readWord("true", true);
      case "f":
        return this.#readWord("false", false);
      case "n":
        return this.#readWord("null", null);
      default:
        return this.#readNumber();
    }
  }

  #readObject(): JsonObject {
    this.#open();
    const object: JsonObject = {};
    if (!this.#takeAfterBlanks("}")) {
      do {
        this.#skipBlanks();
        const keyAt = this.#at;
        if (this.#peek() !== '"') throw this.#syntax("expected a key in double quotes");
        const key = this.#readString();
        if (Object.hasOwn(object, key)) {
          const what = `duplicate key ${quote(key)}`;
          throw this.#error("JSON_DUPLICATE_KEY", what, { key: clip(key) }, keyAt);
        }
        if (!this.#takeAfterBlanks(":")) throw this.#syntax('expected ":"');
        setOwn(object, key, this.#readValue());
      } while (this.#takeAfterBlanks(","));
      if (!this.#takeAfterBlanks("}")) throw this.#syntax('expected "," or "}"');
    }
    this.#depth -= 1;
    return object;
  }

  #readArray(): JsonValue[] {
    this.#open();
    const array: JsonValue[] = [];
    if (!this.#takeAfterBlanks("]")) {
      do {
        array.push(this.#readValue());
      } while (this.#takeAfterBlanks(","));
      if (!this.#takeAfterBlanks("]")) throw this.#syntax('expected "," or "]"');
    }
    this.#depth -= 1;
    return array;
  }

  #open(): void {
    if (this.#depth === this.#maxDepth) {
      throw this.#error("JSON_TOO_DEEP", `the JSON nests deeper than ${this.#maxDepth} levels`);
    }
    this.#depth += 1;
    this.#at += 1;
  }

  #readWord<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) throw this.#syntax("expected a value");
    this.#at += word.length;
    return value;
  }

  /** Consumes a string, whose opening quote is next, and returns its decoded text. */
  #readString(): string {
    const text = this.#text;
    let value = "";
    let from = this.#at + 1;
    for (let at = from; ; at += 1) {
      const character = text.charAt(at);
      if (character === '"') {
        this.#at = at + 1;
        return value + text.slice(from, at);
      }
      if (character === "\\") {
        this.#at = at;
        value += text.slice(from, at) + this.#readEscape();
        from = this.#at;
        at = from - 1;
      } else if (character < " ") {
        this.#at = at;
        const isOpen = at >= text.length;
        throw this.#syntax(isOpen ? "unterminated string" : "control character in a string");
      }
    }
  }

  #readEscape(): string {
    const mark = this.#text.charAt(this.#at + 1);
    if (mark === "u") {
      const digits = this.#text.slice(this.#at + 2, this.#at + 6);
      if (!/^[0-9A-Fa-f]{4}$/.test(digits)) throw this.#syntax("expected four hexadecimal digits");
      this.#at += 6;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const character = Object.hasOwn(ESCAPES, mark) ? ESCAPES[mark] : undefined;
    if (character === undefined) throw this.#syntax("unknown escape in a string");
    this.#at += 2;
    return character;
  }

  /** Consumes a number; an integer beyond 2^53 - 1 keeps its digits. */
  #readNumber(): number | LongInteger {
    const start = this.#at;
    let isInteger = true;
    this.#take("-");
    if (!this.#take("0")) {
      this.#readDigits(start === this.#at ? "expected a value" : "expected a digit");
    }
    if (this.#take(".")) {
      isInteger = false;
      this.#readDigits("expected a digit");
    }
    if (this.#take("e") || this.#take("E")) {
      isInteger = false;
      if (!this.#take("+")) this.#take("-");
      this.#readDigits("expected a digit");
    }
    const text = this.#text.slice(start, this.#at);
    const value = Number(text);
    return isInteger && !Number.isSafeInteger(value) ? new LongInteger(text) : value;
  }

  #readDigits(expected: string): void {
    const start = this.#at;
    while (this.#peek() >= "0" && this.#peek() <= "9") this.#at += 1;
    if (this.#at === start) throw this.#syntax(expected);
  }

  /** Returns the next UTF-16 unit; empty at the end. */
  #peek(): string {
    return this.#text.charAt(this.#at);
  }

  #take(unit: string): boolean {
    const isTaken = this.#peek() === unit;
    if (isTaken) this.#at += 1;
    return isTaken;
  }

  #takeAfterBlanks(unit: string): boolean {
    this.#skipBlanks();
    return this.#take(unit);
  }

  #skipBlanks(): void {
    for (let next = this.#peek(); isBlank(next); next = this.#peek()) this.#at += 1;
  }

  #syntax(what: string): DomainError {
    return this.#error("JSON_SYNTAX", what);
  }

  /** Creates an error at a position, the current one by default: line and column from 1, offset from 0. */
  #error(
    reason: Reason,
    what: string,
    extra: Readonly<Record<string, string>> = {},
    at: number = this.#at,
  ): DomainError {
    const before = this.#text.slice(0, at);
    const line = before.split("\n").length;
    const column = at - before.lastIndexOf("\n");
    const metadata = { ...extra, offset: String(at), line: String(line), column: String(column) };
    const where = `line ${line}, column ${column} (offset ${at})`;
    return new DomainError(Code.INVALID_ARGUMENT, reason, `${what} at ${where}`, { metadata });
  }
}
