import { Code, DomainError } from "../domain/errors.ts";
import { clip } from "../domain/messages/clip.ts";
import { type JsonObject, type JsonValue, LongInteger, setOwn } from "./json-value.ts";
import { quote } from "./quote.ts";

// RFC 8259, narrowed: no key twice in one object, at most 100 arrays and objects open at once, and at most
// 20,000 values in all.
//
//   text   = ws value ws ;
//   value  = "null" | "true" | "false" | number | string | array | object ;
//   array  = "[" ws [ value ws { "," ws value ws } ] "]" ;
//   object = "{" ws [ member ws { "," ws member ws } ] "}" ;
//   member = string ws ":" ws value ;
//   number = [ "-" ] ( "0" | digit19 { digit } ) [ "." digit { digit } ]
//            [ ( "e" | "E" ) [ "+" | "-" ] digit { digit } ] ;
//   string = quote { any UTF-16 unit from U+0020 on but quote and "\" | escape } quote ;
//   escape = "\" ( quote | "\" | "/" | "b" | "f" | "n" | "r" | "t" | "u" hex hex hex hex ) ;
//   ws     = { space | tab | line feed | carriage return } ;

/** How many arrays and objects may be open at once. */
export const MAX_DEPTH = 100;

/** How many values one text may hold, each array and object counted and all inside it. */
export const MAX_VALUES = 20_000;

/**
 * Reads a JSON text. Throws INVALID_ARGUMENT with the position (offset from 0 in UTF-16 units,
 * line and column from 1): JSON_SYNTAX, JSON_DUPLICATE_KEY, JSON_TOO_DEEP, JSON_TOO_LARGE.
 */
export function readJson(text: string): JsonValue {
  return new JsonReader(text).readText();
}

/** Reads a text that is one JSON number and nothing else, or gives undefined. */
export function readJsonNumber(text: string): number | LongInteger | undefined {
  const reader = new JsonReader(text);
  try {
    return reader.readNumberText();
  } catch (error) {
    if (error instanceof DomainError) {
      return undefined;
    }
    throw error;
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Decodes UTF-8 without a byte order mark, or throws BODY_NOT_UTF8. */
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

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const UPPER_E = 0x45;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const LOWER_A = 0x61;
const LOWER_E = 0x65;
const LOWER_F = 0x66;
const LOWER_N = 0x6e;
const LOWER_T = 0x74;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

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

class JsonReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;
  #values = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readText(): JsonValue {
    const value = this.#readValue();
    this.#skipBlanks();
    if (this.#at < this.#text.length) {
      throw this.#syntax("expected the end of the text");
    }
    return value;
  }

  readNumberText(): number | LongInteger {
    const value = this.#readNumber();
    if (this.#at < this.#text.length) {
      throw this.#syntax("expected the end of the number");
    }
    return value;
  }

  #readValue(): JsonValue {
    this.#skipBlanks();
    this.#values++;
    if (this.#values > MAX_VALUES) throw this.#tooLarge();
    switch (this.#text.charCodeAt(this.#at)) {
      case QUOTE:
        return this.#readString();
      case OPEN_BRACE:
        return this.#readObject();
      case OPEN_BRACKET:
        return this.#readArray();
      case LOWER_T:
        return this.#readWord("true", true);
      case LOWER_F:
        return this.#readWord("false", false);
      case LOWER_N:
        return this.#readWord("null", null);
      default:
        return this.#readNumber();
    }
  }

  #open(): void {
    if (this.#depth === MAX_DEPTH) {
      throw this.#fault("JSON_TOO_DEEP", `more than ${MAX_DEPTH} arrays and objects are open`);
    }
    this.#depth++;
    this.#at++;
  }

  #readObject(): JsonObject {
    this.#open();
    const object: JsonObject = {};
    if (this.#takeAfterBlanks(CLOSE_BRACE)) {
      this.#depth--;
      return object;
    }
    do {
      this.#skipBlanks();
      const keyAt = this.#at;
      if (this.#text.charCodeAt(keyAt) !== QUOTE) {
        throw this.#syntax("expected a key in double quotes");
      }
      const key = this.#readString();
      if (Object.hasOwn(object, key)) {
        this.#at = keyAt;
        throw this.#duplicate(key);
      }
      if (!this.#takeAfterBlanks(COLON)) {
        throw this.#syntax('expected ":"');
      }
      setOwn(object, key, this.#readValue());
    } while (this.#takeAfterBlanks(COMMA));
    if (!this.#takeAfterBlanks(CLOSE_BRACE)) {
      throw this.#syntax('expected "," or "}"');
    }
    this.#depth--;
    return object;
  }

  #readArray(): JsonValue[] {
    this.#open();
    const array: JsonValue[] = [];
    if (this.#takeAfterBlanks(CLOSE_BRACKET)) {
      this.#depth--;
      return array;
    }
    do {
      array.push(this.#readValue());
    } while (this.#takeAfterBlanks(COMMA));
    if (!this.#takeAfterBlanks(CLOSE_BRACKET)) {
      throw this.#syntax('expected "," or "]"');
    }
    this.#depth--;
    return array;
  }

  #readWord<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) {
      throw this.#syntax("expected a value");
    }
    this.#at += word.length;
    return value;
  }

  #readString(): string {
    const text = this.#text;
    let value = "";
    let from = this.#at + 1;
    for (let at = from; ; at++) {
      const unit = text.charCodeAt(at);
      if (unit === QUOTE) {
        this.#at = at + 1;
        return value + text.slice(from, at);
      }
      if (unit === BACKSLASH) {
        this.#at = at;
        value += text.slice(from, at) + this.#readEscape();
        from = this.#at;
        at = from - 1;
      } else if (!(unit >= SPACE)) {
        this.#at = at;
        throw this.#syntax(
          at < text.length ? "control character in a string" : "unterminated string",
        );
      }
    }
  }

  #readEscape(): string {
    const mark = this.#text.charAt(this.#at + 1);
    if (mark === "u") {
      let unit = 0;
      for (let i = 2; i < 6; i++) {
        const digit = hexDigit(this.#text.charCodeAt(this.#at + i));
        if (digit === undefined) {
          throw this.#syntax("expected four hexadecimal digits");
        }
        unit = unit * 16 + digit;
      }
      this.#at += 6;
      return String.fromCharCode(unit);
    }
    const character = Object.hasOwn(ESCAPES, mark) ? ESCAPES[mark] : undefined;
    if (character === undefined) {
      throw this.#syntax("unknown escape in a string");
    }
    this.#at += 2;
    return character;
  }

  #readNumber(): number | LongInteger {
    const start = this.#at;
    let integer = true;
    this.#take(MINUS);
    if (!this.#take(ZERO)) {
      this.#readDigits(start === this.#at ? "expected a value" : "expected a digit");
    }
    if (this.#take(POINT)) {
      integer = false;
      this.#readDigits("expected a digit");
    }
    if (this.#take(LOWER_E) || this.#take(UPPER_E)) {
      integer = false;
      if (!this.#take(PLUS)) this.#take(MINUS);
      this.#readDigits("expected a digit");
    }
    const text = this.#text.slice(start, this.#at);
    const value = Number(text);
    return integer && !Number.isSafeInteger(value) ? new LongInteger(text) : value;
  }

  #readDigits(expected: string): void {
    const start = this.#at;
    while (isDigit(this.#text.charCodeAt(this.#at))) {
      this.#at++;
    }
    if (this.#at === start) throw this.#syntax(expected);
  }

  #take(unit: number): boolean {
    const taken = this.#text.charCodeAt(this.#at) === unit;
    if (taken) this.#at++;
    return taken;
  }

  #takeAfterBlanks(unit: number): boolean {
    this.#skipBlanks();
    return this.#take(unit);
  }

  #skipBlanks(): void {
    for (;;) {
      const unit = this.#text.charCodeAt(this.#at);
      if (unit !== SPACE && unit !== LINE_FEED && unit !== CARRIAGE_RETURN && unit !== TAB) {
        return;
      }
      this.#at++;
    }
  }

  #tooLarge(): DomainError {
    return this.#fault("JSON_TOO_LARGE", `there are more than ${MAX_VALUES} values`);
  }

  #syntax(what: string): DomainError {
    return this.#fault("JSON_SYNTAX", what);
  }

  #duplicate(key: string): DomainError {
    return this.#fault("JSON_DUPLICATE_KEY", `the key ${quote(key)} occurs twice`, {
      key: clip(key),
    });
  }

  #fault(reason: string, what: string, extra: Record<string, string> = {}): DomainError {
    const before = this.#text.slice(0, this.#at);
    const line = before.split("\n").length;
    const column = this.#at - before.lastIndexOf("\n");
    const metadata = {
      ...extra,
      offset: String(this.#at),
      line: String(line),
      column: String(column),
    };
    const where = `line ${line}, column ${column} (offset ${this.#at})`;
    return new DomainError(Code.INVALID_ARGUMENT, reason, `${what} at ${where}`, { metadata });
  }
}

function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= NINE;
}

function hexDigit(unit: number): number | undefined {
  if (isDigit(unit)) {
    return unit - ZERO;
  }
  const letter = unit | 0x20;
  return letter >= LOWER_A && letter <= LOWER_F ? letter - LOWER_A + 10 : undefined;
}
