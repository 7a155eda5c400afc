import { sql } from "kysely";
import { type Page, PageSchema } from "../../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import {
  type PageComponent,
  PageComponentSchema,
} from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import type { WorkBudget } from "../../../domain/base/work-budget.ts";
import { isOpen } from "../../../domain/content/window.ts";
import { missingPage, slugTaken } from "../../../domain/pages/page.ts";
import type { VisibilityScope } from "../../contract/content-store.ts";
import type { DocumentPage, VisibleQuery } from "../../contract/document-store.ts";
import type {
  PageKey,
  PageStore,
  PageVisibilityScope,
  PageWithComponents,
} from "../../contract/pages.ts";
import type { Tx } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import { ConnectedStore } from "../base/connections.ts";
import { inReadTransaction } from "../base/in-transaction.ts";
import {
  BYTES,
  readDocuments,
  readOpenPage,
  type SizedRow,
  takeFitting,
} from "../base/read-documents.ts";
import { readDocument } from "../base/stored-document.ts";
import { inOrder, parseOrder } from "./page-order.ts";

/** Pages. */
export class SqlPageStore extends ConnectedStore implements PageStore {
  get(key: PageKey, budget?: WorkBudget): Promise<PageWithComponents> {
    return inReadTransaction(this.connections, key.projectId, async (tx) => {
      const [row] = await tx.all(selectPage(key));
      if (row === undefined) throw missingPage(key);
      const page = readDocument(PageSchema, row.doc);
      if (!isOpen(page.availability, key.at)) throw missingPage(key);
      const selected = build
        .selectFrom("page_component")
        .select(["id", BYTES])
        .where("organization_id", "=", row.organization_id)
        .where("page_id", "=", row.id)
        .where("visibility", "in", [...key.componentVisibilities]);
      const components = await tx.all(
        "componentId" in key ? selected.where("id", "=", key.componentId) : selected,
      );
      const rows = inOrder(parseOrder(row), new Map(components.map((it) => [it.id, it])));
      return { page, components: await readOpenComponents(tx, key, rows, budget) };
    });
  }

  async getComponents({
    ids,
    ...scope
  }: PageVisibilityScope & { readonly ids: readonly string[] }): Promise<readonly PageComponent[]> {
    if (ids.length === 0) return [];
    return inReadTransaction(this.connections, scope.projectId, async (tx) => {
      const rows = await tx.all(
        selectPages(scope)
          .innerJoin("page_component", (join) =>
            join
              .onRef("page_component.organization_id", "=", "page.organization_id")
              .onRef("page_component.page_id", "=", "page.id"),
          )
          .where("page_component.visibility", "in", [...scope.componentVisibilities])
          .where("page_component.id", "in", [...ids])
          .select(["page.doc as page_doc", "page_component.id", COMPONENT_BYTES]),
      );
      const visible = rows.filter(({ page_doc: doc }) =>
        isOpen(readDocument(PageSchema, doc).availability, scope.at),
      );
      return await readOpenComponents(tx, scope, takeFitting(ids, visible));
    });
  }

  list({ limit, after, budget, ...scope }: Omit<VisibleQuery, "ids">): Promise<DocumentPage<Page>> {
    const select = selectPages(scope).select(["page.id", BYTES]).orderBy("page.slug");
    return inReadTransaction(this.connections, scope.projectId, async (tx) => {
      const { values, last } = await readOpenPage<Page>({
        ...{ limit, at: scope.at, budget },
        find: (count, last) => {
          const slug = last?.slug ?? after?.key;
          const behind = slug == null ? select : select.where("page.slug", ">", String(slug));
          return tx.all(behind.limit(count));
        },
        read: (rows) => readDocuments(tx, PAGES, scope.projectId, rows, budget),
      });
      return { values, ...(last && { next: { key: last.slug, id: last.id } }) };
    });
  }
}

/** Reads the components that rows name and whose windows are open. */
async function readOpenComponents(
  tx: Tx,
  { projectId, at }: Pick<PageVisibilityScope, "at" | "projectId">,
  rows: readonly SizedRow[],
  budget?: WorkBudget,
): Promise<readonly PageComponent[]> {
  const open: PageComponent[] = [];
  for await (const { value } of readDocuments(tx, COMPONENTS, projectId, rows, budget)) {
    if (isOpen(value.availability, at)) open.push(value);
  }
  return open;
}

const COMPONENT_BYTES = sql<number>`octet_length(page_component.doc)`.as("bytes");
const PAGES = { table: "page", schema: PageSchema } as const;
const COMPONENTS = { table: "page_component", schema: PageComponentSchema } as const;

/** Checks that no other page of the project has the slug. ALREADY_EXISTS with the field otherwise. */
export async function checkSlugFree(tx: Tx, { id, projectId, slug }: Page): Promise<void> {
  const [holder] = await tx.all(
    build
      .selectFrom("page")
      .select("id")
      .where("project_id", "=", projectId)
      .where("slug", "=", slug)
      .where("id", "<>", id),
  );
  if (holder !== undefined) throw slugTaken(slug);
}

function selectPages({ projectId, visibilities }: Omit<VisibilityScope, "at">) {
  return build
    .selectFrom("page")
    .where("page.project_id", "=", projectId)
    .where("page.visibility", "in", [...visibilities]);
}

function selectPage(key: PageKey) {
  const select = selectPages(key).select([
    "page.organization_id",
    "page.id",
    "page.component_ids",
    "page.doc",
  ]);
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
