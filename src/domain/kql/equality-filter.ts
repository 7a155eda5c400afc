import { Code, DomainError } from "../base/errors.ts";
import { clip } from "../base/text.ts";
import { parseInstant } from "./instant.ts";
import type { KqlNode } from "./node.ts";
import { toText } from "./values.ts";

/**
 * Reads a filter that supports only match-all, `field: "text"` and AND (contract: kql 7). Returns the distinct wanted
 * values: none means everything; two match nothing, because a record has one. INVALID_ARGUMENT `FILTER_NOT_SUPPORTED`
 * names any other construct and its `column`, counted from 1 in UTF-16 units.
 */
export function readEqualityFilter(node: KqlNode, field: string): string[] {
  return [...new Set(listValues(node, field))];
}

function listValues(node: KqlNode, field: string): readonly string[] {
  if (node.type === "all") return [];
  if (node.type === "and") return node.items.flatMap((item) => listValues(item, field));
  const isField = node.type === "is" && node.name?.kind === "exact" && node.name.path === field;
  if (isField && node.value.kind === "text") return [node.value.text];
  throw notSupported(node, describe(node, field), field);
}

function notSupported(node: KqlNode, construct: string, field: string): DomainError {
  const offset = node.span.start;
  const column = offset + 1;
  return new DomainError(
    Code.INVALID_ARGUMENT,
    "FILTER_NOT_SUPPORTED",
    `column ${column}: ${construct} is not supported here; use only ${field}: "…" joined by AND`,
    { metadata: { construct, offset: String(offset), column: String(column) } },
  );
}

function describe(node: KqlNode, field: string): string {
  switch (node.type) {
    case "all":
    case "and":
    case "or":
      return node.type.toUpperCase();
    case "not":
      return "NOT";
    case "exists":
      return "an existence test";
    case "range":
      return "a range";
    case "nested":
      return "a nested group";
    case "is":
      if (node.name === null) return "free text";
      if (node.name.kind === "pattern") return "a wildcard in a field name";
      if (node.name.path !== field) return `the field ${JSON.stringify(clip(node.name.path))}`;
      return describeValue(node.value.kind);
    default:
      return node satisfies never;
  }
}

function describeValue(kind: Extract<KqlNode, { type: "is" }>["value"]["kind"]): string {
  switch (kind) {
    case "pattern":
      return "a wildcard";
    case "bool":
    case "null":
      return `a bare ${kind === "bool" ? "true or false" : "null"}`;
    case "template":
      return "a placeholder";
    case "text":
      return "a text";
    default:
      return kind satisfies never;
  }
}

/** A field and the text that it must equal. */
export interface RequiredEquality {
  readonly path: string;
  readonly value: string;
}

/**
 * Lists the equalities that every matching document satisfies: conditions of the form `path: value` joined only by
 * AND. Patterns are omitted, and so are timestamps, which equal other texts too. Valid for string fields.
 */
export function readEqualities(node: KqlNode): readonly RequiredEquality[] {
  if (node.type === "and") return node.items.flatMap(readEqualities);
  if (node.type !== "is" || node.name?.kind !== "exact" || node.value.kind === "pattern") return [];
  const value = toText(node.value);
  return value === undefined || parseInstant(value) ? [] : [{ path: node.name.path, value }];
}

/**
 * Returns the texts of which every matching document has one at a path; undefined if it may have any other text, or
 * none. Texts that are timestamps count as any, because they equal other texts. Valid for string fields.
 */
export function findRequiredTexts(node: KqlNode, path: string): ReadonlySet<string> | undefined {
  switch (node.type) {
    case "and": {
      const sets = node.items.flatMap((item) => findRequiredTexts(item, path) ?? []);
      const [smallest] = sets.sort((a, b) => a.size - b.size);
      return smallest;
    }
    case "or": {
      const texts = new Set<string>();
      for (const item of node.items) {
        const required = findRequiredTexts(item, path);
        if (required === undefined) return undefined;
        for (const text of required) texts.add(text);
      }
      return texts;
    }
    default: {
      const [equality] = readEqualities(node);
      return equality?.path === path ? new Set([equality.value]) : undefined;
    }
  }
}
