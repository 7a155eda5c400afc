// The part of the grammar of google.api.http that the APIs use: without `**`, and with fields of the request alone.
//
//   Template  = "/" Segments [ ":" Literal ] ;
//   Segments  = Segment { "/" Segment } ;
//   Segment   = "*" | Literal | Variable ;
//   Variable  = "{" Name [ "=" Segments ] "}" ;    (no variable inside a variable)
//   Name      = ( letter | "_" ) { letter | digit | "_" } ;
//   Literal   = character { character } ;
//   character = letter | digit | one of -._~!$&'()+,;=@ | "%" hex hex ;

/** One segment of a template; the value of a `literal` is percent-decoded. */
export type Segment =
  | { readonly kind: "literal"; readonly value: string }
  | { readonly kind: "any" };

/** A variable of a template and the segments that it matches, from `start` up to but excluding `end`. */
export interface TemplateVariable {
  /** The name of the request field, such as `page_component_id`. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** A parsed path template. */
export interface PathTemplate {
  /** The original text, for logs and metrics. */
  readonly text: string;
  readonly segments: readonly Segment[];
  readonly variables: readonly TemplateVariable[];
  /** The text after the colon, percent-decoded; empty if there is none. */
  readonly verb: string;
}

/** Parses a path template of google.api.http. Throws an Error with the offset of the invalid character. */
export function parsePathTemplate(text: string): PathTemplate {
  return new TemplateParser(text).parse();
}

class TemplateParser {
  readonly #text: string;
  readonly #segments: Segment[] = [];
  readonly #variables: TemplateVariable[] = [];
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): PathTemplate {
    this.#expect("/");
    this.#parseSegments(false);
    const verb = this.#take(":") ? this.#parseLiteral("a verb") : "";
    if (this.#position < this.#text.length) {
      throw this.#error(`unexpected "${this.#peek()}"`);
    }
    return { text: this.#text, segments: this.#segments, variables: this.#variables, verb };
  }

  #parseSegments(insideVariable: boolean): void {
    do {
      this.#parseSegment(insideVariable);
    } while (this.#take("/"));
  }

  #parseSegment(insideVariable: boolean): void {
    if (this.#take("*")) {
      this.#segments.push({ kind: "any" });
    } else if (this.#peek() === "{") {
      if (insideVariable) throw this.#error("a variable must not contain another variable");
      this.#parseVariable();
    } else {
      this.#segments.push({ kind: "literal", value: this.#parseLiteral("a segment") });
    }
  }

  #parseVariable(): void {
    this.#expect("{");
    const name = this.#parseName();
    const start = this.#segments.length;
    if (this.#take("=")) {
      this.#parseSegments(true);
    } else {
      this.#segments.push({ kind: "any" });
    }
    this.#expect("}");
    this.#variables.push({ name, start, end: this.#segments.length });
  }

  #parseName(): string {
    const name = this.#match(/[A-Za-z_]\w*/y);
    if (name === "") throw this.#error("expected a field name");
    if (this.#variables.some((variable) => variable.name === name)) {
      throw this.#error(`the field "${name}" is bound twice`);
    }
    return name;
  }

  #parseLiteral(what: string): string {
    const literal = this.#match(/[\w%\-.~!$&'()+,;=@]+/y);
    if (literal === "") throw this.#error(`expected ${what}`);
    try {
      return decodeURIComponent(literal);
    } catch {
      throw this.#error("malformed percent escape");
    }
  }

  /** Consumes the text of a sticky pattern; empty if it does not match. */
  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#position;
    const [text = ""] = pattern.exec(this.#text) ?? [];
    this.#position += text.length;
    return text;
  }

  #peek(): string {
    return this.#text.charAt(this.#position);
  }

  #take(mark: string): boolean {
    const isTaken = this.#peek() === mark;
    if (isTaken) this.#position += 1;
    return isTaken;
  }

  #expect(mark: string): void {
    if (!this.#take(mark)) {
      throw this.#error(`expected "${mark}"`);
    }
  }

  #error(what: string): Error {
    return new Error(`path template "${this.#text}", offset ${this.#position}: ${what}`);
  }
}
