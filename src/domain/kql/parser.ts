import { isUnknownDateMath } from "./instant.ts";
import {
  createClause,
  type KqlName,
  type KqlNode,
  type KqlRangeOperator,
  type KqlValue,
} from "./node.ts";
import { type Literal, Scanner, scanLiteral, toName, toValue } from "./scanner.ts";
import { KQL_LIMITS, limitError, syntaxError } from "./syntax-error.ts";

/*
 * query   = ws*, [ or ], ws*, END ;
 * or      = and, { OR, and } ;
 * and     = not, { AND, not } ;
 * not     = [ NOT ], atom ;
 * atom    = "(", ws*, or, ws*, ")" | clause ;
 * clause  = name, ws*, ":", ws*, "{", ws*, or, ws*, "}"          (* a name without stars *)
 *         | name, ws*, ( "<=" | ">=" | "<" | ">" ), ws*, literal
 *         | name, ws*, ":", ws*, values
 *         | literal ;
 * values  = "(", ws*, v_or, ws*, ")" | literal ;
 * v_or    = v_and, { OR, v_and } ;
 * v_and   = v_not, { AND, v_not } ;
 * v_not   = [ NOT ], values ;
 * name    = literal ;                                (* without placeholders *)
 * literal = quoted | bare ;
 * quoted  = '"', { control | "\\" | '\"' | placeholder | char - '"' }, '"' ;
 * bare    = bchar, { bchar } ;                       (* outer blanks do not count *)
 * bchar   = control | "\", special | "\", ( "and" | "or" | "not" ) | "*" | placeholder
 *         | char - special ;                         (* that starts no keyword *)
 * control = "\t" | "\r" | "\n" | "\u", 4 * hex ;
 * special = "\" | "(" | ")" | ":" | "<" | ">" | '"' | "*" | "{" | "}" ;
 * OR      = ws+, "or", ws+ ;  AND = ws+, "and", ws+ ;  NOT = "not", ws+ ;    (* any letter case *)
 * ws      = space | tab | CR | LF | U+00A0 ;
 *
 * In templates only:
 * placeholder = "{", ident, { ".", ident }, "}" ;  ident = alnum, { alnum } ;
 * alnum       = "A".."Z" | "a".."z" | "0".."9" | "_" | "-" ;
 */

/**
 * Parses a filter; blank text matches everything. INVALID_ARGUMENT `KQL_SYNTAX`, or `KQL_LIMIT` above one
 * of {@link KQL_LIMITS}.
 */
export function parseKql(text: string): KqlNode {
  return parseScanned(new Scanner(text, { template: false }));
}

/** Parses a filter whose values may have placeholders such as `{q}`; throws like {@link parseKql}. */
export function parseKqlTemplate(text: string): KqlNode {
  return parseScanned(new Scanner(text, { template: true }));
}

/**
 * Parses a filter that was checked when it was stored. A bound that only looks like date math, which earlier releases
 * accepted, stays a text.
 */
export function parseStoredKql(text: string): KqlNode {
  return parseScanned(new Scanner(text, { template: false }), { isStored: true });
}

/** Parses the text of a scanner; for callers that inspect the scanner afterwards. */
export function parseScanned(scanner: Scanner, { isStored = false } = {}): KqlNode {
  checkKqlSize(scanner.text);
  return new Parser(scanner, isStored).parseQuery();
}

/** Checks the size of a filter in bytes. INVALID_ARGUMENT `KQL_LIMIT`. */
export function checkKqlSize(text: string): void {
  // A UTF-16 unit takes one to three bytes.
  if (text.length * 3 <= KQL_LIMITS.bytes) return;
  if (text.length > KQL_LIMITS.bytes || new TextEncoder().encode(text).length > KQL_LIMITS.bytes) {
    throw limitError(text, 0, "bytes");
  }
}

type Expected = readonly string[];

/** Parses an operand: a clause, or a value of one field. `also` lists what else was allowed there. */
type ParseOperand = (also: Expected) => KqlNode;

const RANGES: readonly (readonly [string, KqlRangeOperator])[] = [
  ["<=", "lte"],
  [">=", "gte"],
  ["<", "lt"],
  [">", "gt"],
];
const DATE_MATH = "a time such as now, now-2h or now+7d/d with a unit of s, m, h, d, w";
const AFTER_NAME = ['":"', '"<"', '"<="', '">"', '">="', "whitespace"];

class Parser {
  readonly #scanner: Scanner;
  readonly #isStored: boolean;
  readonly #clauses: ParseOperand = (also) => this.#parseAtom(also);
  #nodes = 0;
  #nesting = 0;
  /** End of the last token; blanks after it may already be consumed. */
  #end = 0;
  /** Offset at which an operator would have made the last free text a field name. */
  #afterFreeText = -1;

  constructor(scanner: Scanner, isStored: boolean) {
    this.#scanner = scanner;
    this.#isStored = isStored;
  }

  parseQuery(): KqlNode {
    const scanner = this.#scanner;
    scanner.skipBlanks();
    if (scanner.peek() === "") return { type: "all", span: { start: 0, end: 0 } };
    const node = this.#parseOr(this.#clauses, ["end of input", "whitespace"]);
    scanner.skipBlanks();
    if (scanner.peek() !== "") this.#failAfterOperand("end of input");
    return node;
  }

  #parseOr(operand: ParseOperand, also: Expected): KqlNode {
    return this.#parseChain("or", also, (first) => this.#parseAnd(operand, first));
  }

  #parseAnd(operand: ParseOperand, also: Expected): KqlNode {
    return this.#parseChain("and", also, (first) => this.#parseNot(operand, first));
  }

  #parseChain(type: "and" | "or", also: Expected, parseItem: ParseOperand): KqlNode {
    const start = this.#scanner.offset;
    const first = parseItem(also);
    const items = [first];
    while (this.#scanner.takeOperator(type)) items.push(parseItem([]));
    if (items.length === 1) return first;
    return this.#count({ type, items, span: { start, end: this.#end } });
  }

  #parseNot(operand: ParseOperand, also: Expected): KqlNode {
    const start = this.#scanner.offset;
    if (!this.#scanner.takeNot()) return operand(["NOT", ...also]);
    const item = operand([]);
    return this.#count({ type: "not", item, span: { start, end: this.#end } });
  }

  #parseAtom(also: Expected): KqlNode {
    if (this.#scanner.peek() === "(") {
      return this.#parseEnclosed(")", () => this.#parseOr(this.#clauses, ["whitespace"]));
    }
    return this.#parseClause(this.#takeLiteral(['"("', "field name", "value", ...also]));
  }

  #parseClause(literal: Literal): KqlNode {
    const scanner = this.#scanner;
    const { start } = literal.span;
    const name = toName(literal);
    if (name !== undefined) {
      const after = scanner.offset;
      scanner.skipBlanks();
      if (scanner.peek() === ":") {
        scanner.offset += 1;
        scanner.skipBlanks();
        return this.#parseField(name, start);
      }
      const range = RANGES.find(([sign]) => scanner.hasWord(sign));
      if (range !== undefined) {
        scanner.offset += range[0].length;
        scanner.skipBlanks();
        const value = this.#parseBound();
        const span = { start, end: this.#end };
        return this.#count({ type: "range", name, operator: range[1], value, span });
      }
      this.#afterFreeText = scanner.offset;
      scanner.offset = after;
    }
    return this.#count(createClause(null, toValue(literal), literal.span));
  }

  #parseBound(): KqlValue {
    const literal = this.#takeLiteral(["literal", "whitespace"]);
    const value = toValue(literal);
    if (value.kind === "text" && !this.#isStored && isUnknownDateMath(value.text)) {
      throw syntaxError(this.#scanner.text, literal.span.start, [DATE_MATH]);
    }
    return value;
  }

  #parseField(name: KqlName, start: number): KqlNode {
    const scanner = this.#scanner;
    const isGroup = scanner.peek() === "{" && scanner.peekPlaceholder() === undefined;
    if (!isGroup || name.kind === "pattern") {
      const group = name.kind === "pattern" ? [] : ['"{"'];
      return this.#parseValues(name, start, [...group, "whitespace"]);
    }
    if (scanner.isBrokenPlaceholder()) this.#fail(['"("', "value", "whitespace"]);
    const item = this.#parseEnclosed("}", () => this.#parseOr(this.#clauses, ["whitespace"]));
    return this.#count({ type: "nested", path: name.path, item, span: { start, end: this.#end } });
  }

  #parseValues(name: KqlName, start: number, also: Expected): KqlNode {
    if (this.#scanner.peek() === "(") {
      const inList: ParseOperand = (more) => this.#parseValues(name, this.#scanner.offset, more);
      return this.#parseEnclosed(")", () => this.#parseOr(inList, ["whitespace"]));
    }
    const literal = this.#takeLiteral(['"("', "value", ...also]);
    return this.#count(createClause(name, toValue(literal), { start, end: this.#end }));
  }

  #parseEnclosed(close: ")" | "}", parseInside: () => KqlNode): KqlNode {
    const scanner = this.#scanner;
    if (this.#nesting === KQL_LIMITS.nesting) {
      throw limitError(scanner.text, scanner.offset, "nesting");
    }
    this.#nesting += 1;
    scanner.offset += 1;
    scanner.skipBlanks();
    const node = parseInside();
    scanner.skipBlanks();
    if (scanner.peek() !== close) this.#failAfterOperand(`"${close}"`);
    scanner.offset += 1;
    this.#end = scanner.offset;
    this.#nesting -= 1;
    return node;
  }

  #takeLiteral(expected: Expected): Literal {
    const literal = scanLiteral(this.#scanner) ?? this.#fail(expected);
    this.#end = literal.span.end;
    return literal;
  }

  #count(node: KqlNode): KqlNode {
    this.#nodes += 1;
    if (this.#nodes > KQL_LIMITS.nodes) {
      throw limitError(this.#scanner.text, node.span.start, "nodes");
    }
    return node;
  }

  #failAfterOperand(closer: string): never {
    const operators = this.#afterFreeText === this.#scanner.offset ? AFTER_NAME : [];
    this.#fail([closer, "AND", "OR", ...operators]);
  }

  #fail(expected: Expected): never {
    const { text, offset, template } = this.#scanner;
    const isBrace = template && this.#scanner.peek() === "{";
    throw syntaxError(text, offset, isBrace ? [...expected, "placeholder"] : expected);
  }
}
