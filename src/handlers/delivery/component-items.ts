import type { Item } from "../../../gen/svc/cda/cms/item/v1/item_pb.ts";
import type { PagePosition, PageTokens } from "../../domain/messages/page-token.ts";
import { DELIVERY_PAGE_SIZE, resolvePageSize } from "../../domain/messages/paging.ts";
import type { ItemListing } from "../../domain/pages/rendering/listing.ts";
import type { ContentPlace } from "../../storage/delivery-store.ts";
import type { ContentLists, ListViewer } from "./content-list.ts";

/** Which items of a component to list. */
export interface ItemsQuery {
  readonly componentId: string;
  readonly listing: ItemListing;
  /** The most items. */
  readonly size: number;
  /** Continues behind the answer that it came with; empty: from the start. */
  readonly pageToken: string;
  /** The day and the time zone that the listing is narrowed to; absent: none. */
  readonly day?: string;
  readonly timeZone?: string;
}

/** A page of a component's items. */
export interface ItemsPage {
  readonly items: Item[];
  /** Empty: nothing follows. */
  readonly nextPageToken: string;
}

/** Lists the items of components. */
export interface ComponentItems {
  /**
   * Lists the pinned items in their order, then the others in the listing's order; what is hidden has
   * none. INVALID_ARGUMENT `PAGE_TOKEN_INVALID`.
   */
  list(query: ItemsQuery, viewer: ListViewer): Promise<ItemsPage>;
}

/** How many pinned items are looked for at once. */
const PINNED_AT_ONCE = 100;

/** Checks how many items of each component are asked for. INVALID_ARGUMENT `PAGE_SIZE_INVALID`. */
export function checkItemsPageSize(asked: number): void {
  resolvePageSize(asked, DELIVERY_PAGE_SIZE, "items_page_size");
}

/**
 * Decides how many items a page of a component has: the component's limit is the standard and the
 * maximum. INVALID_ARGUMENT `PAGE_SIZE_INVALID` at `field`.
 */
export function resolveItemsPageSize(asked: number, { limit }: ItemListing, field: string): number {
  if (limit === 0) return resolvePageSize(asked, DELIVERY_PAGE_SIZE, field);
  const most = Math.min(limit, DELIVERY_PAGE_SIZE.maximum);
  return resolvePageSize(asked, { standard: most, maximum: most }, field);
}

/** Where a page begins: at a pinned item, counted from 0, or in the list behind a place. */
type Start =
  | { readonly in: "pinned"; readonly index: number }
  | { readonly in: "list"; readonly after: ContentPlace | undefined };

const LIST_START: Start = { in: "list", after: undefined };

/** Creates the lists of components' items. */
export function createComponentItems(
  contents: ContentLists,
  pageTokens: PageTokens,
): ComponentItems {
  return {
    async list(query, viewer) {
      const { listing, size, pageToken } = query;
      const binding = toBinding(query, viewer);
      const start: Start =
        pageToken === ""
          ? { in: "pinned", index: 0 }
          : toStart(pageTokens.verify(pageToken, binding));
      if (listing.hidden) return { items: [], nextPageToken: "" };
      const { items, next } = await listFrom(listing, viewer, size, start);
      return { items, nextPageToken: next ? pageTokens.sign(toPosition(next), binding) : "" };
    },
  };

  async function listFrom(listing: ItemListing, viewer: ListViewer, size: number, start: Start) {
    // The components before have taken all the time that there was.
    if (viewer.budget.isSpent) return { items: [], next: start };
    if (start.in === "list") return await listBehind(listing, viewer, size, start.after);
    const pinned = await takePinned(listing, viewer, size, start.index);
    if (pinned.next !== undefined) return pinned;
    const room = size - pinned.items.length;
    if (room > 0 && viewer.budget.isSpent) return { items: pinned.items, next: LIST_START };
    const rest = await listBehind(listing, viewer, Math.max(room, 1), undefined);
    if (room > 0) return { items: [...pinned.items, ...rest.items], next: rest.next };
    const isMore = rest.items.length > 0 || rest.next !== undefined;
    return { items: pinned.items, next: isMore ? LIST_START : undefined };
  }

  async function listBehind(
    { kind, filter, search, order, excludeGeoblocked, pinned }: ItemListing,
    viewer: ListViewer,
    size: number,
    after: ContentPlace | undefined,
  ): Promise<{ items: Item[]; next: Start | undefined }> {
    const exclude = new Set(pinned);
    const listing = { kind, filter, search, order, excludeGeoblocked, exclude };
    const { items, next } = await contents.list(listing, viewer, size, after);
    return { items: [...items], next: next && { in: "list", after: next } };
  }

  async function takePinned(listing: ItemListing, viewer: ListViewer, size: number, first: number) {
    const items: Item[] = [];
    for (let from = first; from < listing.pinned.length; from += PINNED_AT_ONCE) {
      const ids = listing.pinned.slice(from, from + PINNED_AT_ONCE);
      const found = await contents.getListed(listing, ids, viewer);
      for (const [offset, id] of ids.entries()) {
        const item = found.get(id);
        if (item === undefined) continue;
        const here: Start = { in: "pinned", index: from + offset };
        if (items.length === size) return { items, next: here };
        items.push(item);
      }
      await viewer.budget.nextStep();
      const follows: Start = { in: "pinned", index: from + ids.length };
      if (viewer.budget.isSpent && follows.index < listing.pinned.length)
        return { items, next: follows };
    }
    return { items, next: undefined };
  }
}

function toBinding(query: ItemsQuery, { key }: ListViewer): readonly unknown[] {
  const { kind, filter, search, order, pinned, excludeGeoblocked } = query.listing;
  const listing = [kind, filter, search, order, pinned, excludeGeoblocked];
  const { componentId, day = "", timeZone = "" } = query;
  return ["component items", key.projectId, key.kind, componentId, listing, day, timeZone];
}

function toPosition(start: Start): PagePosition {
  if (start.in === "pinned") return ["pinned", start.index];
  const { after } = start;
  return after === undefined ? ["list"] : ["list", after.key, after.id];
}

function toStart([where, value = null, id]: PagePosition): Start {
  if (where === "pinned") return { in: "pinned", index: Number(value) };
  return { in: "list", after: id === undefined ? undefined : { key: value, id: String(id) } };
}
