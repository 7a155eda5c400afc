import { parseKql, printKql } from "../../packages/client/src/kql.ts";
import { table } from "./element.ts";
import { note } from "./parts.ts";
import { CONTENT_LISTS, type Read } from "./reads.ts";
import { dataOf, type Resolved } from "./resolved.ts";

/** The most conditions that are counted. */
const MOST_CONDITIONS = 10;

/**
 * Explains why a component has no items: the warnings about its filter, and the number of items that its search and
 * each condition of its filter match alone.
 */
export async function explainUnmatched(resolved: Resolved, read: Read): Promise<HTMLElement[]> {
  const { filter = "", search = "" } = resolved;
  const list = CONTENT_LISTS.get(String(dataOf(resolved).type).replace("BASE_TYPE_", ""));
  if (list === undefined || filter + search === "") return [];
  const count = (condition: { readonly filter?: string; readonly search?: string }) =>
    read(list, { ...condition, pageSize: 1, includeTotal: true });
  const conditions = listConditions(filter);
  const [whole, ...alone] = await Promise.all([
    count({ filter }),
    ...conditions.map((condition) => count({ filter: condition })),
    ...(search === "" ? [] : [count({ search })]),
  ]);
  const rows = alone.map(({ message: { total = 0, totalIsLowerBound } }, index) => [
    conditions[index] ?? `the search ${search}`,
    totalIsLowerBound ? `${total} or more` : String(total),
  ]);
  return [
    ...whole.warnings.map(({ message }) => note(message)),
    table("Items that each condition matches alone", ["Condition", "Items"], rows),
  ];
}

/** Lists the conditions that a filter joins by AND. */
function listConditions(filter: string): readonly string[] {
  if (filter === "") return [];
  const node = parseKql(filter);
  const items = node.type === "and" ? node.items : [node];
  return items.slice(0, MOST_CONDITIONS).map(printKql);
}
