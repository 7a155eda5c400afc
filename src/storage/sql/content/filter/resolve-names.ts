import type { Kysely } from "kysely";
import { type KqlName, type KqlNode, matchesPattern } from "../../../../domain/kql/index.ts";
import type { WorkBudget } from "../../../../domain/work-budget.ts";
import { runCounted } from "../../counted.ts";
import type { Schema } from "../../schema.ts";
import { toStoredText } from "./stored-text.ts";

/** How many comparisons of a name with a pattern are made for one list. */
const MOST_COMPARISONS = 100_000;

/** How many names of a collection are read for them. */
const MOST_NAMES = 10_000;

/** How many fields one pattern may stand for, and all of a filter together, to be replaced by them. */
const MOST_FIELDS = 16;
const MOST_FIELDS_TOGETHER = 64;

/** Where the fields of a collection are looked up. */
export interface NamePlace {
  readonly db: Kysely<Schema>;
  readonly collection: number;
  readonly budget: WorkBudget;
}

/**
 * Puts the fields that a collection has in the place of the patterns that stand for them, so that their
 * clauses are looked up as those of named fields are: one query for all patterns of a filter. A pattern
 * for many fields stays, as do all where the collection has too many.
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

/** The fields that each pattern stands for, by its key. */
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

/** Lists the patterns of whole paths that a clause reads; a field that exists may lie below its name. */
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
    // A name that is stored in another form would be turned into that form once more.
    const isReadable = found.every((name) => toStoredText(name) === name);
    if (isReadable && found.length <= MOST_FIELDS) fields.set(key, found);
  }
  return fields;
}

/** Replaces the names of clauses until there are too many of them. */
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

/** Drops what stands among its like already, wherever it stands in the text. */
function dropRepeated(nodes: readonly KqlNode[]): readonly KqlNode[] {
  const toKey = (node: KqlNode) =>
    JSON.stringify(node, (name, value) => (name === "span" ? undefined : value));
  return [...new Map(nodes.map((node) => [toKey(node), node])).values()];
}

type Clause = Extract<KqlNode, { readonly type: "exists" | "is" | "range" }>;

function toName(path: string, prefix: string): KqlName {
  return { kind: "exact", path: path.slice(prefix.length), quoted: true };
}
