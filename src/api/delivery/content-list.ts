import { create, type Message } from "@bufbuild/protobuf";
import type { GenMessage } from "@bufbuild/protobuf/codegenv2";
import { type Item, ItemSchema } from "../../../gen/svc/cda/cms/item/v1/item_pb.ts";
import { type Facet, FacetSchema } from "../../../gen/svc/type/v1/facet_pb.ts";
import { notFound } from "../../domain/base/errors.ts";
import { blameField } from "../../domain/base/field-errors.ts";
import {
  DELIVERY_PAGE_SIZE,
  type OrderPlace,
  type PageEnd,
  type PageFields,
  type PageTokens,
} from "../../domain/base/paging.ts";
import { WORK_LIMITS } from "../../domain/base/work-budget.ts";
import {
  type ContentKind,
  type ContentOrder,
  parseContentOrder,
} from "../../domain/content/order.ts";
import { parseSearch } from "../../domain/content/search.ts";
import { checkFacets, listFacetValues, TALLY_LIMITS } from "../../domain/filters/facets.ts";
import { listWarningsOf } from "../../domain/filters/filter-warnings.ts";
import { KINDS, type KindMessage } from "../../domain/kinds.ts";
import { findRequiredTexts, type KqlNode, parseKql, readsNow } from "../../domain/kql/index.ts";
import { readProtectedItem } from "../../domain/protection/content.ts";
import { isGeoblocked } from "../../domain/protection/geoblock.ts";
import type { PreparedRulesets } from "../../domain/protection/prepare.ts";
import { surrogateKeyOf } from "../../domain/surrogate-keys.ts";
import { MessageJson } from "../../protojson/message-json.ts";
import type {
  ContentStore,
  StoredContent,
  VisibilityScope,
} from "../../storage/contract/content-store.ts";
import type { DeliveryCall } from "../steps/delivery-call.ts";
import type { ViewerPlaces } from "./viewer-place.ts";

/** The filter, search and order of a list. */
export interface ListRequest extends PageFields {
  /** A KQL expression; empty: everything. */
  readonly filter: string;
  /** Search terms; empty: everything. */
  readonly search: string;
  /** `<field> asc` or `<field> desc`; empty: the default of the kind. */
  readonly order: string;
  readonly excludeGeoblocked?: boolean;
  readonly includeTotal: boolean;
  /** The paths of the fields whose values are counted. */
  readonly facets: readonly string[];
}

/** A page of a list, with the requested numbers of all of its pages. */
interface ListedContent<Kind extends ContentKind> extends ListedTotal, PageEnd {
  readonly items: MessageJson<KindMessage<Kind>>[];
  readonly facets?: readonly Facet[];
}

/** The number of items on all pages of a list; absent: it was not requested. */
export interface ListedTotal {
  readonly total?: number;
  readonly totalIsLowerBound?: boolean;
}

/** A parsed filter, search and order. */
export interface ListQuery {
  readonly filter: KqlNode;
  readonly words: readonly string[];
  readonly order: ContentOrder;
}

interface ContentListing {
  readonly kind: ContentKind;
  readonly query: ListQuery;
  readonly excludeGeoblocked: boolean;
  /** The ids to exclude. */
  readonly exclude?: ReadonlySet<string>;
}

interface ContentListSources {
  readonly pageTokens: PageTokens;
  readonly places: Pick<ViewerPlaces, "findCountry">;
}

/** The lifetime of a response whose filter reads the clock, in seconds (contract: kql 4). */
const NOW_SECONDS = 30;

/** The number of extra items read when some may be geoblocked; in total at most `MAX_READ`. */
const SPARE = 80;
const MAX_READ = 200;

/** The content of projects, of every kind. */
export class ContentLists {
  readonly #sources: ContentListSources;

  constructor(sources: ContentListSources) {
    this.#sources = sources;
  }

  /** Reads the page of a kind that a List method returns. */
  async list<Kind extends ContentKind>(
    kind: Kind,
    request: ListRequest,
    call: DeliveryCall,
  ): Promise<ListedContent<Kind>> {
    const { pageTokens } = this.#sources;
    const { filter, search, order, excludeGeoblocked = false } = request;
    const { projectId, kind: keyKind } = call.key;
    const binding = ["content", kind, filter, search, order, excludeGeoblocked, projectId, keyKind];
    const page = pageTokens.open(request, DELIVERY_PAGE_SIZE, binding);
    checkFacets(request.facets, kind);
    const query = parseListQuery(kind, request);
    call.warn(listWarningsOf(query.filter, "filter", KINDS[kind].schema));
    const list = await this.open({ kind, query, excludeGeoblocked }, call);
    const { after } = page.readPlace();
    const { items, next } = await list.read(page.limit, after);
    list.addResources(items);
    return {
      items: items.map((item) => toContent(kind, item)),
      ...page.endAt(next),
      ...(await list.count(request)),
    };
  }

  /** Returns the item of a kind that a Get method names; NOT_FOUND. */
  async get<Kind extends ContentKind>(
    kind: Kind,
    id: string,
    { budget, freshness, readable, reads }: DeliveryCall,
  ): Promise<MessageJson<KindMessage<Kind>>> {
    const [item] = await reads.contents[kind].getMany({ ...readable, ids: [id], budget });
    if (item === undefined) throw notFound(kind, id);
    freshness.addResources([surrogateKeyOf(kind, readable.projectId, id)]);
    return toContent(kind, item);
  }

  /** Opens a list and limits the freshness of its response. */
  async open(listing: ContentListing, call: DeliveryCall): Promise<ContentList> {
    const { key, reads, budget, freshness } = call;
    if (readsNow(listing.query.filter)) {
      freshness.limitUntil(call.now.getTime() + NOW_SECONDS * 1_000);
    }
    if (!listing.excludeGeoblocked) return new ContentList(listing, call);
    freshness.markPersonal();
    const rulesets = await reads.rulesets.find(key.projectId, budget);
    const country = call.previewCountry ?? this.#sources.places.findCountry(call);
    return new ContentList(listing, call, { rulesets, country });
  }
}

/** The geoblocks that exclude items from a list. */
interface Geoblocks {
  readonly rulesets: PreparedRulesets;
  /** The country of the viewer: ISO 3166-1 alpha-2, upper case; undefined: unknown. */
  readonly country: string | undefined;
}

/** A list of content. */
export class ContentList {
  readonly #store: ContentStore;
  readonly #listing: ContentListing;
  readonly #call: DeliveryCall;
  readonly #scope: VisibilityScope & Pick<DeliveryCall, "budget">;
  readonly #geoblocks: Geoblocks | undefined;

  /** Without geoblocks, no item is excluded by the rulesets of its videos. */
  constructor(listing: ContentListing, call: DeliveryCall, geoblocks?: Geoblocks) {
    const { listed, budget, reads } = call;
    this.#store = reads.contents[listing.kind];
    this.#listing = listing;
    this.#call = call;
    this.#scope = { ...listed, budget };
    this.#geoblocks = geoblocks;
  }

  /** Reads up to `limit` items; `next` continues the list if more may follow. */
  async read(
    limit: number,
    after: OrderPlace | undefined,
  ): Promise<{ items: StoredContent[]; next: OrderPlace | undefined }> {
    const { query, exclude } = this.#listing;
    const { budget, freshness, now } = this.#call;
    const { filter, words, order } = query;
    const spare = this.#geoblocks ? SPARE : (exclude?.size ?? 0);
    const most = Math.min(limit + spare, MAX_READ);
    const longer = { ...this.#scope, filter, words, order, now, limit: most };
    const items: StoredContent[] = [];
    let start = after;
    do {
      const { entries, next } = await this.#store.list({ ...longer, after: start });
      const spent = budget.spent;
      for (const [index, { item, place }] of entries.entries()) {
        if (this.#geoblocks) await budget.nextStep();
        const isLeftOut = exclude?.has(place.id) || (await this.#isBlocked(item));
        if (!isLeftOut) items.push(item);
        const isLast = index === entries.length - 1;
        if (items.length === limit) return { items, next: isLast ? next : place };
        const isLong = budget.spent - spent >= WORK_LIMITS.page;
        if (isLong && !isLast) {
          freshness.endEarly(now);
          return { items, next: place };
        }
      }
      start = next;
    } while (start !== undefined && !budget.isSpent);
    return { items, next: start };
  }

  /** Counts the items on all pages, and the values of some fields, as far as they are requested. */
  async count({
    includeTotal,
    facets = [],
  }: Pick<ListRequest, "includeTotal"> & Partial<Pick<ListRequest, "facets">>): Promise<
    ListedTotal & { readonly facets?: readonly Facet[] }
  > {
    if (!includeTotal && facets.length === 0) return {};
    const { query, exclude = [] } = this.#listing;
    const { filter, words } = query;
    const tally = await this.#store.tally({
      ...{ ...this.#scope, filter, words, now: this.#call.now },
      ...{ fields: facets, except: [...exclude], most: TALLY_LIMITS.items },
    });
    return {
      ...(includeTotal && { total: tally.total, totalIsLowerBound: tally.isLowerBound }),
      facets: facets.map((field) =>
        create(FacetSchema, {
          ...{ field, ...listFacetValues(tally.values.get(field)) },
          isLowerBound: tally.areValuesLowerBounds,
        }),
      ),
    };
  }

  /** Returns items by id if the list may show them, regardless of its filter; others are absent. */
  async pick(ids: readonly string[]): Promise<ReadonlyMap<string, StoredContent>> {
    const items = await this.#store.getMany({ ...this.#scope, ids });
    const shown = new Map<string, StoredContent>();
    for (const item of items) {
      if (!(await this.#isBlocked(item))) shown.set(item.id, item);
    }
    return shown;
  }

  /**
   * Adds the keys of a response with items of the list. Items that are picked by id may be of any type, and missing
   * ones may be created.
   */
  addResources(items: readonly StoredContent[], picked: readonly string[] = []): void {
    const { freshness, key } = this.#call;
    const { kind, query } = this.#listing;
    const entityIds = findRequiredTexts(query.filter, "entity_ids");
    const types = findRequiredTexts(query.filter, "content_type");
    freshness.addList(kind, key.projectId, items, { entityIds, types });
    if (entityIds === undefined && types === undefined) return;
    freshness.addResources(picked.map((id) => surrogateKeyOf(kind, key.projectId, id)));
  }

  /** Reports whether rulesets geoblock an item in the viewer's country; never for entities. */
  async #isBlocked(item: StoredContent): Promise<boolean> {
    const { kind } = this.#listing;
    if (this.#geoblocks === undefined || kind === "entity") return false;
    const { rulesets, country } = this.#geoblocks;
    const { budget, now } = this.#call;
    const parts = budget.count(() => readProtectedItem(kind, item.json));
    return budget.run(isGeoblocked(parts, rulesets, country, now.getTime()));
  }
}

function toContent<Kind extends ContentKind>(kind: Kind, { json }: StoredContent) {
  const { schema } = KINDS[kind];
  return new MessageJson(schema as GenMessage<Message> as GenMessage<KindMessage<Kind>>, [json]);
}

const MEMBERS = { event: "event", creative_work: "creativeWork", entity: "entity" } as const;

/** Wraps content of a kind in the message of items, which has a member for each kind. */
export function toItem(kind: ContentKind, { json }: StoredContent): MessageJson<Item> {
  return new MessageJson(ItemSchema, [`{"${MEMBERS[kind]}":`, json, "}"]);
}

/**
 * Parses the filter, search and order of a list. INVALID_ARGUMENT `KQL_SYNTAX`, `KQL_LIMIT`, `ORDER_INVALID`
 * or `SEARCH_INVALID`.
 */
export function parseListQuery(
  kind: ContentKind,
  { filter, search, order }: Pick<ListRequest, "filter" | "order" | "search">,
): ListQuery {
  const parsed = blameField("filter", () => parseKql(filter));
  return {
    filter: parsed,
    words: parseSearch(search, "search"),
    order: parseContentOrder(order, kind),
  };
}
