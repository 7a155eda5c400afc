import { type KqlName, type KqlNode, matchesPattern } from "../../../../domain/kql/index.ts";
import { build } from "../../../db/query.ts";

import type { NamePlace } from "./existing-paths.ts";
import { toStoredText } from "./stored-text.ts";

/** The most names of a collection that are compared with patterns, and the most patterns of a filter. */
const MOST_NAMES = 1_000;
const MOST_PATTERNS = 8;

/** The most fields that replace one pattern. */
const MOST_FIELDS = 16;

type NamedClause = Extract<KqlNode, { readonly type: "is" | "range" }>;

/**
 * Replaces patterns of field names, such as `title.*: final`, by the fields of the collection that they match, so that
 * their clauses get access paths as those of plain names do. What matches very many fields stays, to be tested in
 * memory.
 */
export async function resolveNames(
  filter: KqlNode | undefined,
  { db, collection, budget }: NamePlace,
): Promise<KqlNode | undefined> {
  if (filter === undefined) return undefined;
  let patterns = 0;
  mapClauses(filter, (clause) => {
    if (clause.name?.kind === "pattern") patterns += 1;
    return clause;
  });
  if (patterns === 0 || patterns > MOST_PATTERNS) return filter;
  const select = build
    .selectFrom("content_path")
    .select("name")
    .where("collection", "=", collection)
    .limit(MOST_NAMES + 1);
  const rows = await db.all(select, budget);
  if (rows.length > MOST_NAMES) return filter;
  return budget.count(() =>
    mapClauses(filter, (clause) => {
      if (clause.name?.kind !== "pattern") return clause;
      const parts = clause.name.parts.map(toStoredText);
      const found = rows.filter(({ name }) => matchesPattern(parts, name));
      // A name with escapes would be escaped once more.
      const isReadable = found.every(({ name }) => toStoredText(name) === name);
      if (!isReadable || found.length > MOST_FIELDS) return clause;
      const items = found.map(({ name }): KqlNode => ({ ...clause, name: toExact(name) }));
      const [only] = items;
      return items.length === 1 && only ? only : { type: "or", items, span: clause.span };
    }),
  );
}

/** Replaces the clauses of an item's own fields; those of groups stay. */
function mapClauses(node: KqlNode, replace: (clause: NamedClause) => KqlNode): KqlNode {
  switch (node.type) {
    case "and":
    case "or":
      return { ...node, items: node.items.map((item) => mapClauses(item, replace)) };
    case "not":
      return { ...node, item: mapClauses(node.item, replace) };
    case "is":
    case "range":
      return replace(node);
    default:
      return node;
  }
}

function toExact(path: string): KqlName {
  return { kind: "exact", path, quoted: true };
}
