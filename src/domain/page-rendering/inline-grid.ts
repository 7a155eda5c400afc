import {
  create,
  fromJson,
  type JsonObject,
  type JsonValue,
  mergeFromJson,
  toJson,
} from "@bufbuild/protobuf";
import { type Rail, RailSchema } from "../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import { resolveTexts, type UnresolvedField } from "../variables/resolve-component.ts";
import type { Scope } from "../variables/scope.ts";

/** Where the configuration of a grid lies. */
export const INLINE_PATH = "content_grid.inline";

/** The settings of a rail that a grid has too; what else it holds is its client's affair. */
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

/** A grid free of variables, as it is stored and as the rail that it is read as. */
export type ResolvedGrid =
  | { readonly kind: "resolved"; readonly inline: JsonObject; readonly rail: Rail }
  | UnresolvedField;

/**
 * Puts values where the filter and the search of a grid have variables. Its JSON is stored as it comes,
 * so it is read as that of a rail in either spelling, with `page_size` for `limit`; what a rail does
 * not know stays as it is. Throws a `DomainError` that names the field for a broken template.
 */
export function resolveInlineGrid(inline: JsonObject, scope: Scope): ResolvedGrid {
  const rail = readRail(inline);
  const unresolved = resolveTexts(RailSchema, rail, scope, INLINE_PATH);
  if (unresolved !== undefined) return unresolved;
  const texts = { filter: rail.filter, search: rail.search };
  const written = Object.entries(texts).filter(([name]) => typeof inline[name] === "string");
  return { kind: "resolved", inline: { ...inline, ...Object.fromEntries(written) }, rail };
}

/** A setting that has not the type of a rail's is the client's affair too. */
function readRail(inline: JsonObject): Rail {
  const rail = create(RailSchema);
  for (const field of RailSchema.fields) {
    const value = readOwn(inline, field.name) ?? readOwn(inline, field.jsonName);
    if (SHARED.has(field.name) && value !== undefined) mergeSetting(rail, field.name, value);
  }
  const pageSize = readOwn(inline, "page_size") ?? readOwn(inline, "pageSize");
  if (rail.limit === 0 && pageSize !== undefined) mergeSetting(rail, "limit", pageSize);
  rail.limit = Math.max(rail.limit, 0);
  return rail;
}

function mergeSetting(rail: Rail, name: string, value: JsonValue): void {
  try {
    const setting = fromJson(RailSchema, { [name]: value });
    mergeFromJson(RailSchema, rail, toJson(RailSchema, setting));
  } catch {
    // What cannot be read says nothing.
  }
}

function readOwn(json: JsonObject, name: string) {
  return Object.hasOwn(json, name) ? json[name] : undefined;
}
