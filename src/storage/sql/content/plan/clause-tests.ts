import { type SqlBool, sql } from "kysely";
import type { Dialect } from "../../dialect.ts";
import { anyOf, type Condition } from "../filter/conditions.ts";
import type { FilterForm } from "../filter/filter-form.ts";
import { compileKql } from "../filter/kql-filter.ts";
import { type AccessPath, findRanges } from "./access-paths.ts";
import {
  COLLECTION,
  hasPosting,
  hasWord,
  type IndexRange,
  type PostingLists,
} from "./index-ranges.ts";
import type { ListPlan } from "./list-plan.ts";

/** An access path with those of its ranges that are not known to be empty. */
export interface ProbedPath {
  readonly path: AccessPath;
  readonly ranges: readonly IndexRange[];
  /** The posting lists that hold all its items in the list's order: one, or several to be merged. */
  readonly postingLists?: readonly PostingLists[];
}

/** The most posting lists in which one clause looks an item up; for more values its leaves are read. */
const MOST_PROBES = 3;

/** Hold for an item, as `source`, that meets every clause but those that the `chosen` paths have found it by. */
export function testsWithout(
  chosen: readonly ProbedPath[],
  probed: readonly ProbedPath[],
  { filter, dialect }: ListPlan,
): readonly Condition[] {
  const others = probed.filter(
    (it) =>
      (!chosen.includes(it) || !it.path.isExact) &&
      (it.path.clause === undefined || !filter.inMemory.has(it.path.clause)),
  );
  return [
    ...others.map((it) => toTest(it, dialect)),
    ...filter.residual.map((clause) => toResidualTest(clause, dialect)),
  ];
}

/** Names the ranges of access paths that are not known to be empty, on which the tests depend. */
export function nameRanges(probed: readonly ProbedPath[]): string {
  return probed
    .map(({ path, ranges }) =>
      ranges.length === path.ranges.length
        ? "*"
        : ranges.map((range) => path.ranges.indexOf(range)).join(),
    )
    .join("|");
}

function toTest({ path: { clause, isExact }, ranges }: ProbedPath, dialect: Dialect): Condition {
  const probes = ranges.flatMap((range) => toProbe(range, dialect) ?? []);
  const isProbed = isExact && probes.length === ranges.length;
  return isProbed || clause === undefined ? anyOf(probes) : compile(clause, dialect);
}

/** Tests an item by an index look-up; undefined where reading its leaves is cheaper. */
function toProbe(range: IndexRange, dialect: Dialect): Condition | undefined {
  if (range.kind === "word") return hasWord(range, dialect);
  if (range.kind !== "values" || range.values.length > MOST_PROBES) return undefined;
  return hasPosting(range, dialect);
}

function toResidualTest(node: FilterForm, dialect: Dialect): Condition {
  if (node.type !== "not") return compile(node, dialect);
  const clause = node.item;
  const found = findRanges(clause, "");
  const condition =
    found === undefined
      ? toResidualTest(clause, dialect)
      : toTest({ path: { clause, ...found }, ranges: found.ranges }, dialect);
  return sql<SqlBool>`not ${condition}`;
}

function compile(node: FilterForm, dialect: Dialect): Condition {
  return compileKql(node, { item: sql`source.item`, collection: COLLECTION, dialect });
}
