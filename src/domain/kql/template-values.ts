import { isUnknownDateMath } from "./instant.ts";
import { KQL_LIMITS } from "./limits.ts";
import {
  type KqlLiteralPart,
  type KqlTemplateValue,
  type KqlValue,
  toPatternParts,
} from "./node.ts";
import { listPaths, type TemplateParts } from "./placeholders.ts";
import type { Scalar } from "./values.ts";

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
