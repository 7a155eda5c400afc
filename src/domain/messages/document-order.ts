import { type DomainError, invalidField } from "../errors.ts";
import { clip } from "./clip.ts";
import { suggestNames } from "./near-names.ts";

/** The order of a management list. */
export interface DocumentOrder {
  readonly field: string;
  readonly direction: "asc" | "desc";
}

/**
 * Parses the order `<field> asc` or `<field> desc` by the id or one of `fields`; blank is `standard`.
 * INVALID_ARGUMENT `ORDER_INVALID`, which lists the fields.
 */
export function parseDocumentOrder(
  order: string,
  fields: readonly string[],
  standard: DocumentOrder = { field: "id", direction: "asc" },
): DocumentOrder {
  if (order.trim() === "") return standard;
  const allowed = [...fields, "id"];
  const [field = "", direction, ...rest] = order.trim().split(/\s+/);
  const isForm = rest.length === 0 && (direction === "asc" || direction === "desc");
  if (isForm && allowed.includes(field)) return { field, direction };
  throw invalidOrder(order, allowed, "order");
}

/** Creates the INVALID_ARGUMENT `ORDER_INVALID` at `path`, which lists the allowed fields. */
export function invalidOrder(order: string, fields: readonly string[], path: string): DomainError {
  const [field = ""] = order.trim().split(/\s+/);
  const suggestion = fields.includes(field) ? "" : suggestNames(field, fields);
  return invalidField(
    path,
    "ORDER_INVALID",
    `'${clip(order)}' must be '<field> asc' or '<field> desc' with one of the fields ${fields.join(", ")}${suggestion}`,
  );
}
