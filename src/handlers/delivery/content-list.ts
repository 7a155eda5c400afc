import type { Item } from "../../../gen/svc/cda/cms/item/v1/item_pb.ts";
import { type ContentKind, parseContentOrder } from "../../domain/content/order.ts";
import { parseSearch } from "../../domain/content/search.ts";
import { listedVisibilities } from "../../domain/content/visibility.ts";
import { blameField } from "../../domain/errors.ts";
import { parseKql } from "../../domain/kql/index.ts";
import { WORK_LIMITS, type WorkBudget } from "../../domain/work-budget.ts";
import type { ContentPlace, ContentQuery, VisibilityScope } from "../../storage/delivery-store.ts";
import type { ProjectKey, Store } from "../../storage/store.ts";
import type { PreparedRulesetsSource } from "../prepared-rulesets.ts";
import { createGeoSieves } from "./geo-sieve.ts";
import { type ContentItems, createContentItems } from "./items.ts";

/** What a list of content shows. */
export interface ContentListing {
  readonly kind: ContentKind;
  /** KQL; empty: everything. */
  readonly filter: string;
  /** Words; empty: everything. */
  readonly search: string;
  /** `<field> asc` or `<field> desc`; empty: the kind's own. */
  readonly order: string;
  readonly excludeGeoblocked: boolean;
  /** Ids that are left out. */
  readonly exclude?: ReadonlySet<string>;
}

/** Who looks at a list, when and from where. */
export interface ListViewer {
  readonly key: ProjectKey;
  readonly now: Date;
  /** ISO 3166-1 alpha-2, upper case; undefined: not known. */
  readonly country: string | undefined;
  /** The one budget of the request, over all lists that are read for its answer. */
  readonly budget: WorkBudget;
}

/** A page of content items. */
export interface ListedContent {
  readonly items: readonly Item[];
  /** Where to go on, if more may follow. */
  readonly next: ContentPlace | undefined;
}

/** The content of projects, of whatever kind. */
export interface ContentLists {
  /**
   * Lists what a viewer may see in lists. INVALID_ARGUMENT `KQL_SYNTAX`, `KQL_LIMIT`,
   * `ORDER_INVALID` or `SEARCH_INVALID`.
   */
  list(
    listing: ContentListing,
    viewer: ListViewer,
    limit: number,
    after: ContentPlace | undefined,
  ): Promise<ListedContent>;
  /** Gets what a viewer may see in lists, by id; those that are not there are left out. */
  getListed(
    listing: Pick<ContentListing, "kind" | "excludeGeoblocked">,
    ids: readonly string[],
    viewer: ListViewer,
  ): Promise<ReadonlyMap<string, Item>>;
  /** Gets items of the visibilities by id; those that are not there are left out. */
  get(
    kind: ContentKind,
    ids: readonly string[],
    scope: VisibilityScope,
  ): Promise<ReadonlyMap<string, Item>>;
}

/** How much longer a page is read when items may be geoblocked, and how long at the most. */
const SPARE = 80;
const LONGEST_PAGE = 200;

/** Creates the lists over a store and the rulesets of its projects. */
export function createContentLists(
  store: Pick<Store, "creativeWorks" | "entities" | "events">,
  preparedRulesets: PreparedRulesetsSource,
): ContentLists {
  const contents: ContentItems = createContentItems(store);
  const geoSieves = createGeoSieves(preparedRulesets);

  return {
    async list(listing, viewer, limit, after) {
      const { kind, exclude } = listing;
      const spare = listing.excludeGeoblocked ? SPARE : (exclude?.size ?? 0);
      const query = toQuery(listing, viewer, Math.min(limit + spare, LONGEST_PAGE));
      const isBlocked = listing.excludeGeoblocked ? await geoSieves.open(viewer) : undefined;
      const { budget } = viewer;
      const items: Item[] = [];
      let place = after;
      do {
        const page = await contents.list(kind, { ...query, ...(place && { after: place }) });
        const start = budget.spent;
        for (const [index, { item, place: own }] of page.entries.entries()) {
          if (isBlocked !== undefined) await budget.nextStep();
          const isLeftOut =
            exclude?.has(own.id) || (isBlocked && budget.count(() => isBlocked(item)));
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

    async getListed({ kind, excludeGeoblocked }, ids, viewer) {
      const { projectId, kind: keyKind } = viewer.key;
      const { budget } = viewer;
      const visibilities = listedVisibilities(keyKind);
      const items = await contents.getMany(kind, { projectId, visibilities, ids, budget });
      const isBlocked = excludeGeoblocked ? await geoSieves.open(viewer) : () => false;
      return toMap(items.filter((item) => !budget.count(() => isBlocked(item))));
    },

    async get(kind, ids, scope) {
      return toMap(await contents.getMany(kind, { ...scope, ids }));
    },
  };
}

function toMap(items: readonly Item[]): ReadonlyMap<string, Item> {
  return new Map(items.map((item) => [item.item.value?.id ?? "", item]));
}

function toQuery(
  { kind, filter, search, order }: ContentListing,
  { key, now, budget }: ListViewer,
  limit: number,
): ContentQuery {
  return {
    projectId: key.projectId,
    visibilities: listedVisibilities(key.kind),
    filter: blameField("filter", () => parseKql(filter)),
    words: parseSearch(search, "search"),
    order: parseContentOrder(order, kind),
    limit,
    now,
    budget,
  };
}
