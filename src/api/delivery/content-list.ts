import {
  type ContentKind,
  type ContentOrder,
  parseContentOrder,
} from "../../domain/content/order.ts";
import { parseSearch } from "../../domain/content/search.ts";
import { listedVisibilities, readableVisibilities } from "../../domain/content/visibility.ts";
import { blameField, Code, DomainError, notFound } from "../../domain/errors.ts";
import { surrogateKeyOf } from "../../domain/kinds.ts";
import { type KqlNode, parseKql, readsNow } from "../../domain/kql/index.ts";
import { DELIVERY_PAGE_SIZE, type PageTokens, resolvePageSize } from "../../domain/paging.ts";
import { WORK_LIMITS } from "../../domain/work-budget.ts";
import type {
  ContentPlace,
  ContentStore,
  DeliveryReads,
  StoredContent,
  VisibilityScope,
} from "../../storage/delivery-store.ts";
import type { DeliveryCall } from "../steps/delivery-call.ts";
import { isContentGeoblocked } from "./content-item.ts";
import type { PreparedRulesetsSource } from "./prepared-rulesets.ts";
import type { FindCountry } from "./viewer-place.ts";

/** A call that reads content, and where its viewer is. */
export interface ReadContext extends Pick<DeliveryCall, "budget" | "freshness" | "key" | "now"> {
  /** ISO 3166-1 alpha-2, upper case; undefined: unknown. */
  readonly country: string | undefined;
}

/** The filter, search and order of a list. */
export interface ListRequest {
  readonly pageSize: number;
  readonly pageToken: string;
  /** A KQL expression; empty: everything. */
  readonly filter: string;
  /** Search terms; empty: everything. */
  readonly search: string;
  /** `<field> asc` or `<field> desc`; empty: the default of the kind. */
  readonly order: string;
  readonly excludeGeoblocked?: boolean;
}

/** A parsed filter, search and order. */
export interface ListQuery {
  readonly filter: KqlNode;
  /** True if the filter depends on the clock. */
  readonly readsNow: boolean;
  readonly words: readonly string[];
  readonly order: ContentOrder;
}

/** The content to list. */
export interface ContentListing {
  readonly kind: ContentKind;
  readonly query: ListQuery;
  readonly excludeGeoblocked: boolean;
  /** The ids to exclude. */
  readonly exclude?: ReadonlySet<string>;
}

/** A list of content. */
export interface ContentList {
  /** Reads up to `limit` items; `next` continues the list if more may follow. */
  read(
    limit: number,
    after: ContentPlace | undefined,
  ): Promise<{ items: StoredContent[]; next: ContentPlace | undefined }>;
  /** Returns items by id if the list may show them, whatever its filter; others are absent. */
  pick(ids: readonly string[]): Promise<ReadonlyMap<string, StoredContent>>;
  /** Adds the items of an answer and their collection to its resource keys. */
  note(items: readonly StoredContent[]): void;
}

/** The content of projects, of every kind. */
export interface ContentLists {
  /** Answers the List method of a kind. */
  list(
    kind: ContentKind,
    request: ListRequest,
    call: DeliveryCall,
  ): Promise<{ items: StoredContent[]; nextPageToken: string }>;
  /** Answers the Get method of a kind; NOT_FOUND. */
  get(kind: ContentKind, id: string, call: DeliveryCall): Promise<StoredContent>;
  /** Opens a list and limits the freshness of its answer. */
  open(listing: ContentListing, reader: ReadContext): Promise<ContentList>;
  /** Returns items of a visibility scope by id; missing ones are absent. */
  getItems(
    kind: ContentKind,
    ids: readonly string[],
    scope: VisibilityScope,
  ): Promise<ReadonlyMap<string, StoredContent>>;
}

/** The sources of the lists. */
export interface ContentListSources {
  readonly reads: Pick<DeliveryReads, "creativeWorks" | "entities" | "events">;
  readonly preparedRulesets: PreparedRulesetsSource;
  readonly pageTokens: PageTokens;
  readonly findCountry: FindCountry;
}

/** The time for which an answer may be served if its filter reads the clock, in seconds (contract: kql 4). */
const NOW_SECONDS = 30;

/** The number of extra items read when some may be geoblocked; in total at most `MAX_READ`. */
const SPARE = 80;
const MAX_READ = 200;

/** Creates the lists of content. */
export function createContentLists(sources: ContentListSources): ContentLists {
  const { reads, preparedRulesets, pageTokens, findCountry } = sources;
  const stores: { readonly [Kind in ContentKind]: ContentStore } = {
    event: reads.events,
    creative_work: reads.creativeWorks,
    entity: reads.entities,
  };

  const lists: ContentLists = {
    async list(kind, request, call) {
      const reader = toReadContext(call, findCountry);
      const limit = resolvePageSize(request.pageSize, DELIVERY_PAGE_SIZE);
      const { filter, search, order, excludeGeoblocked = false, pageToken } = request;
      const query = parseListQuery(kind, request);
      const list = await lists.open({ kind, query, excludeGeoblocked }, reader);
      const { projectId, kind: keyKind } = reader.key;
      const asked = ["content", kind, filter, search, order, excludeGeoblocked, projectId, keyKind];
      const [key = null, id] = pageToken === "" ? [] : pageTokens.verify(pageToken, asked);
      const after = pageToken === "" ? undefined : { key, id: String(id) };
      const { items, next } = await list.read(limit, after);
      list.note(items);
      return { items, nextPageToken: next ? pageTokens.sign([next.key, next.id], asked) : "" };
    },

    async get(kind, id, call) {
      const { projectId, kind: keyKind } = call.key;
      const visibilities = readableVisibilities(keyKind);
      const { budget } = call;
      const [item] = await stores[kind].getMany({ projectId, visibilities, ids: [id], budget });
      if (item === undefined) throw notFound(`${kind} ${id}`);
      call.freshness.addResources([surrogateKeyOf(kind, projectId, id)]);
      return item;
    },

    async open({ kind, query, excludeGeoblocked, exclude }, reader) {
      const { key, now, country, budget, freshness } = reader;
      const { projectId } = key;
      const { filter, words, order } = query;
      const scope = { projectId, visibilities: listedVisibilities(key.kind), budget };
      if (query.readsNow) freshness.limit(NOW_SECONDS);
      if (excludeGeoblocked) freshness.markPersonal();
      const rulesets = excludeGeoblocked ? await preparedRulesets.find(projectId) : undefined;
      const isBlocked = (item: StoredContent) =>
        rulesets !== undefined &&
        budget.count(() => isContentGeoblocked(kind, item, { rulesets, country, now }));

      return {
        async read(limit, after) {
          const spare = excludeGeoblocked ? SPARE : (exclude?.size ?? 0);
          const most = Math.min(limit + spare, MAX_READ);
          const longer = { ...scope, filter, words, order, now, limit: most };
          const items: StoredContent[] = [];
          let place = after;
          do {
            const page = await stores[kind].list({ ...longer, after: place });
            const start = budget.spent;
            for (const [index, { item, place: own }] of page.entries.entries()) {
              if (excludeGeoblocked) await budget.nextStep();
              const isLeftOut = exclude?.has(own.id) || isBlocked(item);
              if (!isLeftOut) items.push(item);
              const isLast = index === page.entries.length - 1;
              if (items.length === limit) return { items, next: isLast ? page.next : own };
              const isLong = budget.spent - start >= WORK_LIMITS.page;
              if (isLong && !isLast) return { items, next: own };
            }
            place = page.next;
          } while (place !== undefined && !budget.isSpent);
          return { items, next: place };
        },

        async pick(ids) {
          const items = await stores[kind].getMany({ ...scope, ids });
          const shown = items.filter((item) => !isBlocked(item));
          return new Map(shown.map((item) => [item.id, item]));
        },

        note(items) {
          freshness.addList(kind, projectId, items);
        },
      };
    },

    async getItems(kind, ids, scope) {
      const items = await stores[kind].getMany({ ...scope, ids });
      return new Map(items.map((item) => [item.id, item]));
    },
  };
  return lists;
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
    readsNow: readsNow(parsed),
    words: parseSearch(search, "search"),
    order: parseContentOrder(order, kind),
  };
}

/** Converts a call to the context of its reads. */
export function toReadContext(call: DeliveryCall, findCountry: FindCountry): ReadContext {
  const { budget, freshness, key, now } = call;
  const country = readPreviewCountry(call) ?? findCountry(call);
  return { budget, freshness, key, now, country };
}

/**
 * Reads the country for which a caller with a preview key asks, in `X-Preview-Country`; undefined without one.
 * INVALID_ARGUMENT `COUNTRY_CODE_INVALID`.
 */
function readPreviewCountry(call: DeliveryCall): string | undefined {
  if (call.key.kind !== "preview") return undefined;
  const country = call.readHeader("x-preview-country");
  if (country === undefined) return undefined;
  if (/^[A-Z]{2}$/.test(country)) return country;
  throw new DomainError(
    Code.INVALID_ARGUMENT,
    "COUNTRY_CODE_INVALID",
    "x-preview-country must be an ISO 3166-1 alpha-2 code such as DE",
  );
}
