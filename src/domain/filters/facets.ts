import { invalidField } from "../base/field-errors.ts";
import { clip, suggestNames, toSnakeCase } from "../base/text.ts";
import type { ContentKind } from "../content/order.ts";
import { kindOf } from "../kinds.ts";
import { compareCodePoints } from "../kql/index.ts";

/** Limits of counting the items of a list (contract: limits 6). */
export const TALLY_LIMITS = {
  /** Maximum number of counted items. */
  items: 10_000,
  /** Maximum number of facets of a list. */
  facets: 5,
  /** Maximum number of values of a facet. */
  values: 50,
} as const;

/** The values of a field, the most frequent first. */
interface FacetValues {
  readonly values: { readonly value: string; readonly count: number }[];
  readonly hasMoreValues: boolean;
}

/** A path that KQL writes without quotes and escapes. */
const PATH = /^[^\s,:"*\\<>(){}.]+(?:\.[^\s,:"*\\<>(){}.]+)*$/;

/**
 * Checks the fields whose values a list counts. INVALID_ARGUMENT `FACET_INVALID` at `facets` for more than
 * {@link TALLY_LIMITS}`.facets`, a path that occurs twice, or one that no item of the kind can have.
 */
export function checkFacets(facets: readonly string[], kind: ContentKind): void {
  if (facets.length === 0) return;
  const invalid = (description: string) => invalidField("facets", "FACET_INVALID", description);
  if (facets.length > TALLY_LIMITS.facets) {
    throw invalid(`has ${facets.length} fields; at most ${TALLY_LIMITS.facets} are counted`);
  }
  const roots = kindOf(kind).schema.fields.map(({ name }) => name);
  for (const [index, facet] of facets.entries()) {
    if (facets.indexOf(facet) !== index) throw invalid(`'${clip(facet)}' occurs twice`);
    const [root = ""] = facet.split(".");
    if (PATH.test(facet) && roots.includes(root)) continue;
    const near = suggestNames(toSnakeCase(root), roots);
    const rule = "is not a path of a field, such as 'content_type' or 'fields.genre'";
    throw invalid(`'${clip(facet)}' ${rule}${near}`);
  }
}

/** Returns the most frequent values of a field; values of the same frequency in the order of their code points. */
export function listFacetValues(counts: ReadonlyMap<string, number> = new Map()): FacetValues {
  const values = Array.from(counts, ([value, count]) => ({ value, count })).sort(
    (a, b) => b.count - a.count || compareCodePoints(a.value, b.value),
  );
  return {
    values: values.slice(0, TALLY_LIMITS.values),
    hasMoreValues: values.length > TALLY_LIMITS.values,
  };
}
