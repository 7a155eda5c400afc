import type { Page } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import type { PageComponent } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import type { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import type { WorkBudget } from "../../domain/base/work-budget.ts";
import type { VisibilityScope } from "./content-store.ts";

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
   * Returns a page with the components that have one of the component visibilities. A page that a component identifies
   * has this component alone. The time of reading components is charged to the budget. NOT_FOUND if the page, or this
   * component, does not exist or is not visible.
   */
  get(key: PageKey, budget?: WorkBudget): Promise<PageWithComponents>;
  /** Returns the components found among some ids, of any page, in their order: the first that have 4 MiB together. */
  getComponents(
    scope: PageVisibilityScope & { readonly ids: readonly string[] },
  ): Promise<readonly PageComponent[]>;
  /** Lists by slug, from after the slug `after`. */
  list(
    scope: VisibilityScope & {
      readonly limit: number;
      readonly after?: string;
    },
  ): Promise<PageOfPages>;
}
