import { DEFAULT_ORDERS } from "../../../../domain/content/order.ts";
import { VALUE_LENGTH } from "../../../content/indexed-fields.ts";
import { fromStoredText } from "../../../content/leaf-key.ts";
import type { ListedRow } from "../../../content/places.ts";
import type { Tally, TallyQuery } from "../../../contract/content-store.ts";
import { isOneOf, join, raw, sql } from "../../../db/sql-text.ts";
import { selectPath } from "../index/collections.ts";
import { toChunks } from "../write/stored-items.ts";
import { type ListSource, planList } from "./list-items.ts";
import { listPartition } from "./partition.ts";

/** Maximum number of values that one statement counts: so many take about 20 ms. */
const MOST_LEAVES = 20_000;

/** Maximum number of different values of a field; further ones are not counted. */
const MOST_VALUES = 10_000;

/** Counts the items of a list in its partitions, then the values of these items. */
export async function tallyItems(query: TallyQuery, source: ListSource): Promise<Tally> {
  const { except = [], fields, most, visibilities } = query;
  const plan = await planList({ ...query, order: DEFAULT_ORDERS[source.kind] }, source);
  const others = except.length === 0 ? [] : [sql<boolean>`not ${isOneOf(sql`source.id`, except)}`];
  const rows: ListedRow[] = [];
  let isLowerBound = false;
  for (const visibility of visibilities) {
    const page = await listPartition({
      ...plan,
      visibility,
      conditions: others,
      limit: most + 1 - rows.length,
      withDocuments: false,
    });
    rows.push(...page.rows);
    isLowerBound ||= page.end !== undefined || rows.length > most;
    if (isLowerBound) break;
  }
  const counted = rows.slice(0, most).flatMap(({ item }) => item ?? []);
  const { values, isPartial } = await tallyValues(counted, fields, source);
  return {
    total: counted.length,
    isLowerBound,
    values,
    areValuesLowerBounds: isLowerBound || isPartial,
  };
}

/** Counts the items with each value of some fields; `isPartial` if the budget ended that. */
async function tallyValues(
  items: readonly number[],
  fields: readonly string[],
  { db, collection, largest, budget }: ListSource,
): Promise<{ readonly values: Map<string, Map<string, number>>; readonly isPartial: boolean }> {
  const values = new Map(fields.map((field) => [field, new Map<string, number>()]));
  if (fields.length === 0 || items.length === 0) return { values, isPartial: false };
  const selected = fields.map(
    (field, index) => sql`${selectPath(field, collection)} as ${raw(`path${index}`)}`,
  );
  const select = sql<Record<string, number | null>>`select ${join(selected)}`;
  const [paths = {}] = await db.all(select, budget);
  const fieldOf = new Map(
    fields.flatMap((field, index) => {
      const path = paths[`path${index}`] ?? undefined;
      return path === undefined ? [] : [[path, field] as const];
    }),
  );
  if (fieldOf.size === 0) return { values, isPartial: false };
  const size = Math.max(1, Math.floor(MOST_LEAVES / largest.values));
  for (const chunk of toChunks(items, size)) {
    await budget.nextStep();
    if (budget.isSpent) return { values, isPartial: true };
    const rows = await db.all(
      sql<{ readonly path: number; readonly value: string; readonly count: number }>`
        select leaf.path, ${VALUE} as value, count(distinct leaf.item) as count from content_leaf as leaf
        where leaf.item in (${join(chunk)}) and ${isOneOf(sql`leaf.path`, [...fieldOf.keys()])}
          and length(leaf.key) < ${raw(`${VALUE_LENGTH}`)}
        group by 1, 2
      `,
      budget,
    );
    budget.count(() => {
      for (const { path, value, count } of rows) {
        const counts = values.get(fieldOf.get(path) ?? "");
        const text = fromStoredText(value);
        const known = counts?.get(text);
        if (known === undefined && counts?.size === MOST_VALUES) continue;
        counts?.set(text, (known ?? 0) + Number(count));
      }
    });
  }
  return { values, isPartial: false };
}

/** The text of a leaf: a number as it was written. */
const VALUE = raw<string>("coalesce(leaf.text, substr(leaf.key, 2))");
