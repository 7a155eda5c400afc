import type { ContextValues } from "@connectrpc/connect";
import type { Item } from "../../../gen/svc/cda/cms/item/v1/item_pb.ts";
import { limitFreshness, markPersonal, noteResources } from "../../call/freshness.ts";
import type { ContentKind } from "../../domain/content/order.ts";
import { parseKql, readsNow } from "../../domain/kql/index.ts";
import type { ContentListing, ListViewer } from "./content-list.ts";

/** How long an answer may be shown whose filter reads the clock, in seconds (KQL, Decisions). */
const NOW_SECONDS = 30;

/** The names of the collections in keys of resources. */
export const COLLECTIONS: Readonly<Record<ContentKind, string>> = {
  event: "events",
  creative_work: "creative_works",
  entity: "entities",
};

/** Says how long a list of content may be kept, and whether by anybody. Throws like `parseKql`. */
export function noteListing(
  values: ContextValues,
  { filter, excludeGeoblocked }: Pick<ContentListing, "filter" | "excludeGeoblocked">,
): void {
  if (readsNow(parseKql(filter))) limitFreshness(values, NOW_SECONDS);
  if (excludeGeoblocked) markPersonal(values);
}

/** Names the items of an answer and the collection that they are listed from. */
export function noteListed(
  values: ContextValues,
  { key }: ListViewer,
  kind: ContentKind,
  items: readonly Item[],
): void {
  const collection = `${key.projectId}/${COLLECTIONS[kind]}`;
  const ids = items.map(({ item }) => `${collection}/${item.value?.id ?? ""}`);
  noteResources(values, [collection, ...ids]);
}
