import type { ContentPlace } from "../../src/storage/delivery-store.ts";
import type { Store } from "../../src/storage/store.ts";
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
  let after: ContentPlace | undefined;
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
