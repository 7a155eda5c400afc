import { Code, DomainError } from "../domain/errors.ts";
import { LongInteger } from "./json-value.ts";

// The tokens of RFC 8259:
//
//   word   = "null" | "true" | "false" ;
//   number = [ "-" ] ( "0" | digit19 { digit } ) [ "." digit { digit } ]
//            [ ( "e" | "E" ) [ "+" | "-" ] digit { digit } ] ;
//   string = quote { any UTF-16 unit from U+0020 on but quote and "\" | escape } quote ;
//   escape = "\" ( quote | "\" | "/" | "b" | "f" | "n" | "r" | "t" | "u" hex hex hex hex ) ;
//   ws     = { space | tab | line feed | carriage return } ;

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const UPPER_E = 0x45;
const BACKSLASH = 0x5c;
const LOWER_A = 0x61;
const LOWER_E = 0x65;
const LOWER_F = 0x66;

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

/** Scans a JSON text token by token. Faults are INVALID_ARGUMENT and name the position. */
export class JsonScanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The offset of the next UTF-16 unit, from 0. */
  get offset(): number {
    return this.#at;
  }

  /** Returns the next UTF-16 unit, NaN at the end. */
  peek(): number {
    return this.#text.charCodeAt(this.#at);
  }

  isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** Consumes the next unit if it is the given one. */
  take(unit: number): boolean {
    const taken = this.peek() === unit;
    if (taken) this.#at++;
    return taken;
  }

  takeAfterBlanks(unit: number): boolean {
    this.skipBlanks();
    return this.take(unit);
  }

  skipBlanks(): void {
    for (;;) {
      const unit = this.peek();
      if (unit !== SPACE && unit !== LINE_FEED && unit !== CARRIAGE_RETURN && unit !== TAB) {
        return;
      }
      this.#at++;
    }
  }

  /** Consumes a word and returns the value that it stands for. */
  readWord<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) {
      throw this.syntax("expected a value");
    }
    this.#at += word.length;
    return value;
  }

  /** Consumes a string, whose opening quote is next, and returns its decoded text. */
  readString(): string {
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
        throw this.syntax(
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
          throw this.syntax("expected four hexadecimal digits");
        }
        unit = unit * 16 + digit;
      }
      this.#at += 6;
      return String.fromCharCode(unit);
    }
    const character = Object.hasOwn(ESCAPES, mark) ? ESCAPES[mark] : undefined;
    if (character === undefined) {
      throw this.syntax("unknown escape in a string");
    }
    this.#at += 2;
    return character;
  }

  /** Consumes a number; an integer beyond 2^53 - 1 keeps its digits. */
  readNumber(): number | LongInteger {
    const start = this.#at;
    let integer = true;
    this.take(MINUS);
    if (!this.take(ZERO)) {
      this.#readDigits(start === this.#at ? "expected a value" : "expected a digit");
    }
    if (this.take(POINT)) {
      integer = false;
      this.#readDigits("expected a digit");
    }
    if (this.take(LOWER_E) || this.take(UPPER_E)) {
      integer = false;
      if (!this.take(PLUS)) this.take(MINUS);
      this.#readDigits("expected a digit");
    }
    const text = this.#text.slice(start, this.#at);
    const value = Number(text);
    return integer && !Number.isSafeInteger(value) ? new LongInteger(text) : value;
  }

  #readDigits(expected: string): void {
    const start = this.#at;
    while (isDigit(this.peek())) {
      this.#at++;
    }
    if (this.#at === start) throw this.syntax(expected);
  }

  /** Creates the JSON_SYNTAX fault at the current position. */
  syntax(what: string): DomainError {
    return this.fault("JSON_SYNTAX", what);
  }

  /** Creates a fault at a position, the current one by default: line and column from 1, offset from 0. */
  fault(
    reason: string,
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
