import { invalidField } from "../errors.ts";

/** An order of a list in management. */
export interface DocumentOrder {
  readonly field: string;
  readonly direction: "asc" | "desc";
}

/**
 * Parses an order `<field> asc` or `<field> desc` with the id or one of the fields; empty is the standard.
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
  throw invalidField(
    "order",
    "ORDER_INVALID",
    `it is '<field> asc' or '<field> desc' with a field of ${allowed.join(", ")}`,
  );
}
