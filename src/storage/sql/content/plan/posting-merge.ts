import { type RawBuilder, sql } from "kysely";
import type { PostingLists } from "./index-ranges.ts";
import type { ListPlan } from "./list-plan.ts";
import { fromRun, LIMIT, type PageForm, toOrderRuns } from "./order-runs.ts";
import type { ListedRow } from "./partition-query.ts";

/**
 * Merges posting lists: writes, for each run of the order after a place, a query of their first items together.
 * Reads of each list at most as many entries as are wanted, as an item may be in all of them.
 */
export function mergePostingLists(
  plan: ListPlan,
  lists: readonly PostingLists[],
  page: PageForm,
): readonly RawBuilder<ListedRow>[] {
  return toOrderRuns(plan, lists[0], page).map(({ key, orderBy }, index) => {
    const entries = lists.map(({ path, values }) =>
      plan.dialect.forEach(values, (value) => {
        const run = toOrderRuns(plan, { path, values: [value] }, page)[index];
        if (run === undefined) throw new Error("posting lists have the same runs");
        return sql`select source.sort_time, source.id, source.item ${fromRun(run)} limit ${LIMIT}`;
      }),
    );
    return sql<ListedRow>`
      select ${key} as key, source.id, doc
      from (
        select distinct source.sort_time, source.id, source.item
        from (${sql.join(entries, sql` union all `)}) as source order by ${orderBy} limit ${LIMIT}
      ) as source
      ${plan.dialect.lookUp({ table: "content", item: sql`source.item` })}
      order by ${orderBy}
    `;
  });
}
