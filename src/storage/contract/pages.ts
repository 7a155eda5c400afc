import type { Page } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import type { PageComponent } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import type { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import type { WorkBudget } from "../../domain/base/work-budget.ts";
import type { PagePlace } from "../../domain/pages/components/layout.ts";
import type { VisibilityScope } from "./content-store.ts";
import type { DocumentPage, DocumentQuery, Stored, VisibleQuery } from "./document-store.ts";

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

/** Pages. */
export interface PageStore {
  /**
   * Returns a page with the components that have one of the component visibilities. A page that a component identifies
   * has this component alone. The time of reading components is charged to the budget. NOT_FOUND if the page, or this
   * component, does not exist or is not visible.
   */
  get(key: PageKey, budget?: WorkBudget): Promise<PageWithComponents>;
  /** Returns the components found among some ids, of any page, in their order: the first that have 4 MiB together. */
  getComponents(
    scope: PageVisibilityScope & { readonly ids: readonly string[] },
  ): Promise<readonly PageComponent[]>;
  /** Lists by slug. */
  list(query: Omit<VisibleQuery, "ids">): Promise<DocumentPage<Page>>;
}

/** The place of a new component. */
export interface PageSlot {
  readonly pageId: string;
  /** From 0; components there or later move by one. Absent: the end. */
  readonly position?: number;
}

/** The page components of an organization, in the order of their pages. */
export interface PageComponentStore {
  /** Returns a component; NOT_FOUND if there is none. */
  get(id: string): Promise<Stored<PageComponent>>;
  /** Returns the components found among some ids, in unspecified order. */
  getMany(ids: readonly string[]): Promise<Stored<PageComponent>[]>;
  /** Lists in the requested order, ties by id. */
  list(query: DocumentQuery): Promise<DocumentPage<PageComponent>>;
  /** Returns the page and position of a component; NOT_FOUND if there is none. */
  locate(id: string): Promise<{ readonly pageId: string; readonly position: number }>;
  /** Finds the pages of components by their ids. */
  findPages(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Lists the places of a page's components, in page order; none if there is no such page. */
  listPlaces(pageId: string): Promise<readonly PagePlace[]>;
  /**
   * Creates a component on a page; components at its position or later move by one. `check` gets the
   * resulting places of all components. ALREADY_EXISTS if the id is taken.
   */
  create(
    value: PageComponent,
    slot: PageSlot,
    check: (page: readonly PagePlace[]) => void,
  ): Promise<Stored<PageComponent>>;
  /**
   * Replaces a component with the result of `change`. If that changes its group or whether it is a filter,
   * `check` gets the resulting places of all components of the page, in page order. NOT_FOUND if there is
   * none.
   */
  update(
    id: string,
    change: (current: Stored<PageComponent>) => PageComponent,
    check?: (page: readonly PagePlace[]) => void,
  ): Promise<Stored<PageComponent>>;
  /**
   * Deletes a component unless `check`, which also gets the places of the others, throws. Returns its page, the
   * component before it, empty if it was the first, and the revision of the deletion. NOT_FOUND if there is none.
   */
  delete(
    id: string,
    check: (current: Stored<PageComponent>, page: readonly PagePlace[]) => void,
  ): Promise<{
    readonly pageId: string;
    readonly predecessorId: string;
    readonly revision: number;
  }>;
  /**
   * Reorders the components of a page by the list of all their ids that `decide` returns. Returns their order before.
   * NOT_FOUND if there is no such page.
   */
  reorder(
    pageId: string,
    decide: (page: readonly PagePlace[]) => readonly string[],
  ): Promise<readonly string[]>;
}
