import { type RawBuilder, sql } from "kysely";
import type { KqlNode } from "../../../../domain/kql/index.ts";
import type { WorkBudget } from "../../../../domain/work-budget.ts";
import type { Db } from "../../../db/db.ts";

import { NAME_START } from "../path-name.ts";
import { nextAfterPrefix, toStoredText } from "./stored-text.ts";

/** The most fields of a filter that are asked for, and the most paths that one may stand for. */
const MOST_FIELDS = 8;
const MOST_PATHS = 16;

/** The most characters of a field, so that the index of names holds it whole. */
const LONGEST_NAME = 500;

/** The numbers of the paths at or below fields; absent for fields that have too many. */
export type ExistingPaths = ReadonlyMap<string, readonly number[]>;

/** The collection whose fields a filter names. */
export interface NamePlace {
  readonly db: Db;
  readonly collection: number;
  readonly budget: WorkBudget;
}

/** Finds the paths at or below the fields that must exist, before any item is tested. */
export async function findExistingPaths(
  filter: KqlNode | undefined,
  { db, collection, budget }: NamePlace,
): Promise<ExistingPaths> {
  const fields = new Set<string>();
  if (filter !== undefined) collectFields(filter, fields);
  const found = new Map<string, readonly number[]>();
  for (const field of [...fields].slice(0, MOST_FIELDS)) {
    const query = selectPaths(collection, toStoredText(field));
    const paths = await db.all(query, budget);
    if (paths.length <= MOST_PATHS) {
      found.set(
        field,
        paths.map(({ path }) => path),
      );
    }
  }
  return found;
}

function collectFields(node: KqlNode, fields: Set<string>): void {
  switch (node.type) {
    case "and":
    case "or":
      for (const item of node.items) collectFields(item, fields);
      return;
    case "not":
      collectFields(node.item, fields);
      return;
    case "exists":
      if (node.name.kind === "exact" && node.name.path.length <= LONGEST_NAME) {
        fields.add(node.name.path);
      }
      return;
    default:
  }
}

function selectPaths(collection: number, name: string): RawBuilder<{ readonly path: number }> {
  const below = `${name}.`;
  const end = nextAfterPrefix(below) ?? "";
  // Each engine has an index of one of the two.
  const within = sql`name >= ${below} and name < ${end} and ${NAME_START} >= ${below} and ${NAME_START} < ${end}`;
  return sql`
    select path from content_path where collection = ${collection} and name = ${name} and ${NAME_START} = ${name}
    union all
    select path from content_path where collection = ${collection} and ${within}
    limit ${sql.lit(MOST_PATHS + 1)}
  `;
}
