import type { Kysely } from "kysely";
import { type KqlName, type KqlNode, matchesPattern } from "../../../../domain/kql/index.ts";
import type { WorkBudget } from "../../../../domain/work-budget.ts";
import { runCounted } from "../../counted.ts";
import type { Schema } from "../../schema.ts";
import { toStoredText } from "./stored-text.ts";

/** The most comparisons of a name with a pattern for one list. */
const MOST_COMPARISONS = 100_000;

/** The most names of a collection that are read. */
const MOST_NAMES = 10_000;

/** The most fields that replace one pattern, and all patterns of a filter together. */
const MOST_FIELDS = 16;
const MOST_FIELDS_TOGETHER = 64;

/** The collection whose fields a filter names. */
export interface NamePlace {
  readonly db: Kysely<Schema>;
  readonly collection: number;
  readonly budget: WorkBudget;
}

/**
 * Replaces patterns of field names by the fields of the collection that they match, so that their clauses
 * get access paths as those of plain names do. One query serves all patterns of a filter. A pattern that
 * matches too many fields stays, and all patterns stay if the collection has too many.
 */
export async function resolveNames(
  filter: KqlNode | undefined,
  { db, collection, budget }: NamePlace,
): Promise<KqlNode | undefined> {
  const patterns = new Map<string, readonly string[]>();
  if (filter !== undefined) collectPatterns(filter, "", patterns);
  if (filter === undefined || patterns.size === 0) return filter;
  const most = Math.min(MOST_NAMES, Math.floor(MOST_COMPARISONS / patterns.size));
  const select = db
    .selectFrom("content_path")
    .select("name")
    .where("collection", "=", collection)
    .limit(most + 1);
  const rows = await runCounted(db, budget, select.compile());
  if (rows.length > most) return filter;
  const names = rows.map(({ name }) => name);
  return budget.count(() => new NameReplacement(findFields(patterns, names)).replace(filter, ""));
}

/** The fields that each pattern matches, by the pattern as JSON. */
type Fields = ReadonlyMap<string, readonly string[]>;

function collectPatterns(
  node: KqlNode,
  prefix: string,
  patterns: Map<string, readonly string[]>,
): void {
  switch (node.type) {
    case "and":
    case "or":
      for (const item of node.items) collectPatterns(item, prefix, patterns);
      return;
    case "not":
      collectPatterns(node.item, prefix, patterns);
      return;
    case "nested":
      collectPatterns(node.item, `${prefix}${node.path}.`, patterns);
      return;
    default:
      for (const parts of listPatterns(node, prefix)) patterns.set(JSON.stringify(parts), parts);
  }
}

/** Lists the patterns of full paths that a clause reads; `exists` also reads below the name. */
function listPatterns(node: KqlNode, prefix: string): readonly (readonly string[])[] {
  if (!("name" in node) || node.name?.kind !== "pattern") return [];
  const [first = "", ...others] = node.name.parts;
  const parts = [prefix + first, ...others];
  if (node.type !== "exists") return parts.every((part) => part === "") ? [] : [parts];
  return [parts, [...parts.slice(0, -1), `${parts.at(-1)}.`, ""]];
}

function findFields(
  patterns: ReadonlyMap<string, readonly string[]>,
  names: readonly string[],
): Fields {
  const fields = new Map<string, readonly string[]>();
  for (const [key, parts] of patterns) {
    const stored = parts.map(toStoredText);
    const found = names.filter((name) => matchesPattern(stored, name));
    // A name with escapes would be escaped once more.
    const isReadable = found.every((name) => toStoredText(name) === name);
    if (isReadable && found.length <= MOST_FIELDS) fields.set(key, found);
  }
  return fields;
}

/** Replaces patterns until the limit for the filter is reached. */
class NameReplacement {
  readonly #fields: Fields;
  #left = MOST_FIELDS_TOGETHER;

  constructor(fields: Fields) {
    this.#fields = fields;
  }

  replace(node: KqlNode, prefix: string): KqlNode {
    switch (node.type) {
      case "and":
      case "or":
        return { ...node, items: dropRepeated(node.items).map((it) => this.replace(it, prefix)) };
      case "not":
        return { ...node, item: this.replace(node.item, prefix) };
      case "nested":
        return { ...node, item: this.replace(node.item, `${prefix}${node.path}.`) };
      case "all":
        return node;
      default:
        return this.#replaceName(node, prefix);
    }
  }

  #replaceName(node: Clause, prefix: string): KqlNode {
    const found = listPatterns(node, prefix).map((it) => this.#fields.get(JSON.stringify(it)));
    if (found.length === 0 || !found.every((it) => it !== undefined)) return node;
    const paths = [...new Set(found.flat())];
    if (paths.length > this.#left) return node;
    this.#left -= paths.length;
    const items = paths.map((path): KqlNode => ({ ...node, name: toName(path, prefix) }));
    const [only] = items;
    return items.length === 1 && only ? only : { type: "or", items, span: node.span };
  }
}

/** Drops repeated clauses, wherever they are in the text. */
function dropRepeated(nodes: readonly KqlNode[]): readonly KqlNode[] {
  const toKey = (node: KqlNode) =>
    JSON.stringify(node, (name, value) => (name === "span" ? undefined : value));
  return [...new Map(nodes.map((node) => [toKey(node), node])).values()];
}

type Clause = Extract<KqlNode, { readonly type: "exists" | "is" | "range" }>;

function toName(path: string, prefix: string): KqlName {
  return { kind: "exact", path: path.slice(prefix.length), quoted: true };
}
