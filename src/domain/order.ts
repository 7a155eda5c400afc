import { invalidField } from "./errors.ts";

/** The kinds of content that lists order. */
export type OrderedKind = "event" | "creative_work" | "entity";

const COMMON = ["create_time", "update_time", "id"];

/** The fields that a kind's lists can be ordered by; beside them `title.<language>`. */
const ORDER_FIELDS: Readonly<Record<OrderedKind, readonly string[]>> = {
  event: ["start_time", ...COMMON],
  creative_work: ["release_time", ...COMMON],
  entity: COMMON,
};

/**
 * Checks an order `<field> asc` or `<field> desc` against what the delivery lists support
 * (CONTRACT 6); without a kind the fields of every kind are allowed. INVALID_ARGUMENT
 * `ORDER_INVALID`, which lists the fields.
 */
export function checkOrder(order: string, kind: OrderedKind | undefined, path: string): void {
  const [field = "", direction, ...rest] = order.trim().split(/\s+/);
  const isForm = rest.length === 0 && (direction === "asc" || direction === "desc");
  const kinds = kind === undefined ? Object.values(ORDER_FIELDS) : [ORDER_FIELDS[kind]];
  const fields = [...new Set(kinds.flat())];
  if (isForm && (fields.includes(field) || isTitle(field))) return;
  throw invalidField(
    path,
    "ORDER_INVALID",
    `it is '<field> asc' or '<field> desc' with a field of ${fields.join(", ")}, title.<language>`,
  );
}

function isTitle(field: string): boolean {
  return /^title\.[A-Za-z0-9-]{1,35}$/.test(field);
}
