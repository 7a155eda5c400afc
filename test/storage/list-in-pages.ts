import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import type { OrderPlace } from "../../src/domain/base/paging.ts";
import type { ContentQuery } from "../../src/storage/contract/content-store.ts";
import type { Store } from "../../src/storage/contract/store.ts";
import { createEndlessBudget } from "./slow-budget.ts";
import { ALPHA } from "./small-dataset.ts";

/** A list of the events of `ALPHA`. */
type Query = Omit<Parameters<Store["events"]["list"]>[0], "after" | "limit" | "projectId">;

/** Lists the ids of events in pages: the first of one, and the further ones of the sizes given, the last repeated. */
export async function listIdsInPages(
  store: Store,
  query: Query,
  sizes: readonly number[],
): Promise<string[]> {
  const ids: string[] = [];
  const left = [...sizes];
  let after: OrderPlace | undefined;
  let limit = 1;
  do {
    const from = { ...query, projectId: ALPHA, limit, ...(after && { after }) };
    const page = await store.events.list(from);
    ids.push(...page.entries.map(({ item }) => item.id));
    after = page.next;
    limit = left.shift() ?? limit;
  } while (after !== undefined);
  return ids;
}

/** Lists the ids of the published events of `ALPHA` in their order, or of what the changes say. */
export async function listEventIds(
  store: Store,
  changes: Partial<ContentQuery> = {},
): Promise<string[]> {
  const { entries } = await store.events.list({
    ...{
      projectId: ALPHA,
      at: undefined,
      visibilities: [Visibility.PUBLISHED],
      words: [],
      limit: 5_000,
    },
    ...{ order: { field: "id", direction: "asc" }, now: new Date(0) },
    budget: createEndlessBudget(),
    ...changes,
  });
  return entries.map(({ item }) => item.id);
}
