import { isDeepStrictEqual } from "node:util";
import { equals, toBinary } from "@bufbuild/protobuf";
import {
  type PageComponent,
  PageComponentSchema,
} from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { notFound } from "../../domain/errors.ts";
import { toAmounts } from "../../domain/kinds.ts";
import type { PagePlace } from "../../domain/pages/components/layout.ts";
import type { Db, Tx } from "../db/db.ts";
import { build, prepare, type SlotOf } from "../db/query.ts";
import type { PageComponentStore } from "../store.ts";
import { eraseDocument } from "./cascade.ts";
import type { Connections } from "./connections.ts";
import { insertDocument, replaceDocument } from "./document-writer.ts";
import { createDocumentStore } from "./documents.ts";
import { inTransaction, settleAll } from "./in-transaction.ts";
import { nextRevision } from "./revisions.ts";
import { scopeOf } from "./scope-of.ts";
import { toStored } from "./stored-document.ts";

/** Creates the store of page components of an organization. */
export function createPageComponentStore(
  connections: Connections,
  organizationId: string,
): PageComponentStore {
  const { read, dialect } = connections;
  const documents = createDocumentStore(connections, "page_component", organizationId);
  return {
    get: documents.get,
    getMany: documents.getMany,
    list: documents.list,

    async locate(id) {
      const row = await read.first(
        build
          .selectFrom("page_component")
          .select(["page_id", "position"])
          .where("organization_id", "=", organizationId)
          .where("id", "=", id),
      );
      if (row === undefined) throw notFound(`page_component ${id}`);
      return { pageId: row.page_id, position: row.position };
    },

    create: (value, { pageId, position }, check) =>
      inTransaction(connections, { projectIds: [value.projectId] }, async (tx) => {
        const { id } = value;
        const doc = toBinary(PageComponentSchema, value);
        const growth = toAmounts("page_component", 1, doc.length);
        const [rows, revision] = await settleAll([
          selectPage(tx, pageId, organizationId),
          nextRevision(tx, value.projectId, organizationId, growth),
        ]);
        const page = rows.map(toPlace).toSpliced(position ?? rows.length, 0, placeOf(value));
        check(page);
        const last = { id, position: (rows.at(-1)?.position ?? -1) + 1 };
        const extra = { pageId, position: last.position };
        const write = { organizationId, revision, doc, extra };
        await insertDocument(tx, "page_component", value, write);
        await writeOrder(tx, organizationId, [...rows, last], page);
        return { value, revision };
      }),

    update: (id, change, check = () => {}) =>
      inTransaction(connections, scopeOf("page_component", id, organizationId), async (tx) => {
        const { current, bytes, pageId } = await readComponent(tx, id, organizationId);
        const value = change(current);
        const place = placeOf(value);
        if (!isDeepStrictEqual(place, placeOf(current.value))) {
          const page = await readPlaces(tx, pageId, organizationId);
          check(page.map((it) => (it.id === id ? place : it)));
        }
        if (equals(PageComponentSchema, value, current.value)) return current;
        const doc = toBinary(PageComponentSchema, value);
        const growth = toAmounts("page_component", 0, doc.length - bytes);
        const revision = await nextRevision(tx, value.projectId, organizationId, growth);
        const write = { organizationId, revision, doc, replaced: current.value };
        await replaceDocument(tx, "page_component", value, write);
        return { value, revision };
      }),

    delete: (id, check) =>
      inTransaction(connections, scopeOf("page_component", id, organizationId), async (tx) => {
        const { current, bytes, pageId } = await readComponent(tx, id, organizationId);
        const page = await selectPage(tx, pageId, organizationId);
        const left = page.filter((it) => it.id !== id);
        check(current, left.map(toPlace));
        const { projectId } = current.value;
        const place = { type: "page_component", id, organizationId, projectId, bytes } as const;
        const [revision] = await settleAll([
          nextRevision(tx, projectId, organizationId),
          eraseDocument(tx, dialect, place),
        ]);
        await writeOrder(tx, organizationId, left, left);
        return { pageId, revision };
      }),

    reorder: (pageId, decide) =>
      inTransaction(connections, scopeOf("page", pageId, organizationId), async (tx) => {
        const rows = await selectPage(tx, pageId, organizationId);
        const ids = decide(rows.map(toPlace));
        await writeOrder(
          tx,
          organizationId,
          rows,
          ids.map((id) => ({ id })),
        );
      }),
  };
}

const SELECT_COMPONENT = prepare(
  (slot: SlotOf<{ readonly id: string; readonly organizationId: string }>) =>
    build
      .selectFrom("page_component")
      .select(["doc", "revision", "page_id"])
      .where("organization_id", "=", slot("organizationId"))
      .where("id", "=", slot("id")),
);

/** Reads a component with the size of its document and the id of its page; NOT_FOUND if there is none. */
async function readComponent(tx: Tx, id: string, organizationId: string) {
  const [row] = await tx.all(SELECT_COMPONENT({ id, organizationId }));
  if (row === undefined) throw notFound(`page_component ${id}`);
  const current = toStored(PageComponentSchema, row);
  return { current, bytes: row.doc.length, pageId: row.page_id };
}

type PageRow = Awaited<ReturnType<typeof selectPage>>[number];

const SELECT_PAGE = prepare(
  (slot: SlotOf<{ readonly pageId: string; readonly organizationId: string }>) =>
    build
      .selectFrom("page_component")
      .select(["id", "group_id", "is_filter", "position"])
      .where("page_id", "=", slot("pageId"))
      .where("organization_id", "=", slot("organizationId"))
      .orderBy("position"),
);

/** Selects the places of a page's components, in page order. */
function selectPage(db: Db, pageId: string, organizationId: string) {
  return db.all(SELECT_PAGE({ pageId, organizationId }));
}

/** Reads the places of a page's components, in page order. */
export async function readPlaces(
  db: Db,
  pageId: string,
  organizationId: string,
): Promise<PagePlace[]> {
  return (await selectPage(db, pageId, organizationId)).map(toPlace);
}

function placeOf({ id, groupId, data }: PageComponent): PagePlace {
  return { id, groupId, isFilter: data.case === "filter" };
}

function toPlace({ id, group_id, is_filter }: PageRow): PagePlace {
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
