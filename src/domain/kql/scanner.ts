const BLANKS = " \t\r\n\u00a0";
const SPECIALS = '\\():<>"*{}';

/** Reports whether a character is one of the five blanks of the language. */
export function isBlank(character: string): boolean {
  return character !== "" && BLANKS.includes(character);
}

/** Reports whether a character ends a bare literal unless it is escaped. */
export function isSpecial(character: string): boolean {
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
