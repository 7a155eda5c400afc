import { Code, DomainError } from "../errors.ts";
import type { KqlNode } from "./node.ts";

/**
 * Reads a filter of the transaction list (SPEC List transactions): match-all, `field: "text"`, and
 * AND of those. Answers the wanted values, each once: none means everything, and a record has only
 * one, so two match nothing. Throws INVALID_ARGUMENT `FILTER_NOT_SUPPORTED` that names any other
 * construct; its `column` counts from 1 in UTF-16 units from the start of the filter.
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
    `Column ${column}: ${construct} is not supported here; only ${field}: "…", joined by AND, is.`,
    { metadata: { construct, field, offset: String(offset), column: String(column) } },
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
      return "the test for existence";
    case "range":
      return "a range";
    case "nested":
      return "a nested group";
    case "is":
      if (node.name === null) return "free text";
      if (node.name.kind === "pattern") return "a wildcard in a field name";
      if (node.name.path !== field) return `the field ${JSON.stringify(node.name.path)}`;
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
