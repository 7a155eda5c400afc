import { DomainError } from "../errors.ts";
import { isUnknownDateMath } from "./instant.ts";
import {
  countNodes,
  createClause,
  type KqlLiteralPart,
  type KqlNode,
  type KqlTemplateValue,
  type KqlValue,
  toPatternParts,
} from "./node.ts";
import { parseKql, parseKqlTemplate } from "./parser.ts";
import { printValue } from "./print.ts";
import { KQL_LIMITS } from "./syntax-error.ts";
import type { Scalar } from "./values.ts";

/** A clause of a template whose value has placeholders. */
export type TemplateClause = Extract<KqlNode, { type: "is" | "range" }> & {
  readonly value: KqlTemplateValue;
};

/** Reports whether a node is a clause with placeholders. */
export function isTemplateClause(node: KqlNode): node is TemplateClause {
  return (node.type === "is" || node.type === "range") && node.value.kind === "template";
}

/** Lists the clauses with placeholders in text order. */
export function listTemplateClauses(node: KqlNode): readonly TemplateClause[] {
  if (isTemplateClause(node)) return [node];
  if (node.type === "and" || node.type === "or") return node.items.flatMap(listTemplateClauses);
  return node.type === "not" || node.type === "nested" ? listTemplateClauses(node.item) : [];
}

/** Lists the distinct paths of a value's placeholders in text order. */
export function listPaths(value: KqlTemplateValue): readonly string[] {
  const paths = value.parts.flatMap((part) => (part.kind === "placeholder" ? [part.path] : []));
  return [...new Set(paths)];
}

/** Lists the distinct paths of a template's placeholders in text order. */
export function listPlaceholders(template: KqlNode): readonly string[] {
  return [...new Set(listTemplateClauses(template).flatMap((clause) => listPaths(clause.value)))];
}

/** What is filled in a template. */
export interface TemplateParts {
  /** The clauses with placeholders in text order. */
  readonly clauses: readonly TemplateClause[];
  /** The distinct paths of their placeholders in text order. */
  readonly placeholders: readonly string[];
  /** The number of nodes of the template. */
  readonly nodes: number;
}

/** Lists what is filled in a template. */
export function listTemplateParts(template: KqlNode): TemplateParts {
  return {
    clauses: listTemplateClauses(template),
    placeholders: listPlaceholders(template),
    nodes: countNodes(template),
  };
}

/**
 * Reads a dotted path through own members only. An array on the path yields the array of its elements'
 * values, without elements that lack the member; undefined when the path does not exist.
 */
export function readOwnPath(root: unknown, path: string): unknown {
  let value = root;
  for (const key of path.split(".")) value = readOwnMember(value, key);
  return value;
}

function readOwnMember(value: unknown, key: string): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => readOwnMember(item, key)).filter((member) => member !== undefined);
  }
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[key];
}

/**
 * The reason for which a placeholder has no value: unset, null, an object (also inside an array), an array
 * without values, more values than a filter can hold, or a text that makes no bound, such as `now-1y`.
 */
export type PlaceholderFault =
  | "UNSET"
  | "NULL"
  | "OBJECT"
  | "EMPTY_ARRAY"
  | "TOO_LARGE"
  | "MALFORMED";

/** A placeholder without a value, and the reason. */
export interface FailedPlaceholder {
  readonly kind: "failed";
  readonly placeholder: string;
  readonly reason: PlaceholderFault;
}

/** The values of every placeholder of a template, at least one each. */
export type TemplateValues = ReadonlyMap<string, readonly Scalar[]>;

/** Returns the value of a placeholder by its full path, such as `event.fields.season.id`. */
export type PlaceholderLookup = (path: string) => unknown;

/**
 * Looks up every placeholder of a template, or returns the first without a value (contract: kql 6.4 and 6.5).
 */
export function resolvePlaceholders(
  { clauses, placeholders, nodes }: TemplateParts,
  lookup: PlaceholderLookup,
): { readonly kind: "resolved"; readonly values: TemplateValues } | FailedPlaceholder {
  const values = new Map<string, readonly Scalar[]>();
  for (const placeholder of placeholders) {
    const scalars = toScalars(lookup(placeholder));
    if (typeof scalars === "string") return { kind: "failed", placeholder, reason: scalars };
    values.set(placeholder, scalars);
  }
  let [filledNodes, characters] = [nodes, 0];
  for (const { type, value } of clauses) {
    const paths = listPaths(value);
    const count = countChoices(paths, values);
    filledNodes += count > 1 ? count : 0;
    for (const part of value.parts) characters += count * averageLength(part, values);
    if (filledNodes > KQL_LIMITS.nodes || characters > KQL_LIMITS.bytes) {
      return { kind: "failed", placeholder: paths[0] ?? "", reason: "TOO_LARGE" };
    }
    if (type === "range" && fillTemplateValue(value, values).some(isUnknownBound)) {
      return { kind: "failed", placeholder: paths[0] ?? "", reason: "MALFORMED" };
    }
  }
  return { kind: "resolved", values };
}

function isUnknownBound(value: KqlValue): boolean {
  return value.kind === "text" && isUnknownDateMath(value.text);
}

/** Fills the placeholders of one literal; several arrays yield every combination, the last one first. */
export function fillTemplateValue(
  value: KqlTemplateValue,
  values: TemplateValues,
): readonly KqlValue[] {
  const paths = listPaths(value);
  const count = countChoices(paths, values);
  return Array.from({ length: count }, (_, index) => {
    const choice = new Map<string, Scalar>();
    let rest = index;
    for (const path of paths.toReversed()) {
      const scalars = values.get(path) ?? [];
      choice.set(path, scalars[rest % scalars.length] ?? "");
      rest = Math.floor(rest / scalars.length);
    }
    return fillOnce(value, choice);
  });
}

/** Returns the average length of what fills a part, at least 1: an empty text takes time to fill in, too. */
function averageLength(part: KqlLiteralPart, values: TemplateValues): number {
  if (part.kind !== "placeholder") return part.kind === "text" ? part.text.length : 1;
  const lengths = (values.get(part.path) ?? []).map((it) => Math.max(1, String(it).length));
  return lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
}

function countChoices(paths: readonly string[], values: TemplateValues): number {
  return paths.reduce((product, path) => product * (values.get(path)?.length ?? 1), 1);
}

/**
 * Joins values with the texts around them; only stars written in the template are wildcards (contract: kql
 * 6.3).
 */
function fillOnce(value: KqlTemplateValue, choice: ReadonlyMap<string, Scalar>): KqlValue {
  const [only, ...others] = value.parts;
  if (!value.quoted && others.length === 0 && only?.kind === "placeholder") {
    return toWholeValue(choice.get(only.path) ?? "");
  }
  const parts = toPatternParts(
    value.parts.map((part) =>
      part.kind === "placeholder"
        ? { kind: "text", text: String(choice.get(part.path) ?? "") }
        : part,
    ),
  );
  return parts.length > 1
    ? { kind: "pattern", parts }
    : { kind: "text", text: parts[0], quoted: true };
}

function toWholeValue(scalar: Scalar): KqlValue {
  if (typeof scalar === "boolean") return { kind: "bool", value: scalar };
  return { kind: "text", text: String(scalar), quoted: typeof scalar === "string" };
}

function toScalars(value: unknown): readonly Scalar[] | PlaceholderFault {
  if (value === null) return "NULL";
  if (typeof value === "string" || typeof value === "boolean") return [value];
  if (typeof value === "number") return Number.isFinite(value) ? [value] : "UNSET";
  if (!Array.isArray(value)) return typeof value === "object" ? "OBJECT" : "UNSET";
  const scalars: Scalar[] = [];
  for (const item of value.flat(Number.POSITIVE_INFINITY)) {
    const found = toScalars(item);
    if (found === "OBJECT") return "OBJECT";
    if (typeof found !== "string") scalars.push(...found);
  }
  return scalars.length === 0 ? "EMPTY_ARRAY" : scalars;
}

/** A template with all placeholders filled, or the placeholder without a value. */
export type KqlSubstitution =
  | { readonly kind: "substituted"; readonly node: KqlNode }
  | FailedPlaceholder;

/**
 * Fills the placeholders of a template (contract: kql 6.1 to 6.5): a value is never parsed as syntax, an
 * array becomes an `or` of its elements, and a range repeats its comparison. `lookup` gets the full path;
 * implement it with `readOwnPath`. Spans remain those of the template.
 */
export function substituteKql(template: KqlNode, lookup: PlaceholderLookup): KqlSubstitution {
  const resolved = resolvePlaceholders(listTemplateParts(template), lookup);
  if (resolved.kind === "failed") return resolved;
  return { kind: "substituted", node: fillNode(template, resolved.values) };
}

function fillNode(node: KqlNode, values: TemplateValues): KqlNode {
  if (isTemplateClause(node)) return fillClause(node, values);
  switch (node.type) {
    case "and":
    case "or":
      return { ...node, items: node.items.map((item) => fillNode(item, values)) };
    case "not":
    case "nested":
      return { ...node, item: fillNode(node.item, values) };
    default:
      return node;
  }
}

function fillClause(clause: TemplateClause, values: TemplateValues): KqlNode {
  const items = fillTemplateValue(clause.value, values).map((value) => withValue(clause, value));
  const [only] = items;
  return only !== undefined && items.length === 1 ? only : { type: "or", items, span: clause.span };
}

function withValue(clause: TemplateClause, value: KqlValue): KqlNode {
  return clause.type === "range"
    ? { ...clause, value }
    : createClause(clause.name, value, clause.span);
}

/** A template with all placeholders filled, or the placeholder without a value. */
export type KqlTextSubstitution =
  | { readonly kind: "substituted"; readonly text: string; readonly node: KqlNode }
  | FailedPlaceholder;

/** A text with placeholders, parsed once and filled many times. */
export class KqlTemplate {
  readonly #text: string;
  readonly #node: KqlNode;
  readonly #parts: TemplateParts;

  /** Throws `KQL_SYNTAX` or `KQL_LIMIT` for a malformed template. */
  constructor(text: string) {
    this.#text = text;
    this.#node = parseKqlTemplate(text);
    this.#parts = listTemplateParts(this.#node);
  }

  /** True if the template has placeholders. */
  get hasPlaceholders(): boolean {
    return this.#parts.clauses.length > 0;
  }

  /**
   * Fills the placeholders and leaves the rest as typed. The result is the tree of `substituteKql`, except for
   * spans; above the limits it fails as `TOO_LARGE`.
   */
  fill(lookup: PlaceholderLookup): KqlTextSubstitution {
    const [text, { clauses }] = [this.#text, this.#parts];
    const [first] = clauses;
    if (first === undefined) return { kind: "substituted", text, node: this.#node };
    const resolved = resolvePlaceholders(this.#parts, lookup);
    if (resolved.kind === "failed") return resolved;
    let filled = "";
    let from = 0;
    for (const clause of clauses) {
      const { span } = clause.value;
      const start = clause.type === "range" ? clause.span.start : span.start;
      filled += text.slice(from, start) + fillClauseText(text, clause, resolved.values);
      from = span.end;
      if (filled.length > KQL_LIMITS.bytes) break;
    }
    filled += text.slice(from);
    const node = parseWithinLimits(filled);
    if (node !== undefined) return { kind: "substituted", text: filled, node };
    return { kind: "failed", placeholder: listPaths(first.value)[0] ?? "", reason: "TOO_LARGE" };
  }
}

/** Parses a template and fills its placeholders once; see {@link KqlTemplate}. */
export function substituteKqlText(text: string, lookup: PlaceholderLookup): KqlTextSubstitution {
  return new KqlTemplate(text).fill(lookup);
}

function fillClauseText(text: string, clause: TemplateClause, values: TemplateValues): string {
  const comparison =
    clause.type === "range" ? text.slice(clause.span.start, clause.value.span.start) : "";
  const alternatives = fillTemplateValue(clause.value, values).map(
    (value) => comparison + printValue(value),
  );
  return alternatives.length === 1 ? alternatives.join("") : `(${alternatives.join(" OR ")})`;
}

function parseWithinLimits(text: string): KqlNode | undefined {
  try {
    return parseKql(text);
  } catch (error) {
    if (error instanceof DomainError && error.reason === "KQL_LIMIT") return undefined;
    throw error;
  }
}
