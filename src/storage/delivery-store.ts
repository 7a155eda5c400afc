import type { Offer } from "../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import type { BannerCollection } from "../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import type { Annotation } from "../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import type { Page } from "../../gen/svc/studio/ott/page/v1/page_pb.ts";
import type { PageComponent } from "../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import type { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import type { ContentOrder } from "../domain/content/order.ts";
import type { KqlNode } from "../domain/kql/index.ts";
import type { WorkBudget } from "../domain/work-budget.ts";

/** The stores of what delivery shows to everybody. */
export interface DeliveryReads {
  readonly annotations: AnnotationStore;
  readonly bannerCollections: BannerCollectionStore;
  readonly creativeWorks: ContentStore;
  readonly entities: ContentStore;
  readonly events: ContentStore;
  readonly offers: OfferStore;
  readonly pages: PageStore;
}

/** A project and the visibilities that its reader may see; the store returns nothing else. */
export interface VisibilityScope {
  readonly projectId: string;
  readonly visibilities: readonly Visibility[];
}

/** Selects the content to list. */
export interface ContentQuery extends VisibilityScope {
  /** Filters the content's JSON, with proto field names; absent: every item matches. */
  readonly filter?: KqlNode;
  /** Prefixes, each of which must begin a word of title, description or fields; empty: every item matches. */
  readonly words: readonly string[];
  readonly order: ContentOrder;
  readonly limit: number;
  /** Continues after this place; absent: at the beginning. */
  readonly after?: ContentPlace | undefined;
  /** The value of `now` in a filter. */
  readonly now: Date;
  /** The budget of the request; absent: the list gets its own. */
  readonly budget?: WorkBudget;
}

/** A place in an order: the sort value and the id. */
export interface ContentPlace {
  /**
   * A text for titles, otherwise microseconds since 1970; null for items without a value, and in order by id.
   */
  readonly key: string | number | null;
  readonly id: string;
}

/** A content item as it is stored: few readers need more of it than its JSON. */
export interface StoredContent {
  readonly id: string;
  /** The JSON of the item in the form of delivery's responses. */
  readonly json: string;
}

/** A page of content. */
export interface ContentPage {
  /** At most `limit` entries; fewer if the budget is spent. */
  readonly entries: readonly ContentEntry[];
  /** The place to continue from; undefined if no more follow. */
  readonly next: ContentPlace | undefined;
}

/** A content item and its place in the requested order. */
export interface ContentEntry {
  readonly item: StoredContent;
  readonly place: ContentPlace;
}

/** Selects content by id. */
export interface ContentIds extends VisibilityScope {
  readonly ids: readonly string[];
  /** The budget to charge when the look-up is part of a longer list. */
  readonly budget?: WorkBudget;
}

/** Events, creative works or entities. */
export interface ContentStore {
  /** Returns an item; NOT_FOUND if there is none in the scope. */
  get(key: VisibilityScope & { readonly id: string }): Promise<StoredContent>;
  /** Returns the items found among some ids, in unspecified order. */
  getMany(key: ContentIds): Promise<readonly StoredContent[]>;
  /** Lists in the requested order, ties by id; items without a value come last in both directions. */
  list(query: ContentQuery): Promise<ContentPage>;
}

/** A visibility scope of pages, with the visibilities of their components. */
export interface PageVisibilityScope extends VisibilityScope {
  readonly componentVisibilities: readonly Visibility[];
}

/** Identifies a page by its id, its slug, or the id of one of its components. */
export type PageKey = PageVisibilityScope &
  ({ readonly id: string } | { readonly slug: string } | { readonly componentId: string });

/** A page with its components in order. */
export interface PageWithComponents {
  readonly page: Page;
  readonly components: readonly PageComponent[];
}

/** A page of pages. */
export interface PageOfPages {
  readonly pages: readonly Page[];
  readonly hasMore: boolean;
}

/** Pages. */
export interface PageStore {
  /**
   * Returns a page with the components that have one of the component visibilities; NOT_FOUND if the page, or
   * the component that identifies it, does not exist or is not visible.
   */
  get(key: PageKey): Promise<PageWithComponents>;
  /** Returns the components found among some ids, of any page, in unspecified order. */
  getComponents(
    key: PageVisibilityScope & { readonly ids: readonly string[] },
  ): Promise<readonly PageComponent[]>;
  /** Lists by slug, from after the slug `after`. */
  list(
    query: VisibilityScope & { readonly limit: number; readonly after?: string },
  ): Promise<PageOfPages>;
}

/** Banner collections. */
export interface BannerCollectionStore {
  /** Returns the collections found among some ids, in unspecified order. */
  getMany(
    key: VisibilityScope & { readonly ids: readonly string[] },
  ): Promise<readonly BannerCollection[]>;
}

/** Selects the annotations to list; at least one of the two ids is set. */
export interface AnnotationQuery extends VisibilityScope {
  readonly videoId?: string;
  readonly eventId?: string;
  readonly limit: number;
  readonly after?: AnnotationPlace;
}

/** A place in the order of annotations: by offset, unset last, then order, then id. */
export interface AnnotationPlace {
  /** Microseconds from the start of the video; absent for an annotation without an offset. */
  readonly offset?: number;
  /** An int64. */
  readonly order: bigint;
  readonly id: string;
}

/** A page of annotations. */
export interface AnnotationPage {
  readonly annotations: readonly Annotation[];
  /** The last place of the page; absent if no more follow. */
  readonly next?: AnnotationPlace;
}

/** Annotations. */
export interface AnnotationStore {
  /** Lists by offset, unset last, then order, then id. */
  list(query: AnnotationQuery): Promise<AnnotationPage>;
}

/** A place in the order of offers: by position, then id. */
export interface OfferPlace {
  readonly position: number;
  readonly id: string;
}

/** A page of offers. */
export interface OfferPage {
  readonly offers: readonly Offer[];
  /** The last place of the page; absent if no more follow. */
  readonly next?: OfferPlace;
}

/** Offers. */
export interface OfferStore {
  /** Returns the offers found among some ids, in unspecified order. */
  getMany(key: VisibilityScope & { readonly ids: readonly string[] }): Promise<readonly Offer[]>;
  /** Lists by position, then id. */
  list(
    query: VisibilityScope & { readonly limit: number; readonly after?: OfferPlace },
  ): Promise<OfferPage>;
  /**
   * Lists the ids of offers that open a video, or an event or creative work that shows it, by position, then
   * id: at most `limit`, searched for among the first 1,000 visible offers.
   */
  listOpening(
    query: VisibilityScope & { readonly videoId: string; readonly limit: number },
  ): Promise<readonly string[]>;
}
