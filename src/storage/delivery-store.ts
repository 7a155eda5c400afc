import type { Offer } from "../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import type { BannerCollection } from "../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import type { Annotation } from "../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import type { Page } from "../../gen/svc/studio/ott/page/v1/page_pb.ts";
import type { PageComponent } from "../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import type { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import type { ContentOrder } from "../domain/content/order.ts";
import type { KqlNode } from "../domain/kql/index.ts";
import type { WorkBudget } from "../domain/work-budget.ts";

/** A project and the visibilities that its reader may see; nothing else leaves the store. */
export interface VisibilityScope {
  readonly projectId: string;
  readonly visibilities: readonly Visibility[];
}

/** Which content to list. */
export interface ContentQuery extends VisibilityScope {
  /** Takes the content's JSON with proto field names; absent: everything. */
  readonly filter?: KqlNode;
  /** Words that each begin a word of title, description or fields; none: everything. */
  readonly words: readonly string[];
  readonly order: ContentOrder;
  readonly limit: number;
  /** Continues behind this place. */
  readonly after?: ContentPlace;
  /** The time that `now` in a filter means. */
  readonly now: Date;
  /** The request's; absent: one of this list's own. */
  readonly budget?: WorkBudget;
}

/** A place in an order: the value that is ordered by and the id. */
export interface ContentPlace {
  /** A text for titles, else microseconds since 1970; null where there is none, and in order by id. */
  readonly key: string | number | null;
  readonly id: string;
}

/** A page of content. */
export interface ContentPage<T> {
  /** At most as many as the limit; fewer also where the budget is spent. */
  readonly entries: readonly ContentEntry<T>[];
  /** Where to go on, if more may follow. */
  readonly next?: ContentPlace;
}

/** A content item, and its place in the order that was asked for. */
export interface ContentEntry<T> {
  readonly item: T;
  readonly place: ContentPlace;
}

/** Which content to get by id. */
export interface ContentIds extends VisibilityScope {
  readonly ids: readonly string[];
  /** Counts the time that it takes, if it is part of a longer list. */
  readonly budget?: WorkBudget;
}

/** Events, creative works or entities. */
export interface ContentStore<T> {
  /** Gets one item; NOT_FOUND otherwise. */
  get(key: VisibilityScope & { readonly id: string }): Promise<T>;
  /** Gets items by id, in no promised order. */
  getMany(key: ContentIds): Promise<readonly T[]>;
  /** Lists in the order asked for, ties by id, what has no value last in both directions. */
  list(query: ContentQuery): Promise<ContentPage<T>>;
}

/** A visibility scope of pages, with the visibilities of their components. */
export interface PageVisibilityScope extends VisibilityScope {
  readonly componentVisibilities: readonly Visibility[];
}

/** Which page to get: by its id, its slug, or the id of one of its components. */
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
   * Gets a page with those of its components that have one of the component visibilities; NOT_FOUND
   * if the page, or the component that names it, is not there to be seen.
   */
  get(key: PageKey): Promise<PageWithComponents>;
  /** Gets components of any of the pages by id, in no promised order. */
  getComponents(
    key: PageVisibilityScope & { readonly ids: readonly string[] },
  ): Promise<PageComponent[]>;
  /** Lists by slug, behind the slug `after`. */
  list(
    query: VisibilityScope & { readonly limit: number; readonly after?: string },
  ): Promise<PageOfPages>;
}

/** Banner collections. */
export interface BannerCollectionStore {
  /** Gets collections by id, in no promised order. */
  getMany(
    key: VisibilityScope & { readonly ids: readonly string[] },
  ): Promise<readonly BannerCollection[]>;
}

/** Which annotations to list; at least one of the two ids. */
export interface AnnotationQuery extends VisibilityScope {
  readonly videoId?: string;
  readonly eventId?: string;
  readonly limit: number;
  readonly after?: AnnotationPlace;
}

/** A place in the order of annotations: by offset, unset last, then order, then id. */
export interface AnnotationPlace {
  /** Microseconds from the start of the video; absent where there is none. */
  readonly offset?: number;
  /** An int64. */
  readonly order: bigint;
  readonly id: string;
}

/** A page of annotations. */
export interface AnnotationPage {
  readonly annotations: readonly Annotation[];
  /** The last place of the page if more follow. */
  readonly next?: AnnotationPlace;
}

/** Annotations. */
export interface AnnotationStore {
  /** Lists by offset, those without one last, then order, then id. */
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
  /** The last place of the page if more follow. */
  readonly next?: OfferPlace;
}

/** Offers. */
export interface OfferStore {
  /** Gets offers by id, in no promised order. */
  getMany(key: VisibilityScope & { readonly ids: readonly string[] }): Promise<readonly Offer[]>;
  /** Lists by position, then id. */
  list(
    query: VisibilityScope & { readonly limit: number; readonly after?: OfferPlace },
  ): Promise<OfferPage>;
  /**
   * Lists the ids of offers that open a video, or an event or creative work that shows it, by position,
   * then id: at most `limit`, looked for among the first 1,000 visible offers.
   */
  listOpening(
    query: VisibilityScope & { readonly videoId: string; readonly limit: number },
  ): Promise<readonly string[]>;
}
