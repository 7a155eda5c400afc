import { sql } from "kysely";
import type { Schema } from "../../../../gen/tables.ts";
import { settleAll } from "../../../domain/base/settle-all.ts";
import { checkPageSize, type PagePlace } from "../../../domain/pages/components/layout.ts";
import type { Db, Tx } from "../../db/db.ts";
import { build, type Operand, prepare, type SlotOf } from "../../db/query.ts";

interface ById {
  readonly id: string;
  readonly organizationId: string;
}

const selectOrder = (organizationId: Operand<string>) =>
  build
    .selectFrom("page")
    .select(["id", "component_ids"])
    .where("organization_id", "=", organizationId);

const selectPlaces = (organizationId: Operand<string>) =>
  build
    .selectFrom("page_component")
    .select(["id", "group_id", "is_filter"])
    .where("organization_id", "=", organizationId);

/** Selects the page of the component with an id. */
const selectPageOf = (slot: SlotOf<ById>) =>
  build
    .selectFrom("page_component")
    .select("page_id")
    .where("organization_id", "=", slot("organizationId"))
    .where("id", "=", slot("id"));

const SELECT_ORDER = prepare((slot: SlotOf<ById>) =>
  selectOrder(slot("organizationId")).where("id", "=", slot("id")),
);
const SELECT_PLACES = prepare((slot: SlotOf<ById>) =>
  selectPlaces(slot("organizationId")).where("page_id", "=", slot("id")),
);
const SELECT_ORDER_AROUND = prepare((slot: SlotOf<ById>) =>
  selectOrder(slot("organizationId")).where("id", "=", selectPageOf(slot)),
);
const SELECT_PLACES_AROUND = prepare((slot: SlotOf<ById>) =>
  selectPlaces(slot("organizationId")).where("page_id", "=", selectPageOf(slot)),
);

/** Reads the places of a page's components, in page order; none if there is no such page. */
export async function readPlaces(
  tx: Tx,
  id: string,
  organizationId: string,
): Promise<readonly PagePlace[]> {
  const [ids, places] = await settleAll([
    readOrder(tx, id, organizationId),
    readPlacesById(tx, id, organizationId),
  ]);
  return inOrder(ids, places);
}

/** Reads the ids of a page's components, in order; none if there is no such page. */
export async function readOrder(
  db: Db,
  id: string,
  organizationId: string,
): Promise<readonly string[]> {
  const [page] = await db.all(SELECT_ORDER({ id, organizationId }));
  return page === undefined ? [] : parseOrder(page);
}

/** Reads the places of a page's components, by their ids. */
export async function readPlacesById(
  db: Db,
  id: string,
  organizationId: string,
): Promise<ReadonlyMap<string, PagePlace>> {
  return toPlaces(await db.all(SELECT_PLACES({ id, organizationId })));
}

/** Reads the page of a component, with its order; undefined if there is no such component. */
export async function readPageOf(db: Db, id: string, organizationId: string) {
  const [page] = await db.all(SELECT_ORDER_AROUND({ id, organizationId }));
  return page && { id: page.id, order: parseOrder(page) };
}

/** Reads the page of a component, with the places on it in page order; none if there is no such component. */
export async function readPlacesAround(tx: Tx, id: string, organizationId: string) {
  const [page, rows] = await settleAll([
    readPageOf(tx, id, organizationId),
    tx.all(SELECT_PLACES_AROUND({ id, organizationId })),
  ]);
  return { pageId: page?.id ?? "", places: inOrder(page?.order ?? [], toPlaces(rows)) };
}

/** Returns the order of the components that the row of a page keeps. */
export function parseOrder({ component_ids }: { readonly component_ids: string }): string[] {
  return JSON.parse(component_ids);
}

/** Returns the id of a component. */
export function idOf({ id }: { readonly id: string }): string {
  return id;
}

/** Sorts what belongs to the components of a page in the order of their ids. */
export function inOrder<T>(ids: readonly string[], values: ReadonlyMap<string, T>): T[] {
  return ids.flatMap((id) => values.get(id) ?? []);
}

type PlaceRow = Pick<Schema["page_component"], "group_id" | "id" | "is_filter">;

function toPlaces(rows: readonly PlaceRow[]): ReadonlyMap<string, PagePlace> {
  return new Map(
    rows.map((row) => {
      return [row.id, { id: row.id, groupId: row.group_id, isFilter: row.is_filter === 1 }];
    }),
  );
}

interface NewOrder extends ById {
  readonly componentIds: string;
}

const UPDATE_ORDER = prepare((slot: SlotOf<NewOrder>) =>
  build
    .updateTable("page")
    .set({ component_ids: slot("componentIds") })
    .where("organization_id", "=", slot("organizationId"))
    .where("id", "=", slot("id")),
);

/** Writes the order of a page's components. The revision of the page stays: its message does not have them. */
export async function writeOrder(tx: Tx, page: ById, ids: readonly string[]): Promise<void> {
  await tx.run(UPDATE_ORDER({ ...page, componentIds: JSON.stringify(ids) }));
}

/** The largest component that is written without a look at its page: 100 of them are a tenth of what a page may have. */
const MOST_UNSEEN = 64 * 1024;

/** Checks that the page of a component that was written is not too large. FAILED_PRECONDITION `PAGE_TOO_LARGE`. */
export async function checkPageFits(
  tx: Tx,
  { id }: { readonly id: string },
  { organizationId, doc }: { readonly organizationId: string; readonly doc: Uint8Array },
): Promise<void> {
  if (doc.length <= MOST_UNSEEN) return;
  const [row] = await tx.all(SELECT_SIZE_AROUND({ id, organizationId }));
  checkPageSize(Number(row?.bytes ?? 0));
}

const SELECT_SIZE_AROUND = prepare((slot: SlotOf<ById>) =>
  build
    .selectFrom("page_component")
    .select(sql<number | string>`sum(octet_length(doc))`.as("bytes"))
    .where("organization_id", "=", slot("organizationId"))
    .where("page_id", "=", selectPageOf(slot)),
);
