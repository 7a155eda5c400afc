import type { Item } from "../../../gen/svc/cda/cms/item/v1/item_pb.ts";
import {
  DELIVERY_PAGE_SIZE,
  type OrderPlace,
  type PageEnd,
  type PagePosition,
  type PageTokens,
  RequestedPage,
  resolvePageSize,
} from "../../domain/base/paging.ts";
import type { WorkBudget } from "../../domain/base/work-budget.ts";
import { parseContentOrder } from "../../domain/content/order.ts";
import { TALLY_LIMITS } from "../../domain/filters/facets.ts";
import type { ItemListing } from "../../domain/pages/rendering/listing.ts";
import type { MessageJson } from "../../protojson/message-json.ts";
import type { StoredContent } from "../../storage/contract/content-store.ts";
import type { DeliveryCall } from "../steps/delivery-call.ts";
import {
  type ContentList,
  type ContentLists,
  type ListedTotal,
  type ListQuery,
  toItem,
} from "./content-list.ts";

/** A request for items of a component. */
interface ItemsQuery {
  readonly componentId: string;
  readonly listing: ItemListing;
  /** The maximum number of items, and the number that is asked for. */
  readonly size: number;
  readonly pageSize: number;
  /** Continues after the response that returned it; empty: from the start. */
  readonly pageToken: string;
  /** The day and time zone of the listed items; absent: any day. */
  readonly day?: string;
  readonly timeZone?: string;
  /** True to count the items on all pages. */
  readonly includeTotal?: boolean;
}

/** A page of a component's items. */
interface ItemsPage extends ListedTotal, PageEnd {
  readonly items: readonly MessageJson<Item>[];
}

/** The number of pinned items looked up in one query. */
const PINNED_AT_ONCE = 20;

/**
 * Decides how many items a page of a component has: the component's limit is the default and the maximum.
 * INVALID_ARGUMENT `PAGE_SIZE_INVALID` at `field`.
 */
export function resolveItemsPageSize(asked: number, { limit }: ItemListing, field: string): number {
  if (limit === 0) return resolvePageSize(asked, DELIVERY_PAGE_SIZE, field);
  const most = Math.min(limit, DELIVERY_PAGE_SIZE.maximum);
  return resolvePageSize(asked, { standard: most, maximum: most }, field);
}

/** The start of a page: a pinned item, counted from 0, or a place in the list. */
type Start =
  | { readonly in: "pinned"; readonly index: number }
  | { readonly in: "list"; readonly after: OrderPlace | undefined };

const FIRST: Start = { in: "pinned", index: 0 };
const LIST_START: Start = { in: "list", after: undefined };

/** The items of components. */
export class ComponentItems {
  readonly #contents: Pick<ContentLists, "open">;
  readonly #pageTokens: PageTokens;

  constructor(contents: Pick<ContentLists, "open">, pageTokens: PageTokens) {
    this.#contents = contents;
    this.#pageTokens = pageTokens;
  }

  /**
   * Lists the items of a component: the pinned ones in their order, then the others in the listing's order;
   * none of a hidden listing. Limits the freshness of the response. INVALID_ARGUMENT `PAGE_TOKEN_INVALID`.
   */
  async list(query: ItemsQuery, call: DeliveryCall): Promise<ItemsPage> {
    const { listing, size, includeTotal = false } = query;
    const page = new RequestedPage(this.#pageTokens, query, size, toBinding(query, call));
    const { after: start = FIRST } = page.readStart(toStart);
    if (listing.hidden) {
      const total = includeTotal ? { total: 0 } : {};
      return { items: [], ...page.end(undefined), ...total };
    }
    const { kind, excludeGeoblocked, pinned } = listing;
    const exclude = new Set(pinned);
    const list = await this.#contents.open(
      { kind, query: toQuery(listing), excludeGeoblocked, exclude },
      call,
    );
    const { items, next } = await readFrom(start, list, { pinned, size, budget: call.budget });
    list.addResources(items, pinned);
    return {
      items: items.map((item) => toItem(kind, item)),
      ...page.end(next && toPosition(next)),
      ...(await countItems(list, pinned, includeTotal)),
    };
  }
}

/** Counts the pinned items and those behind them, if that is requested. */
async function countItems(
  list: ContentList,
  pinned: readonly string[],
  includeTotal: boolean,
): Promise<ListedTotal> {
  const { total: behind, totalIsLowerBound = false } = await list.count({ includeTotal });
  if (behind === undefined) return {};
  const total = behind + (pinned.length === 0 ? 0 : (await list.pick(pinned)).size);
  const most = TALLY_LIMITS.items;
  return {
    total: Math.min(total, most),
    totalIsLowerBound: totalIsLowerBound || total > most,
  };
}

function toQuery({ kind, node, words, order }: ItemListing): ListQuery {
  return { filter: node, words, order: parseContentOrder(order, kind) };
}

/** A read of a list, with its budget. */
interface Reading {
  readonly pinned: readonly string[];
  readonly size: number;
  readonly budget: WorkBudget;
}

/** Items and the start of the next page; undefined on the last. */
interface ReadItems {
  readonly items: readonly StoredContent[];
  readonly next: Start | undefined;
}

async function readFrom(start: Start, list: ContentList, reading: Reading): Promise<ReadItems> {
  const { size, budget } = reading;
  // The preceding components have used the whole budget.
  if (budget.isSpent) return { items: [], next: start };
  if (start.in === "list") return readBehind(list, size, start.after);
  const pinned = await takePinned(list, start.index, reading);
  if (pinned.next !== undefined) return pinned;
  const room = size - pinned.items.length;
  if (room > 0 && budget.isSpent) return { items: pinned.items, next: LIST_START };
  const rest = await readBehind(list, Math.max(room, 1), undefined);
  if (room > 0) return { items: [...pinned.items, ...rest.items], next: rest.next };
  const isMore = rest.items.length > 0 || rest.next !== undefined;
  return { items: pinned.items, next: isMore ? LIST_START : undefined };
}

async function readBehind(
  list: ContentList,
  size: number,
  after: OrderPlace | undefined,
): Promise<ReadItems> {
  const { items, next } = await list.read(size, after);
  return { items, next: next && { in: "list", after: next } };
}

async function takePinned(
  list: ContentList,
  first: number,
  { pinned, size, budget }: Reading,
): Promise<ReadItems> {
  const items: StoredContent[] = [];
  for (let from = first; from < pinned.length; from += PINNED_AT_ONCE) {
    const ids = pinned.slice(from, from + PINNED_AT_ONCE);
    const picked = await list.pick(ids);
    for (const [offset, id] of ids.entries()) {
      const item = picked.get(id);
      if (item === undefined) continue;
      const fits = () => budget.takeBytes(Buffer.byteLength(item.json));
      if (items.length === size || (!fits() && items.length > 0)) {
        return { items, next: { in: "pinned", index: from + offset } };
      }
      items.push(item);
    }
    await budget.nextStep();
    const index = from + ids.length;
    if (budget.isSpent && index < pinned.length) return { items, next: { in: "pinned", index } };
  }
  return { items, next: undefined };
}

function toBinding(query: ItemsQuery, { key }: DeliveryCall): readonly unknown[] {
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
