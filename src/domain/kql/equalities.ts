import { parseInstant } from "./instant.ts";
import type { KqlNode } from "./node.ts";
import { toText } from "./values.ts";

/** A field and the text that it must equal. */
export interface RequiredEquality {
  readonly path: string;
  readonly value: string;
}

/**
 * Lists the equalities that every matching document satisfies: conditions of the form `path: value`
 * joined only by AND. Patterns are left out, and so are timestamps, which equal other texts too. Valid
 * for string fields.
 */
export function readEqualities(node: KqlNode): readonly RequiredEquality[] {
  if (node.type === "and") return node.items.flatMap(readEqualities);
  if (node.type !== "is" || node.name?.kind !== "exact" || node.value.kind === "pattern") return [];
  const value = toText(node.value);
  return value === undefined || parseInstant(value) ? [] : [{ path: node.name.path, value }];
}
