import { KQL_LIMITS } from "./limits.ts";
import {
  countNodes,
  type KqlNode,
  type KqlTemplateValue,
  type KqlValue,
  toPatternParts,
} from "./node.ts";
import { listPaths, listPlaceholders, listTemplateClauses } from "./placeholders.ts";
import type { Scalar } from "./values.ts";

/**
 * The reason for which a placeholder has no value: unset, null, an object (also inside an array), an array
 * without values, or more values than a filter can hold.
 */
export type PlaceholderFault = "UNSET" | "NULL" | "OBJECT" | "EMPTY_ARRAY" | "TOO_LARGE";

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
  template: KqlNode,
  lookup: PlaceholderLookup,
): { readonly kind: "resolved"; readonly values: TemplateValues } | FailedPlaceholder {
  const values = new Map<string, readonly Scalar[]>();
  for (const placeholder of listPlaceholders(template)) {
    const scalars = toScalars(lookup(placeholder));
    if (typeof scalars === "string") return { kind: "failed", placeholder, reason: scalars };
    values.set(placeholder, scalars);
  }
  let nodes = countNodes(template);
  for (const { value } of listTemplateClauses(template)) {
    const paths = listPaths(value);
    const count = paths.reduce((product, path) => product * (values.get(path)?.length ?? 1), 1);
    nodes += count > 1 ? count : 0;
    if (nodes > KQL_LIMITS.nodes) {
      return { kind: "failed", placeholder: paths[0] ?? "", reason: "TOO_LARGE" };
    }
  }
  return { kind: "resolved", values };
}

/** Fills the placeholders of one literal; several arrays yield every combination. */
export function fillTemplateValue(
  value: KqlTemplateValue,
  values: TemplateValues,
): readonly KqlValue[] {
  let choices: ReadonlyMap<string, Scalar>[] = [new Map()];
  for (const path of listPaths(value)) {
    const scalars = values.get(path) ?? [];
    choices = choices.flatMap((choice) =>
      scalars.map((scalar) => new Map([...choice, [path, scalar]])),
    );
  }
  return choices.map((choice) => fillOnce(value, choice));
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
