import {
  create,
  type DescField,
  fromJson,
  getOption,
  type JsonObject,
  type JsonValue,
  mergeFromJson,
  toJson,
} from "@bufbuild/protobuf";
import { TextKind, text as textOption } from "../../../../gen/svc/options/v1/text_pb.ts";
import {
  BaseType,
  type Rail,
  RailSchema,
} from "../../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import { invalidField } from "../../base/field-errors.ts";
import { readOwn } from "../../base/json.ts";
import type { ContentKind } from "../../content/order.ts";
import { parseOrder } from "../../content/order.ts";
import { parseSearch } from "../../content/search.ts";
import { checkTexts } from "../../variables/message-texts.ts";

/** The settings that a grid shares with a rail; clients interpret all others. */
const SHARED: ReadonlySet<string> = new Set([
  "type",
  "filter",
  "additional_filters",
  "search",
  "additional_search",
  "order",
  "limit",
  "pinned",
  "exclude_geoblocked",
  "show_on_unmatched_additional_filters",
]);

/**
 * Reads the settings of a grid, free JSON in snake_case or camelCase, as a rail, with `page_size` for `limit`. A
 * setting with another type than in a rail is ignored.
 */
export function readInlineGrid(inline: JsonObject): Rail {
  const rail = create(RailSchema);
  for (const field of RailSchema.fields) {
    const value = findSetting(inline, field);
    if (value !== undefined) mergeSetting(rail, field.name, value);
  }
  const pageSize = readOwn(inline, "page_size") ?? readOwn(inline, "pageSize");
  if (rail.limit === 0 && pageSize !== undefined) mergeSetting(rail, "limit", pageSize);
  rail.limit = Math.max(rail.limit, 0);
  return rail;
}

/**
 * Checks the filters, the search and the order of a grid by the rules of a rail. INVALID_ARGUMENT `KQL_SYNTAX`,
 * `KQL_LIMIT`, `VARIABLE_MALFORMED`, `ORDER_INVALID` or `SEARCH_INVALID`, with the field's path; `VALUE_INVALID` for a
 * filter or search with another type than in a rail.
 */
export function checkInlineGrid(inline: JsonObject, path: string): void {
  for (const field of RailSchema.fields) {
    const value = findSetting(inline, field);
    const holdsText = getOption(field, textOption) !== TextKind.UNSPECIFIED;
    if (value === undefined || !holdsText || mergeSetting(create(RailSchema), field.name, value)) {
      continue;
    }
    const type = field.fieldKind === "map" ? "an object of strings" : "a string";
    throw invalidField(`${path}.${field.name}`, "VALUE_INVALID", `must be ${type}`);
  }
  const rail = readInlineGrid(inline);
  checkTexts(RailSchema, rail, path);
  checkListing(rail, path);
}

/** Checks the order and the search of a rail. INVALID_ARGUMENT `ORDER_INVALID` or `SEARCH_INVALID`. */
export function checkListing({ type, order, search }: Rail, path: string): void {
  if (order !== "") parseOrder(order, findContentKind(type), `${path}.order`);
  // A search with variables is checked when they have values.
  if (!search.includes("{")) parseSearch(search, `${path}.search`);
}

function findSetting(inline: JsonObject, { name, jsonName }: DescField): JsonValue | undefined {
  return SHARED.has(name) ? (readOwn(inline, name) ?? readOwn(inline, jsonName)) : undefined;
}

/** Merges a setting into a rail; returns false for one of the wrong type. */
function mergeSetting(rail: Rail, name: string, value: JsonValue): boolean {
  try {
    const setting = fromJson(RailSchema, { [name]: value });
    mergeFromJson(RailSchema, rail, toJson(RailSchema, setting));
    return true;
  } catch {
    return false;
  }
}

const KINDS: ReadonlyMap<BaseType, ContentKind> = new Map([
  [BaseType.EVENT, "event"],
  [BaseType.CREATIVE_WORK, "creative_work"],
  [BaseType.ENTITY, "entity"],
]);

/** Returns the kind of content of a rail's type; undefined for an unspecified type. */
export function findContentKind(type: BaseType): ContentKind | undefined {
  return KINDS.get(type);
}
