import type { JsonObject } from "@bufbuild/protobuf";
import { type Rail, RailSchema } from "../../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import { resolveTexts, type UnresolvedField } from "../../variables/resolve-component.ts";
import type { Scope } from "../../variables/scope.ts";
import { readInlineGrid } from "../components/inline-grid.ts";

/** Where the configuration of a grid lies. */
export const INLINE_PATH = "content_grid.inline";

/** A grid free of variables, as it is stored and as the rail that it is read as. */
export type ResolvedGrid =
  | { readonly kind: "resolved"; readonly inline: JsonObject; readonly rail: Rail }
  | UnresolvedField;

/**
 * Puts values where the filter and the search of a grid have variables; what a rail does not know stays
 * as it is. Throws a `DomainError` that names the field for a broken template.
 */
export function resolveInlineGrid(inline: JsonObject, scope: Scope): ResolvedGrid {
  const rail = readInlineGrid(inline);
  const unresolved = resolveTexts(RailSchema, rail, scope, INLINE_PATH);
  if (unresolved !== undefined) return unresolved;
  const texts = { filter: rail.filter, search: rail.search };
  const written = Object.entries(texts).filter(([name]) => typeof inline[name] === "string");
  return { kind: "resolved", inline: { ...inline, ...Object.fromEntries(written) }, rail };
}
