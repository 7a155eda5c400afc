import { invalidOrder } from "../paging.ts";

/** The kinds of content. */
export type ContentKind = "event" | "creative_work" | "entity";

/** The order of a content list. */
export interface ContentOrder {
  /** `start_time`, `release_time`, `create_time`, `update_time`, `id` or `title.<language>`. */
  readonly field: string;
  readonly direction: "asc" | "desc";
}

const COMMON = ["create_time", "update_time", "id"];

/** The fields that lists of a kind can be ordered by, in addition to `title.<language>`. */
const ORDER_FIELDS: Readonly<Record<ContentKind, readonly string[]>> = {
  event: ["start_time", ...COMMON],
  creative_work: ["release_time", ...COMMON],
  entity: COMMON,
};

const ALL_FIELDS: readonly string[] = [...new Set(Object.values(ORDER_FIELDS).flat())];

/** The default orders of lists. */
export const DEFAULT_ORDERS: Readonly<Record<ContentKind, ContentOrder>> = {
  event: { field: "start_time", direction: "asc" },
  creative_work: { field: "release_time", direction: "asc" },
  entity: { field: "id", direction: "asc" },
};

/**
 * Parses the order `<field> asc` or `<field> desc` of a delivery list (contract: delivery 5); without a kind,
 * the fields of every kind are allowed. INVALID_ARGUMENT `ORDER_INVALID` at `path`, which lists the fields.
 */
export function parseOrder(
  order: string,
  kind: ContentKind | undefined,
  path: string,
): ContentOrder {
  const [field = "", direction, ...rest] = order.trim().split(/\s+/);
  const fields = kind === undefined ? ALL_FIELDS : ORDER_FIELDS[kind];
  const isForm = rest.length === 0 && (direction === "asc" || direction === "desc");
  if (isForm && (fields.includes(field) || isTitle(field))) return { field, direction };
  throw invalidOrder(order, [...fields, "title.<language>"], path);
}

/** Parses the order of a list of one kind; blank is its default. INVALID_ARGUMENT `ORDER_INVALID`. */
export function parseContentOrder(order: string, kind: ContentKind): ContentOrder {
  return order.trim() === "" ? DEFAULT_ORDERS[kind] : parseOrder(order, kind, "order");
}

function isTitle(field: string): boolean {
  return /^title\.[A-Za-z0-9-]{1,35}$/.test(field);
}
