import { isDeepStrictEqual } from "node:util";
import type { PageComponent } from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { notFound } from "../../../domain/base/errors.ts";
import type { PagePlace } from "../../../domain/pages/components/layout.ts";
import type { DocumentExtras, DocumentPage, DocumentQuery } from "../../contract/document-store.ts";
import type { PageComponentStore } from "../../contract/page-components.ts";
import type { Stored } from "../../contract/stored.ts";
import type { Db, Tx } from "../../db/db.ts";
import { build, type Operand, prepare, type SlotOf } from "../../db/query.ts";
import type { Connections } from "../base/connections.ts";
import { inTransaction } from "../base/in-transaction.ts";
import { DocumentTable } from "./documents.ts";
import { scopeOf } from "./scope-of.ts";

/** The page components of an organization, in the order of their pages. */
export class SqlPageComponentStore implements PageComponentStore {
  readonly #connections: Connections;
  readonly #organizationId: string;
  readonly #documents: DocumentTable<"page_component">;

  constructor(connections: Connections, organizationId: string) {
    this.#connections = connections;
    this.#organizationId = organizationId;
    this.#documents = new DocumentTable(connections, "page_component", organizationId);
  }

  get(id: string): Promise<Stored<PageComponent>> {
    return this.#documents.get(id);
  }

  getMany(ids: readonly string[]): Promise<Stored<PageComponent>[]> {
    return this.#documents.getMany(ids);
  }

  list(query: DocumentQuery): Promise<DocumentPage<PageComponent>> {
    return this.#documents.list(query);
  }

  async locate(id: string): Promise<{ readonly pageId: string; readonly position: number }> {
    const row = await this.#connections.read.first(
      build
        .selectFrom("page_component")
        .select(["page_id", "position"])
        .where("organization_id", "=", this.#organizationId)
        .where("id", "=", id),
    );
    if (row === undefined) throw notFound("page_component", id);
    return { pageId: row.page_id, position: row.position };
  }

  async findPages(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (ids.length === 0) return new Map();
    const rows = await this.#connections.read.all(
      build
        .selectFrom("page_component")
        .select(["id", "page_id"])
        .where("organization_id", "=", this.#organizationId)
        .where("id", "in", [...ids]),
    );
    return new Map(rows.map(({ id, page_id: pageId }) => [id, pageId]));
  }

  async listPlaces(pageId: string): Promise<PagePlace[]> {
    const { read } = this.#connections;
    return (await selectPage(read, pageId, this.#organizationId)).map(toPlace);
  }

  create(
    value: PageComponent,
    { pageId, position }: DocumentExtras["page_component"],
    check: (page: readonly PagePlace[]) => void,
  ): Promise<Stored<PageComponent>> {
    const organizationId = this.#organizationId;
    return inTransaction(this.#connections, { projectIds: [value.projectId] }, async (tx) => {
      const { id } = value;
      const before: Pick<PageRow, "id" | "position">[] = [];
      let page: readonly PagePlace[] = [];
      const stored = await this.#documents.insert(tx, value, async () => {
        const rows = await selectPage(tx, pageId, organizationId);
        page = rows.map(toPlace).toSpliced(position ?? rows.length, 0, placeOf(value));
        check(page);
        const last = { id, position: (rows.at(-1)?.position ?? -1) + 1 };
        before.push(...rows, last);
        return { pageId, position: last.position };
      });
      await writeOrder(tx, organizationId, before, page);
      return stored;
    });
  }

  update(
    id: string,
    change: (current: Stored<PageComponent>) => PageComponent,
    check: (page: readonly PagePlace[]) => void = () => {},
  ): Promise<Stored<PageComponent>> {
    const organizationId = this.#organizationId;
    const scope = scopeOf("page_component", id, organizationId);
    return inTransaction(this.#connections, scope, (tx) =>
      this.#documents.replace(tx, id, change, {
        async check(value, current) {
          const place = placeOf(value);
          if (isDeepStrictEqual(place, placeOf(current))) return;
          const rows = await selectPageOf(tx, id, organizationId);
          check(rows.map((row) => (row.id === id ? place : toPlace(row))));
        },
      }),
    );
  }

  delete(
    id: string,
    check: (current: Stored<PageComponent>, page: readonly PagePlace[]) => void,
  ): Promise<{
    readonly pageId: string;
    readonly predecessorId: string;
    readonly revision: number;
  }> {
    const organizationId = this.#organizationId;
    const scope = scopeOf("page_component", id, organizationId);
    return inTransaction(this.#connections, scope, async (tx) => {
      const rows = await selectPageOf(tx, id, organizationId);
      const left = rows.filter((row) => row.id !== id);
      const { revision } = await this.#documents.remove(tx, id, async (current) =>
        check(current, left.map(toPlace)),
      );
      await writeOrder(tx, organizationId, left, left);
      const index = rows.findIndex((row) => row.id === id);
      return { pageId: rows[0]?.page_id ?? "", predecessorId: rows[index - 1]?.id ?? "", revision };
    });
  }

  reorder(
    pageId: string,
    decide: (page: readonly PagePlace[]) => readonly string[],
  ): Promise<readonly string[]> {
    const organizationId = this.#organizationId;
    return inTransaction(this.#connections, scopeOf("page", pageId, organizationId), async (tx) => {
      const rows = await selectPage(tx, pageId, organizationId);
      const after = decide(rows.map(toPlace)).map((id) => ({ id }));
      await writeOrder(tx, organizationId, rows, after);
      return rows.map(({ id }) => id);
    });
  }
}

type PageRow = Awaited<ReturnType<typeof selectPage>>[number];

const selectPlaces = (organizationId: Operand<string>) =>
  build
    .selectFrom("page_component")
    .select(["id", "page_id", "group_id", "is_filter", "position"])
    .where("organization_id", "=", organizationId)
    .orderBy("position");

const SELECT_PAGE = prepare(
  (slot: SlotOf<{ readonly pageId: string; readonly organizationId: string }>) =>
    selectPlaces(slot("organizationId")).where("page_id", "=", slot("pageId")),
);

/** Selects the places of a page's components, in page order. */
export function selectPage(db: Db, pageId: string, organizationId: string) {
  return db.all(SELECT_PAGE({ pageId, organizationId }));
}

const SELECT_PAGE_OF = prepare(
  (slot: SlotOf<{ readonly id: string; readonly organizationId: string }>) =>
    selectPlaces(slot("organizationId")).where("page_id", "=", (eb) =>
      eb
        .selectFrom("page_component")
        .select("page_id")
        .where("organization_id", "=", slot("organizationId"))
        .where("id", "=", slot("id")),
    ),
);

/** Selects the places of all components on the page of a component, in page order. */
function selectPageOf(db: Db, id: string, organizationId: string) {
  return db.all(SELECT_PAGE_OF({ id, organizationId }));
}

function placeOf({ id, groupId, data }: PageComponent): PagePlace {
  return { id, groupId, isFilter: data.case === "filter" };
}

/** Returns the place of a component on its page. */
export function toPlace({ id, group_id, is_filter }: PageRow): PagePlace {
  return { id, groupId: group_id, isFilter: is_filter === 1 };
}

/**
 * Numbers the components of a page 0, 1, 2 … and writes those that moved. Positions stay unique between the
 * statements.
 */
export async function writeOrder(
  tx: Tx,
  organizationId: string,
  before: readonly Pick<PageRow, "id" | "position">[],
  after: readonly Pick<PageRow, "id">[],
): Promise<void> {
  const places = new Map(before.map(({ id, position }) => [id, position]));
  const moved = [...after.entries()].filter(([index, { id }]) => places.get(id) !== index);
  for (const [index, { id }] of moved)
    await tx.run(MOVE({ organizationId, id, position: -1 - index }));
  for (const [index, { id }] of moved) await tx.run(MOVE({ organizationId, id, position: index }));
}

interface Move {
  readonly organizationId: string;
  readonly id: string;
  readonly position: number;
}

const MOVE = prepare((slot: SlotOf<Move>) =>
  build
    .updateTable("page_component")
    .set({ position: slot("position") })
    .where("organization_id", "=", slot("organizationId"))
    .where("id", "=", slot("id")),
);
