import { type Page, PageSchema } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import {
  type PageComponent,
  PageComponentSchema,
} from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import type { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { cutPage, sizeOfDocument } from "../../domain/base/cut-page.ts";
import { type DomainError, notFound } from "../../domain/base/errors.ts";
import { slugTaken } from "../../domain/pages/page.ts";
import type { Tx } from "../db/db.ts";
import { build } from "../db/query.ts";
import type { VisibilityScope } from "../delivery-store.ts";
import { ConnectedStore } from "./connections.ts";
import { inReadTransaction } from "./in-transaction.ts";
import { readDocument } from "./stored-document.ts";

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
export class PageStore extends ConnectedStore {
  /**
   * Returns a page with the components that have one of the component visibilities; NOT_FOUND if the page, or
   * the component that identifies it, does not exist or is not visible.
   */
  get(key: PageKey): Promise<PageWithComponents> {
    return inReadTransaction(this.connections, async (tx) => {
      const row = await tx.first(selectPage(key));
      if (row === undefined) throw missingPage(key);
      const components = await tx.all(
        build
          .selectFrom("page_component")
          .select("doc")
          .where("organization_id", "=", row.organization_id)
          .where("page_id", "=", row.id)
          .where("visibility", "in", [...key.componentVisibilities])
          .orderBy("position"),
      );
      return {
        page: readDocument(PageSchema, row.doc),
        components: components.map(({ doc }) => readDocument(PageComponentSchema, doc)),
      };
    });
  }

  /** Returns the components found among some ids, of any page, in unspecified order. */
  async getComponents({
    ids,
    ...scope
  }: PageVisibilityScope & { readonly ids: readonly string[] }): Promise<readonly PageComponent[]> {
    if (ids.length === 0) return [];
    const rows = await this.read.all(
      selectPages(scope)
        .innerJoin("page_component", (join) =>
          join
            .onRef("page_component.organization_id", "=", "page.organization_id")
            .onRef("page_component.page_id", "=", "page.id"),
        )
        .where("page_component.visibility", "in", [...scope.componentVisibilities])
        .where("page_component.id", "in", [...ids])
        .select("page_component.doc"),
    );
    return rows.map(({ doc }) => readDocument(PageComponentSchema, doc));
  }

  /** Lists by slug, from after the slug `after`. */
  async list({
    limit,
    after,
    ...scope
  }: VisibilityScope & {
    readonly limit: number;
    readonly after?: string;
  }): Promise<PageOfPages> {
    let select = selectPages(scope).select(["page.slug", "page.doc"]);
    if (after !== undefined) select = select.where("page.slug", ">", after);
    const rows = await this.read.all(select.orderBy("page.slug").limit(limit + 1));
    const { shown, last } = cutPage(rows, limit, sizeOfDocument);
    return {
      pages: shown.map(({ doc }) => readDocument(PageSchema, doc)),
      hasMore: last !== undefined,
    };
  }
}

/** Checks that no other page of the project has the slug. ALREADY_EXISTS with the field otherwise. */
export async function checkSlugFree(tx: Tx, { id, projectId, slug }: Page): Promise<void> {
  const holder = await tx.first(
    build
      .selectFrom("page")
      .select("id")
      .where("project_id", "=", projectId)
      .where("slug", "=", slug)
      .where("id", "<>", id),
  );
  if (holder !== undefined) throw slugTaken(slug);
}

function selectPages({ projectId, visibilities }: VisibilityScope) {
  return build
    .selectFrom("page")
    .where("page.project_id", "=", projectId)
    .where("page.visibility", "in", [...visibilities]);
}

function selectPage(key: PageKey) {
  const select = selectPages(key).select(["page.organization_id", "page.id", "page.doc"]);
  if ("id" in key) return select.where("page.id", "=", key.id);
  if ("slug" in key) return select.where("page.slug", "=", key.slug);
  return select.where("page.id", "=", (eb) =>
    eb
      .selectFrom("page_component")
      .select("page_component.page_id")
      .where("page_component.id", "=", key.componentId)
      .where("page_component.project_id", "=", key.projectId)
      .where("page_component.visibility", "in", [...key.componentVisibilities]),
  );
}

/** Creates the NOT_FOUND error of a page, or of the component that identifies it. */
export function missingPage(key: PageKey): DomainError {
  if ("componentId" in key) return notFound("page_component", key.componentId);
  return notFound("page", "id" in key ? key.id : key.slug);
}
