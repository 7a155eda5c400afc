import {
  type KqlLiteralPart,
  type KqlName,
  type KqlSpan,
  type KqlValue,
  toPatternParts,
} from "./node.ts";
import { syntaxError } from "./syntax-error.ts";

const BLANKS = " \t\r\n\u00a0";
const SPECIALS = '\\():<>"*{}';

/** Reports whether a character is one of the five blanks of the language. */
export function isBlank(character: string): boolean {
  return character !== "" && BLANKS.includes(character);
}

/** Reports whether a character ends a bare literal unless it is escaped. */
function isSpecial(character: string): boolean {
  return character !== "" && SPECIALS.includes(character);
}

/** Removes the blanks of the language, and no others, from both ends. */
export function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (isBlank(text.charAt(start))) start += 1;
  while (end > start && isBlank(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/**
 * Scans a filter by UTF-16 units. It knows blanks, keywords and placeholders; the parser knows the
 * grammar. `steps` counts the characters read, which tests check to be linear.
 */
export class Scanner {
  readonly text: string;
  readonly template: boolean;
  offset = 0;
  steps = 0;

  constructor(text: string, options: { readonly template: boolean }) {
    this.text = text;
    this.template = options.template;
  }

  /** Returns the unit `ahead` of the offset, or `""` past the end. */
  peek(ahead = 0): string {
    this.steps += 1;
    return this.text.charAt(this.offset + ahead);
  }

  skipBlanks(): void {
    while (isBlank(this.peek())) this.offset += 1;
  }

  /** Reports whether `word` follows `ahead` of the offset, in any letter case. */
  hasWord(word: string, ahead = 0): boolean {
    for (let index = 0; index < word.length; index += 1) {
      if (this.peek(ahead + index).toLowerCase() !== word.charAt(index)) return false;
    }
    return true;
  }

  /** Reports whether `word` and a blank follow `ahead` of the offset. */
  hasKeyword(word: string, ahead = 0): boolean {
    return this.hasWord(word, ahead) && isBlank(this.peek(ahead + word.length));
  }

  /** Consumes blanks, the keyword and blanks; returns false without moving unless all follow. */
  takeOperator(word: "and" | "or"): boolean {
    const start = this.offset;
    this.skipBlanks();
    if (this.offset === start || !this.hasKeyword(word)) {
      this.offset = start;
      return false;
    }
    this.offset += word.length;
    this.skipBlanks();
    return true;
  }

  /** Consumes `not` and its blanks; returns false without moving unless they follow. */
  takeNot(): boolean {
    if (!this.hasKeyword("not")) return false;
    this.offset += "not".length;
    this.skipBlanks();
    return true;
  }

  /** Returns the path of the well-formed placeholder at the offset, without moving. */
  peekPlaceholder(): string | undefined {
    if (!this.template || this.peek() !== "{") return undefined;
    let length = 0;
    let afterName = false;
    for (;;) {
      const character = this.peek(1 + length);
      if (character === "}" && afterName) {
        return this.text.slice(this.offset + 1, this.offset + 1 + length);
      }
      const isDot: boolean = character === "." && afterName;
      if (!isDot && !isNameCharacter(character)) return undefined;
      afterName = !isDot;
      length += 1;
    }
  }

  /**
   * Reports whether the brace at the offset opens a malformed placeholder rather than a group: it closes,
   * with no blank after it and no special character inside. `f:{a b}` is a malformed placeholder,
   * `f:{ a b }` a group.
   */
  isBrokenPlaceholder(): boolean {
    if (!this.template || isBlank(this.peek(1)) || this.peekPlaceholder() !== undefined) {
      return false;
    }
    let ahead = 1;
    while (this.peek(ahead) !== "" && !isSpecial(this.peek(ahead))) ahead += 1;
    return this.peek(ahead) === "}";
  }
}

function isNameCharacter(character: string): boolean {
  return /^[A-Za-z0-9_-]$/.test(character);
}

/** A scanned literal, before its position decides whether it is a name or a value. */
export interface Literal {
  readonly parts: readonly KqlLiteralPart[];
  readonly quoted: boolean;
  readonly span: KqlSpan;
}

const CONTROLS: Readonly<Record<string, string>> = { t: "\t", r: "\r", n: "\n" };
const KEYWORDS = ["and", "or", "not"];

/**
 * Scans the literal at the current offset. Returns undefined without moving if there is none; an
 * unterminated quote starts none.
 */
export function scanLiteral(scanner: Scanner): Literal | undefined {
  return scanner.peek() === '"' ? scanQuoted(scanner) : scanBare(scanner);
}

/** Converts a literal to a field name; undefined for one with a placeholder (contract: kql 6.3). */
export function toName(literal: Literal): KqlName | undefined {
  if (hasPart(literal, "placeholder")) return undefined;
  const parts = toPatternParts(literal.parts);
  if (parts.length > 1) return { kind: "pattern", parts };
  return { kind: "exact", path: parts[0], quoted: literal.quoted };
}

/** Converts a literal to a value; only unquoted `null`, `true` and `false` are typed. */
export function toValue(literal: Literal): KqlValue {
  const { quoted, span } = literal;
  if (hasPart(literal, "placeholder")) {
    return { kind: "template", parts: literal.parts, quoted, span };
  }
  const parts = toPatternParts(literal.parts);
  if (parts.length > 1) return { kind: "pattern", parts };
  const [text] = parts;
  if (!quoted && text === "null") return { kind: "null" };
  if (!quoted && (text === "true" || text === "false")) {
    return { kind: "bool", value: text === "true" };
  }
  return { kind: "text", text, quoted };
}

function hasPart(literal: Literal, kind: KqlLiteralPart["kind"]): boolean {
  return literal.parts.some((part) => part.kind === kind);
}

function scanQuoted(scanner: Scanner): Literal | undefined {
  const start = scanner.offset;
  const parts = new LiteralParts();
  scanner.offset += 1;
  for (;;) {
    const character = scanner.peek();
    if (character === "") {
      scanner.offset = start;
      return undefined;
    }
    if (character === '"') break;
    if (character === "{" && scanner.template) {
      const path = scanner.peekPlaceholder();
      if (path === undefined) throw syntaxError(scanner.text, scanner.offset, ["placeholder"]);
      parts.push({ kind: "placeholder", path });
      scanner.offset += path.length + 2;
      continue;
    }
    const escaped = character === "\\" ? readQuotedEscape(scanner) : undefined;
    parts.add(escaped?.text ?? character);
    scanner.offset += escaped?.length ?? 1;
  }
  scanner.offset += 1;
  return { parts: parts.finish(), quoted: true, span: { start, end: scanner.offset } };
}

function scanBare(scanner: Scanner): Literal | undefined {
  const start = scanner.offset;
  const parts = new LiteralParts();
  let end = start;
  let blanks = "";
  for (;;) {
    const character = scanner.peek();
    if (isBlank(character)) {
      if (scanner.hasKeyword("or", 1) || scanner.hasKeyword("and", 1)) break;
      blanks += character;
      scanner.offset += 1;
      continue;
    }
    const isWordStart = end === start || blanks !== "";
    if (isWordStart && scanner.hasKeyword("not")) break;
    const piece = readBarePiece(scanner, character);
    if (piece === undefined) break;
    parts.add(blanks);
    blanks = "";
    parts.push(piece.part);
    scanner.offset += piece.length;
    end = scanner.offset;
  }
  return end === start ? undefined : { parts: parts.finish(), quoted: false, span: { start, end } };
}

function readBarePiece(
  scanner: Scanner,
  character: string,
): { readonly part: KqlLiteralPart; readonly length: number } | undefined {
  if (character === "") return undefined;
  if (character === "*") return { part: { kind: "star" }, length: 1 };
  if (character === "{") {
    const path = scanner.peekPlaceholder();
    return path === undefined
      ? undefined
      : { part: { kind: "placeholder", path }, length: path.length + 2 };
  }
  if (character === "\\") {
    const escaped = readBareEscape(scanner);
    return escaped && { part: { kind: "text", text: escaped.text }, length: escaped.length };
  }
  return isSpecial(character) ? undefined : { part: { kind: "text", text: character }, length: 1 };
}

interface Escape {
  readonly text: string;
  readonly length: number;
}

function readQuotedEscape(scanner: Scanner): Escape | undefined {
  const next = scanner.peek(1);
  if (next === "\\" || next === '"') return { text: next, length: 2 };
  return readSharedEscape(scanner);
}

/**
 * Reads an escape; keywords come first: `\not` is the word, not a line break before `ot` (contract: kql 2).
 */
function readBareEscape(scanner: Scanner): Escape | undefined {
  for (const word of KEYWORDS) {
    if (scanner.hasWord(word, 1)) {
      const start = scanner.offset + 1;
      return { text: scanner.text.slice(start, start + word.length), length: word.length + 1 };
    }
  }
  const next = scanner.peek(1);
  return isSpecial(next) ? { text: next, length: 2 } : readSharedEscape(scanner);
}

function readSharedEscape(scanner: Scanner): Escape | undefined {
  const next = scanner.peek(1);
  const control = CONTROLS[next];
  if (control !== undefined) return { text: control, length: 2 };
  const digits = scanner.text.slice(scanner.offset + 2, scanner.offset + 6);
  if (next !== "u" || !/^[0-9A-Fa-f]{4}$/.test(digits)) return undefined;
  return { text: String.fromCharCode(Number.parseInt(digits, 16)), length: 6 };
}

/** Collects parts and merges adjacent texts. */
class LiteralParts {
  readonly #parts: KqlLiteralPart[] = [];
  #text = "";

  add(text: string): void {
    this.#text += text;
  }

  push(part: KqlLiteralPart): void {
    if (part.kind === "text") {
      this.add(part.text);
      return;
    }
    this.#flush();
    this.#parts.push(part);
  }

  finish(): readonly KqlLiteralPart[] {
    this.#flush();
    return this.#parts;
  }

  #flush(): void {
    if (this.#text === "") return;
    this.#parts.push({ kind: "text", text: this.#text });
    this.#text = "";
  }
}
