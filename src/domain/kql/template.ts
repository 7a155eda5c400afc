import { DomainError } from "../base/errors.ts";
import { isUnknownDateMath } from "./instant.ts";
import {
  countNodes,
  type KqlClause,
  type KqlLiteralPart,
  type KqlNode,
  type KqlTemplateValue,
  type KqlValue,
  listClauses,
  toPatternParts,
} from "./node.ts";
import { parseKql, parseKqlTemplate } from "./parser.ts";
import { printValue } from "./print.ts";
import { KQL_LIMITS } from "./syntax-error.ts";
import type { Scalar } from "./values.ts";

/** A clause of a template whose value has placeholders. */
type TemplateClause = Extract<KqlClause, { type: "is" | "range" }> & {
  readonly value: KqlTemplateValue;
};

/** Lists the clauses with placeholders in text order. */
function listTemplateClauses(node: KqlNode): readonly TemplateClause[] {
  return listClauses(node).filter(
    (it): it is TemplateClause =>
      (it.type === "is" || it.type === "range") && it.value.kind === "template",
  );
}

/** Lists the distinct paths of a value's placeholders in text order. */
function listPaths(value: KqlTemplateValue): readonly string[] {
  const paths = value.parts.flatMap((part) => (part.kind === "placeholder" ? [part.path] : []));
  return [...new Set(paths)];
}

/** Lists the distinct paths of a filter's placeholders in text order. */
export function listPlaceholders(node: KqlNode): readonly string[] {
  return [...new Set(listTemplateClauses(node).flatMap(({ value }) => listPaths(value)))];
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
 * The reason why a placeholder has no value:
 * - it is unset, null, an object (also inside an array), or an array without values,
 * - it has more values than a filter may have,
 * - its text cannot be a bound, such as `now-1y`.
 */
export type PlaceholderError =
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
  readonly reason: PlaceholderError;
}

/** The values of every placeholder of a template, at least one each. */
type TemplateValues = ReadonlyMap<string, readonly Scalar[]>;

/** Returns the value of a placeholder by its full path, such as `event.fields.season.id`. */
export type PlaceholderLookup = (path: string) => unknown;

function isUnknownBound(value: KqlValue): boolean {
  return value.kind === "text" && isUnknownDateMath(value.text);
}

/** Fills the placeholders of one literal; several arrays yield every combination, the last one first. */
function fillTemplateValue(value: KqlTemplateValue, values: TemplateValues): readonly KqlValue[] {
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

/** Returns the average length of the values that fill a part, at least 1: an empty text takes time to fill in, too. */
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

function toScalars(value: unknown): readonly Scalar[] | PlaceholderError {
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
export type KqlTextSubstitution =
  | { readonly kind: "substituted"; readonly text: string; readonly node: KqlNode }
  | FailedPlaceholder;

/** A text with placeholders, parsed once and filled many times. */
export class KqlTemplate {
  readonly #text: string;
  readonly #node: KqlNode;
  /** The clauses with placeholders in text order. */
  readonly #clauses: readonly TemplateClause[];
  /** The distinct paths of the placeholders in text order. */
  readonly #placeholders: readonly string[];
  /** The number of nodes of the template. */
  readonly #nodes: number;

  /** Throws `KQL_SYNTAX` or `KQL_LIMIT` for a malformed template. */
  constructor(text: string) {
    this.#text = text;
    this.#node = parseKqlTemplate(text);
    this.#clauses = listTemplateClauses(this.#node);
    this.#placeholders = listPlaceholders(this.#node);
    this.#nodes = countNodes(this.#node);
  }

  /** True if the template has placeholders. */
  get hasPlaceholders(): boolean {
    return this.#clauses.length > 0;
  }

  /**
   * Fills the placeholders and leaves the rest as typed (contract: kql 6.1 to 6.5). A value is never parsed as
   * syntax, an array becomes an `or` of its elements, and a range repeats its comparison. `lookup` gets the full
   * path; implement it with `readOwnPath`. Above the limits it fails as `TOO_LARGE`.
   */
  fill(lookup: PlaceholderLookup): KqlTextSubstitution {
    const text = this.#text;
    const [first] = this.#clauses;
    if (first === undefined) return { kind: "substituted", text, node: this.#node };
    const resolved = this.#resolve(lookup);
    if (resolved.kind === "failed") return resolved;
    let filled = "";
    let from = 0;
    for (const clause of this.#clauses) {
      const { span } = clause.value;
      const start = clause.type === "range" ? clause.span.start : span.start;
      filled += text.slice(from, start) + fillClauseText(text, clause, resolved.values);
      from = span.end;
    }
    filled += text.slice(from);
    const node = parseWithinLimits(filled);
    if (node !== undefined) return { kind: "substituted", text: filled, node };
    return { kind: "failed", placeholder: listPaths(first.value)[0] ?? "", reason: "TOO_LARGE" };
  }

  /** Looks up every placeholder, or returns the first without a value (contract: kql 6.4 and 6.5). */
  #resolve(
    lookup: PlaceholderLookup,
  ): { readonly kind: "resolved"; readonly values: TemplateValues } | FailedPlaceholder {
    const values = new Map<string, readonly Scalar[]>();
    for (const placeholder of this.#placeholders) {
      const scalars = toScalars(lookup(placeholder));
      if (typeof scalars === "string") return { kind: "failed", placeholder, reason: scalars };
      values.set(placeholder, scalars);
    }
    let [nodes, characters] = [this.#nodes, 0];
    for (const { type, value } of this.#clauses) {
      const paths = listPaths(value);
      const count = countChoices(paths, values);
      nodes += count > 1 ? count : 0;
      for (const part of value.parts) characters += count * averageLength(part, values);
      if (nodes > KQL_LIMITS.nodes || characters > KQL_LIMITS.bytes) {
        return { kind: "failed", placeholder: paths[0] ?? "", reason: "TOO_LARGE" };
      }
      if (type === "range" && fillTemplateValue(value, values).some(isUnknownBound)) {
        return { kind: "failed", placeholder: paths[0] ?? "", reason: "MALFORMED" };
      }
    }
    return { kind: "resolved", values };
  }
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
