import { isDeepStrictEqual } from "node:util";
import {
  type PageComponent,
  PageComponentSchema,
} from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { notFound } from "../../../domain/base/errors.ts";
import type { OrderPlace } from "../../../domain/base/paging.ts";
import { type PagePlace, placeOf } from "../../../domain/pages/components/layout.ts";
import { BEHIND } from "../../content/places.ts";
import type { DocumentPage, DocumentQuery, Stored } from "../../contract/document-store.ts";
import type { PageComponentStore, PageSlot } from "../../contract/pages.ts";
import { build } from "../../db/query.ts";
import { OrganizationPart } from "../base/connections.ts";
import { listFiltered } from "../base/filtered-page.ts";
import { inReadTransaction, inTransaction } from "../base/in-transaction.ts";
import { readDocument } from "../base/stored-document.ts";
import { DocumentTable } from "./documents.ts";
import { scopeOf } from "./locate.ts";
import {
  idOf,
  readOrder,
  readPageOf,
  readPlaces,
  readPlacesAround,
  writeOrder,
} from "./page-order.ts";

/** The page components of an organization, in the order of their pages. */
export class SqlPageComponentStore extends OrganizationPart implements PageComponentStore {
  readonly #documents = new DocumentTable(this.connections, "page_component", this.organizationId);

  get(id: string): Promise<Stored<PageComponent>> {
    return this.#documents.get(id);
  }

  getMany(ids: readonly string[]): Promise<Stored<PageComponent>[]> {
    return this.#documents.getMany(ids);
  }

  async list(query: DocumentQuery): Promise<DocumentPage<PageComponent>> {
    if (query.parentIds.length === 0) return { values: [] };
    const { dialect } = this.connections;
    const after = query.after && (await this.#findPlace(query, query.after));
    const rows = build
      .selectFrom("page_component")
      .innerJoin("page", (join) =>
        join
          .onRef("page.organization_id", "=", "page_component.organization_id")
          .onRef("page.id", "=", "page_component.page_id"),
      )
      .select(["page_component.id", "page_component.doc"])
      .where("page_component.organization_id", "=", this.organizationId)
      .where("page_component.page_id", "in", [...query.parentIds]);
    return listFiltered(this.read, { ...query, ...(after && { after }) }, rows, {
      table: "page_component",
      orderKeys: { position: dialect.indexIn("page.component_ids", "page_component.id") },
      schema: PageComponentSchema,
      toValue: ({ doc }) => readDocument(PageComponentSchema, doc),
    });
  }

  /** Finds the current place of the component that ended a page of a list: others may have come and gone before it. */
  async #findPlace(
    { parentIds: [pageId = ""], order: { field, direction } }: DocumentQuery,
    place: OrderPlace,
  ): Promise<OrderPlace> {
    if (field !== "position") return place;
    const key = (await readOrder(this.read, pageId, this.organizationId)).indexOf(place.id);
    if (key >= 0) return { ...place, key };
    // The next component has its position.
    return { key: Number(place.key) - (direction === "asc" ? 1 : 0), id: BEHIND };
  }

  async locate(id: string): Promise<{ readonly pageId: string; readonly position: number }> {
    const page = await readPageOf(this.read, id, this.organizationId);
    if (page === undefined) throw notFound("page_component", id);
    return { pageId: page.id, position: page.order.indexOf(id) };
  }

  async findPages(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (ids.length === 0) return new Map();
    const rows = await this.read.all(
      build
        .selectFrom("page_component")
        .select(["id", "page_id"])
        .where("organization_id", "=", this.organizationId)
        .where("id", "in", [...ids]),
    );
    return new Map(rows.map(({ id, page_id: pageId }) => [id, pageId]));
  }

  listPlaces(pageId: string): Promise<readonly PagePlace[]> {
    const { connections, organizationId } = this;
    return inReadTransaction(connections, organizationId, (tx) =>
      readPlaces(tx, pageId, organizationId),
    );
  }

  create(
    value: PageComponent,
    { pageId, position }: PageSlot,
    check: (page: readonly PagePlace[]) => void,
  ): Promise<Stored<PageComponent>> {
    const organizationId = this.organizationId;
    return inTransaction(this.connections, { projectIds: [value.projectId] }, async (tx) => {
      let page: readonly PagePlace[] = [];
      const stored = await this.#documents.insert(tx, value, async () => {
        const places = await readPlaces(tx, pageId, organizationId);
        page = places.toSpliced(position ?? places.length, 0, placeOf(value));
        check(page);
        return { pageId };
      });
      await writeOrder(tx, { id: pageId, organizationId }, page.map(idOf));
      return stored;
    });
  }

  update(
    id: string,
    change: (current: Stored<PageComponent>) => PageComponent,
    check: (page: readonly PagePlace[]) => void = () => {},
  ): Promise<Stored<PageComponent>> {
    const organizationId = this.organizationId;
    const scope = scopeOf("page_component", id, organizationId);
    return inTransaction(this.connections, scope, (tx) =>
      this.#documents.replace(tx, id, change, {
        async check(value, current) {
          const place = placeOf(value);
          if (isDeepStrictEqual(place, placeOf(current))) return;
          const { places } = await readPlacesAround(tx, id, organizationId);
          check(places.map((it) => (it.id === id ? place : it)));
        },
      }),
    );
  }

  delete(
    id: string,
    check: (current: Stored<PageComponent>, page: readonly PagePlace[]) => void,
  ): ReturnType<PageComponentStore["delete"]> {
    const organizationId = this.organizationId;
    const scope = scopeOf("page_component", id, organizationId);
    return inTransaction(this.connections, scope, async (tx) => {
      const { pageId, places } = await readPlacesAround(tx, id, organizationId);
      const left = places.filter((it) => it.id !== id);
      const { revision } = await this.#documents.remove(tx, id, async (current) =>
        check(current, left),
      );
      await writeOrder(tx, { id: pageId, organizationId }, left.map(idOf));
      const index = places.findIndex((it) => it.id === id);
      return { pageId, predecessorId: places[index - 1]?.id ?? "", revision };
    });
  }

  reorder(
    pageId: string,
    decide: (page: readonly PagePlace[]) => readonly string[],
  ): Promise<readonly string[]> {
    const organizationId = this.organizationId;
    return inTransaction(this.connections, scopeOf("page", pageId, organizationId), async (tx) => {
      const places = await readPlaces(tx, pageId, organizationId);
      await writeOrder(tx, { id: pageId, organizationId }, decide(places));
      return places.map(idOf);
    });
  }
}
