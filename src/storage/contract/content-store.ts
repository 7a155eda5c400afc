import type { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import type { OrderPlace } from "../../domain/base/paging.ts";
import type { WorkBudget } from "../../domain/base/work-budget.ts";
import type { ContentOrder } from "../../domain/content/order.ts";
import type { Moment } from "../../domain/content/window.ts";
import type { KqlNode } from "../../domain/kql/index.ts";

/** A project and what its reader may see there; the store returns nothing else. */
export interface VisibilityScope {
  readonly projectId: string;
  readonly visibilities: readonly Visibility[];
  /** The moment at which windows must be open; undefined: the reader is not bound by them. */
  readonly at: Moment | undefined;
}

/** Selects the content to list. */
export interface ContentQuery extends VisibilityScope {
  /** Filters the content's JSON, with proto field names; absent: every item matches. */
  readonly filter?: KqlNode;
  /** Prefixes; each must begin a word of title, description or fields. Empty: every item matches. */
  readonly words: readonly string[];
  readonly order: ContentOrder;
  readonly limit: number;
  /**
   * Continues after this place; absent: at the beginning. Its key is a text for titles and fields, a JSON array in an order
   * by two fields, otherwise microseconds since 1970. It is null for items without a value, and in order by id.
   */
  readonly after?: OrderPlace | undefined;
  /** The value of `now` in a filter. */
  readonly now: Date;
  /** The budget of the request; absent: the list gets its own. */
  readonly budget?: WorkBudget;
}

/** A content item as stored: few readers need more of it than its JSON. */
export interface StoredContent {
  readonly id: string;
  /** The JSON of the item in the form of responses of the Delivery API. */
  readonly json: string;
}

/** A page of content. */
export interface ContentPage {
  /** At most `limit` entries; fewer if the budget is spent. */
  readonly entries: readonly ContentEntry[];
  /** The place to continue from; undefined if no more follow. */
  readonly next: OrderPlace | undefined;
}

/** A content item and its place in the requested order. */
export interface ContentEntry {
  readonly item: StoredContent;
  readonly place: OrderPlace;
}

/** Selects the items of a list to count, in any order. */
export interface TallyQuery
  extends Pick<
    ContentQuery,
    "at" | "budget" | "filter" | "now" | "projectId" | "visibilities" | "words"
  > {
  /** The paths whose values are counted, such as `fields.genre`; texts above 255 characters are not counted. */
  readonly fields: readonly string[];
  /** Maximum number of items to count. */
  readonly most: number;
  /** The ids of items that are not counted. */
  readonly except?: readonly string[];
}

/** The number of items of a list, and the numbers of items with each value of some fields. */
export interface Tally {
  readonly total: number;
  /** True if there may be more items than were counted: they are very many, or the budget is spent. */
  readonly isLowerBound: boolean;
  /** For each field the numbers of the counted items by value, each at most once an item. */
  readonly values: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** True if more items may have the values than were counted. */
  readonly areValuesLowerBounds: boolean;
}

/** Selects content by id. */
export interface ContentIds extends VisibilityScope {
  readonly ids: readonly string[];
  /** The budget to charge when the lookup is part of a longer list. */
  readonly budget?: WorkBudget;
}

/** The paths at which items have, or had, values. */
export interface ContentPathStore {
  /**
   * Examines at most `limit` paths after a number, and deletes paths of one project that no item has. Returns the number to
   * continue from; undefined at the end.
   */
  prune(after: number | undefined, limit: number): Promise<number | undefined>;
}

/** Events, creative works or entities. */
export interface ContentStore {
  /** Returns an item; NOT_FOUND if there is none in the scope. */
  get(key: VisibilityScope & { readonly id: string }): Promise<StoredContent>;
  /** Returns the items found among some ids, in unspecified order. */
  getMany(key: ContentIds): Promise<readonly StoredContent[]>;
  /** Lists in the requested order, ties by id; items without a value come last in both directions. */
  list(query: ContentQuery): Promise<ContentPage>;
  /** Counts the items that a list has on all of its pages, and their values. */
  tally(query: TallyQuery): Promise<Tally>;
}
