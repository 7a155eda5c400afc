const BLANKS = " \t\r\n\u00a0";
const SPECIALS = '\\():<>"*{}';

/** Tells whether `character` is one of the five blanks of the language. */
export function isBlank(character: string): boolean {
  return character !== "" && BLANKS.includes(character);
}

/** Tells whether `character` ends a bare literal unless it is escaped. */
export function isSpecial(character: string): boolean {
  return character !== "" && SPECIALS.includes(character);
}

/** Cuts the blanks of the language, and no others, off both ends. */
export function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (isBlank(text.charAt(start))) start += 1;
  while (end > start && isBlank(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/**
 * Walks a filter by UTF-16 units. It knows blanks, keywords and placeholders; what may stand where
 * is the parser's. `steps` counts the characters looked at, which the tests hold linear.
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

  /** Answers the unit `ahead` of here, or `""` past the end. */
  peek(ahead = 0): string {
    this.steps += 1;
    return this.text.charAt(this.offset + ahead);
  }

  skipBlanks(): void {
    while (isBlank(this.peek())) this.offset += 1;
  }

  /** Tells whether `word` stands `ahead` of here, in any letter case. */
  hasWord(word: string, ahead = 0): boolean {
    for (let index = 0; index < word.length; index += 1) {
      if (this.peek(ahead + index).toLowerCase() !== word.charAt(index)) return false;
    }
    return true;
  }

  /** Tells whether `word` and then a blank stand `ahead` of here. */
  hasKeyword(word: string, ahead = 0): boolean {
    return this.hasWord(word, ahead) && isBlank(this.peek(ahead + word.length));
  }

  /** Moves past blanks, the keyword and blanks; stays where it is when they are not all here. */
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

  /** Moves past `not` and its blanks; stays where it is when they are not here. */
  takeNot(): boolean {
    if (!this.hasKeyword("not")) return false;
    this.offset += "not".length;
    this.skipBlanks();
    return true;
  }

  /** Answers the path of the well-formed placeholder that starts here, without moving. */
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
   * Tells whether the brace here closes with nothing inside that could make it a group: no blank
   * behind the brace and no special character. `f:{a b}` is a misspelt placeholder, `f:{ a b }` a
   * group.
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
