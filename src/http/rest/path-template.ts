// The grammar of google.api.http, including its rules that `**` must come last and that a literal
// contains no wildcard:
//
//   Template  = "/" Segments [ ":" Literal ] ;
//   Segments  = Segment { "/" Segment } ;
//   Segment   = "*" | "**" | Literal | Variable ;
//   Variable  = "{" FieldPath [ "=" Segments ] "}" ;    (no variable inside a variable)
//   FieldPath = Name { "." Name } ;
//   Name      = ( letter | "_" ) { letter | digit | "_" } ;
//   Literal   = character { character } ;
//   character = letter | digit | one of -._~!$&'()+,;=@ | "%" hex hex ;

/** One segment of a template; the value of a `literal` is percent-decoded. */
export type Segment =
  | { readonly kind: "literal"; readonly value: string }
  | { readonly kind: "any" }
  | { readonly kind: "rest" };

/** A variable of a template and the segments that it matches, from `start` up to but excluding `end`. */
export interface TemplateVariable {
  /** The path of the request field, such as `["page_component_id"]`. */
  readonly fieldPath: readonly string[];
  readonly start: number;
  /** Infinity if the variable ends in `**`. */
  readonly end: number;
  /** True if it may match more than one segment: `%2F` then stays encoded. */
  readonly multiSegment: boolean;
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
      if (this.#segments.at(-1)?.kind === "rest") {
        throw this.#error(`"**" must be the last segment`);
      }
      this.#parseSegment(insideVariable);
    } while (this.#take("/"));
  }

  #parseSegment(insideVariable: boolean): void {
    if (this.#take("*")) {
      this.#segments.push({ kind: this.#take("*") ? "rest" : "any" });
    } else if (this.#peek() === "{") {
      if (insideVariable) throw this.#error("a variable must not contain another variable");
      this.#parseVariable();
    } else {
      this.#segments.push({ kind: "literal", value: this.#parseLiteral("a segment") });
    }
  }

  #parseVariable(): void {
    this.#expect("{");
    const fieldPath = this.#parseFieldPath();
    const start = this.#segments.length;
    if (this.#take("=")) {
      this.#parseSegments(true);
    } else {
      this.#segments.push({ kind: "any" });
    }
    this.#expect("}");
    const length = this.#segments.length - start;
    const openEnded = this.#segments.at(-1)?.kind === "rest";
    this.#variables.push({
      fieldPath,
      start,
      end: openEnded ? Number.POSITIVE_INFINITY : start + length,
      multiSegment: openEnded || length > 1,
    });
  }

  #parseFieldPath(): string[] {
    const path: string[] = [];
    do {
      path.push(this.#parseName());
    } while (this.#take("."));
    const name = path.join(".");
    if (this.#variables.some((variable) => variable.fieldPath.join(".") === name)) {
      throw this.#error(`the field "${name}" is bound twice`);
    }
    return path;
  }

  #parseName(): string {
    const name = this.#match(/[A-Za-z_]\w*/y);
    if (name === "") throw this.#error("expected a field name");
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
