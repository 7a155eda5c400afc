import { parseInstant } from "./instant.ts";
import type { KqlNode } from "./node.ts";
import { toText } from "./values.ts";

/** A field that has to equal a text. */
export interface RequiredEquality {
  readonly path: string;
  readonly value: string;
}

/**
 * Lists what every document that satisfies a filter has to equal: its conditions of the form
 * `path: value`, joined by nothing but AND. Left out are patterns, and timestamps, which equal other
 * texts too. Holds for fields that are strings.
 */
export function readEqualities(node: KqlNode): readonly RequiredEquality[] {
  if (node.type === "and") return node.items.flatMap(readEqualities);
  if (node.type !== "is" || node.name?.kind !== "exact" || node.value.kind === "pattern") return [];
  const value = toText(node.value);
  return value === undefined || parseInstant(value) ? [] : [{ path: node.name.path, value }];
}
