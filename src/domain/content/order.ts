import { invalidField } from "../base/field-errors.ts";
import { type DocumentOrder, invalidOrder, parseFieldOrder } from "../base/paging.ts";
import { clip } from "../base/text.ts";

/** The kinds of content. */
export type ContentKind = "event" | "creative_work" | "entity";

/**
 * The order of a content list by `start_time`, `release_time`, `create_time`, `update_time`, `id`, `title.<language>` or a
 * path such as `fields.rating`; ties are in ascending order of id.
 */
export interface ContentOrder extends DocumentOrder {
  /** The order of the items that have the same value at a path below `fields`, or none; never by another such path. */
  readonly second?: DocumentOrder;
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
 * Parses the order `<field> asc` or `<field> desc` of a delivery list, or one by a path below `fields` and then by
 * another field, such as `fields.rating desc, start_time desc` (contract: delivery 5). Without a kind, the fields of
 * every kind are allowed. INVALID_ARGUMENT `ORDER_INVALID` at `path`, which lists the fields.
 */
export function parseOrder(
  order: string,
  kind: ContentKind | undefined,
  path: string,
): ContentOrder {
  const fields = kind === undefined ? ALL_FIELDS : ORDER_FIELDS[kind];
  const [first = "", next, ...others] = order.split(",");
  const main = parseFieldOrder(first);
  const isOwn = main !== undefined && OWN_PATH.test(main.field);
  if (main === undefined || !(isOwn || isKnown(main.field, fields))) {
    const hint = " by a path such as 'fields.rating', or";
    throw invalidOrder(first, [...fields, TITLE], path, hint);
  }
  if (next === undefined) return main;
  if (!isOwn || others.length > 0) {
    const rule = "must be one field, or a field below 'fields', a comma and one other field";
    throw invalidField(path, "ORDER_INVALID", `'${clip(order)}' ${rule}`);
  }
  const second = parseFieldOrder(next);
  if (second === undefined || !isKnown(second.field, fields)) {
    throw invalidOrder(next.trim(), [...fields, TITLE], path);
  }
  return { ...main, second };
}

/** Parses the order of a list of one kind; blank is its default. INVALID_ARGUMENT `ORDER_INVALID`. */
export function parseContentOrder(order: string, kind: ContentKind): ContentOrder {
  return order.trim() === "" ? DEFAULT_ORDERS[kind] : parseOrder(order, kind, "order");
}

const TITLE = "title.<language>";

/** A path below `fields` that KQL writes without quotes and escapes. */
const OWN_PATH = /^fields\.[^\s,:"*\\<>(){}]+$/;

function isKnown(field: string, fields: readonly string[]): boolean {
  return fields.includes(field) || /^title\.[A-Za-z0-9-]{1,35}$/.test(field);
}
