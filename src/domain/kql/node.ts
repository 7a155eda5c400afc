/** The position of a node in its text: UTF-16 offsets, `end` exclusive, without enclosing brackets. */
export interface KqlSpan {
  readonly start: number;
  readonly end: number;
}

/** The span of a node that no text contains. */
export const NOWHERE: KqlSpan = { start: 0, end: 0 };

/** The field of a clause: one path, or every path that matches a pattern, the texts between its stars. */
export type KqlName =
  | { readonly kind: "exact"; readonly path: string; readonly quoted: boolean }
  | { readonly kind: "pattern"; readonly parts: readonly string[] };

/** One part of a literal as written; adjacent characters form one `text`. */
export type KqlLiteralPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "star" }
  | { readonly kind: "placeholder"; readonly path: string };

/** A value with unresolved placeholders; `span` covers the literal with its quotes. */
export interface KqlTemplateValue {
  readonly kind: "template";
  readonly parts: readonly KqlLiteralPart[];
  readonly quoted: boolean;
  readonly span: KqlSpan;
}

/**
 * The value of a clause. A pattern contains the texts between its stars, so `a*` is `["a", ""]`. Only
 * `parseKqlTemplate` creates a `template`, which matches nothing until it is substituted.
 */
export type KqlValue =
  | { readonly kind: "text"; readonly text: string; readonly quoted: boolean }
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "null" }
  | { readonly kind: "pattern"; readonly parts: readonly string[] }
  | KqlTemplateValue;

/** The comparison of a range clause. */
export type KqlRangeOperator = "lt" | "lte" | "gt" | "gte";

/**
 * A parsed filter. `and` and `or` have at least two items; an `is` without a name is free text. `f: *` is
 * always `exists` and `*` always `all`.
 */
export type KqlNode =
  | { readonly type: "all"; readonly span: KqlSpan }
  | { readonly type: "and" | "or"; readonly items: readonly KqlNode[]; readonly span: KqlSpan }
  | { readonly type: "not"; readonly item: KqlNode; readonly span: KqlSpan }
  | {
      readonly type: "is";
      readonly name: KqlName | null;
      readonly value: KqlValue;
      readonly span: KqlSpan;
    }
  | { readonly type: "exists"; readonly name: KqlName; readonly span: KqlSpan }
  | {
      readonly type: "range";
      readonly name: KqlName;
      readonly operator: KqlRangeOperator;
      readonly value: KqlValue;
      readonly span: KqlSpan;
    }
  | {
      readonly type: "nested";
      readonly path: string;
      readonly item: KqlNode;
      readonly span: KqlSpan;
    };

/** Creates the clause `name: value`, which is `exists` or `all` when the value is only stars. */
export function createClause(name: KqlName | null, value: KqlValue, span: KqlSpan): KqlNode {
  if (!isOnlyStars(value)) return { type: "is", name, value, span };
  if (name === null || isOnlyStars(name)) return { type: "all", span };
  return { type: "exists", name, span };
}

/** A node without others below it. */
export type KqlClause = Extract<KqlNode, { type: "all" | "exists" | "is" | "range" }>;

/** Lists the clauses of a filter in text order, those below a `nested` too. */
export function listClauses(node: KqlNode): readonly KqlClause[] {
  switch (node.type) {
    case "and":
    case "or":
      return node.items.flatMap(listClauses);
    case "not":
    case "nested":
      return listClauses(node.item);
    default:
      return [node];
  }
}

/** Counts the nodes of a tree, including its root. */
export function countNodes(node: KqlNode): number {
  if (node.type === "and" || node.type === "or") {
    return node.items.reduce((sum, item) => sum + countNodes(item), 1);
  }
  return node.type === "not" || node.type === "nested" ? 1 + countNodes(node.item) : 1;
}

/** Joins the parts of a literal without placeholders into the texts between its stars. */
export function toPatternParts(parts: readonly KqlLiteralPart[]): [string, ...string[]] {
  const texts: [string, ...string[]] = [""];
  for (const part of parts) {
    if (part.kind === "star") texts.push("");
    else if (part.kind === "text") texts[texts.length - 1] += part.text;
  }
  return texts;
}

function isOnlyStars(literal: KqlName | KqlValue): boolean {
  return literal.kind === "pattern" && literal.parts.every((part) => part === "");
}
