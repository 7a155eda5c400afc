import type { WorkBudget } from "../../../../domain/base/work-budget.ts";
import { type KqlNode, matchesPattern } from "../../../../domain/kql/index.ts";
import { nextAfterPrefix, toStoredText } from "../../../content/leaf-key.ts";
import type { Db } from "../../../db/db.ts";
import { build } from "../../../db/query.ts";
import { type SqlText, sql } from "../../../db/sql-text.ts";
import { NAME_START } from "../index/collections.ts";

/** Maximum number of fields and patterns of fields that are looked up for one filter. */
const MOST_LOOKED_UP = 8;

/** Maximum number of paths of a field or a pattern. */
const MOST_PATHS = 16;

/** Maximum number of paths of a collection with names that are compared with patterns. */
const MOST_COMPARED = 1_000;

/** Maximum length of a field that is looked up, in characters, so that its whole name is in the index. */
const LONGEST_NAME = 500;

/** The paths at or below fields; absent for fields that have too many. */
export type ExistingPaths = ReadonlyMap<string, FieldPaths>;

/** The paths at or below a field. */
interface FieldPaths {
  readonly numbers: readonly number[];
  /** True if one is below the field. */
  readonly hasNested: boolean;
}

/** The collection whose fields a filter names. */
export interface NameScope {
  readonly db: Db;
  readonly collection: number;
  readonly budget: WorkBudget;
}

/** Finds the paths at or below the fields that must exist, before any item is tested. */
export async function findExistingPaths(
  filter: KqlNode,
  { db, collection, budget }: NameScope,
): Promise<ExistingPaths> {
  const fields = listClauses(filter).flatMap((clause) =>
    clause.type === "exists" && clause.name.kind === "exact" ? [clause.name.path] : [],
  );
  const short = [...new Set(fields)].filter((field) => field.length <= LONGEST_NAME);
  const existing = new Map<string, FieldPaths>();
  for (const field of short.slice(0, MOST_LOOKED_UP)) {
    const stored = toStoredText(field);
    const rows = await db.all(selectPathsBelow(stored, collection), budget);
    if (rows.length > MOST_PATHS) continue;
    const numbers = rows.map(({ path }) => path);
    existing.set(field, { numbers, hasNested: rows.some(({ name }) => name !== stored) });
  }
  return existing;
}

/**
 * Replaces patterns of field names, such as `title.*: final`, by the matching fields of the collection, so that an
 * index serves their clauses like clauses of plain names. A pattern that matches very many fields stays: it is tested
 * in memory.
 */
export async function resolvePatterns(
  filter: KqlNode,
  { db, collection, budget }: NameScope,
): Promise<KqlNode> {
  const patterns = listClauses(filter).filter(isOfPattern);
  if (patterns.length === 0 || patterns.length > MOST_LOOKED_UP) return filter;
  const rows = await db.all(
    build
      .selectFrom("content_path")
      .select("name")
      .where("collection", "=", collection)
      .limit(MOST_COMPARED + 1),
    budget,
  );
  if (rows.length > MOST_COMPARED) return filter;
  return budget.count(() =>
    replacePatterns(
      filter,
      rows.map(({ name }) => name),
    ),
  );
}

/** Lists the clauses of a filter on the fields of an item, not of the elements of its groups. */
function listClauses(node: KqlNode): readonly KqlNode[] {
  if (node.type === "and" || node.type === "or") return node.items.flatMap(listClauses);
  return node.type === "not" ? listClauses(node.item) : [node];
}

function isOfPattern(node: KqlNode): boolean {
  return (node.type === "is" || node.type === "range") && node.name?.kind === "pattern";
}

function replacePatterns(node: KqlNode, names: readonly string[]): KqlNode {
  if (node.type === "and" || node.type === "or") {
    return { ...node, items: node.items.map((item) => replacePatterns(item, names)) };
  }
  if (node.type === "not") return { ...node, item: replacePatterns(node.item, names) };
  if (node.type !== "is" && node.type !== "range") return node;
  if (node.name?.kind !== "pattern") return node;
  const parts = node.name.parts.map(toStoredText);
  const matches = names.filter((name) => matchesPattern(parts, name));
  // A name with escapes would be escaped once more.
  const isReadable = matches.every((name) => toStoredText(name) === name);
  if (!isReadable || matches.length > MOST_PATHS) return node;
  const items = matches.map(
    (path): KqlNode => ({ ...node, name: { kind: "exact", path, quoted: true } }),
  );
  return { type: "or", items, span: node.span };
}

function selectPathsBelow(
  name: string,
  collection: number,
): SqlText<{ readonly path: number; readonly name: string }> {
  const below = `${name}.`;
  const end = nextAfterPrefix(below) ?? "";
  // Each engine has an index of one of the two.
  const within = sql`name >= ${below} and name < ${end} and ${NAME_START} >= ${below} and ${NAME_START} < ${end}`;
  return sql`
    select path, name from content_path where collection = ${collection} and name = ${name} and ${NAME_START} = ${name}
    union all
    select path, name from content_path where collection = ${collection} and ${within}
    limit ${MOST_PATHS + 1}
  `;
}
