import { sql } from "kysely";
import { isOpen, windowOf } from "../../../domain/content/window.ts";
import {
  type DeliveredKind,
  KINDS,
  type KindMessage,
  placeInDelivery,
} from "../../../domain/kinds.ts";
import type { VisibilityScope } from "../../contract/content-store.ts";
import type { DocumentPage } from "../../contract/document-store.ts";
import type {
  VisibleDocumentStore,
  VisibleIds,
  VisibleQuery,
} from "../../contract/visible-documents.ts";
import type { Db } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import { ConnectedStore } from "../base/connections.ts";
import { readOpenPage } from "../base/open-documents.ts";
import { readDocument } from "../base/stored-document.ts";

/** The documents of the kinds that the Delivery API serves by their standard methods. */
export class SqlVisibleDocumentStore extends ConnectedStore implements VisibleDocumentStore {
  async getMany<Kind extends DeliveredKind>(
    kind: Kind,
    { ids, ...scope }: VisibleIds,
  ): Promise<readonly KindMessage<Kind>[]> {
    if (ids.length === 0) return [];
    const rows = await this.read.all(selectVisible(kind, scope).where("id", "in", [...ids]));
    return rows.map((row) => toMessage(kind, row)).filter((it) => isOpen(windowOf(it), scope.at));
  }

  list<Kind extends DeliveredKind>(
    kind: Kind,
    query: VisibleQuery,
  ): Promise<DocumentPage<KindMessage<Kind>>> {
    return listVisible(this.read, kind, query);
  }
}

/** See `VisibleDocumentStore.list`. */
export async function listVisible<Kind extends DeliveredKind>(
  read: Db,
  kind: Kind,
  { ids, limit, after, ...scope }: VisibleQuery,
): Promise<DocumentPage<KindMessage<Kind>>> {
  const { order } = KINDS[kind].delivered;
  const isById = order === "id";
  const columns = isById ? [sql.ref("id")] : [sql.ref(order), sql.ref("id")];
  let select = selectVisible(kind, scope);
  if (ids !== undefined) select = select.where("id", "in", [...ids]);
  for (const column of columns) select = select.orderBy(column);
  const { values, last } = await readOpenPage<KindMessage<Kind>>({
    ...{ limit, at: scope.at },
    read: (count, end) => {
      const start = end === undefined ? after : placeInDelivery(kind, end);
      if (start === undefined) return read.all(select.limit(count));
      const place = isById ? [start.id] : [start.key, start.id];
      const isBehind = sql<boolean>`(${sql.join(columns)}) > (${sql.join(place)})`;
      return read.all(select.where(isBehind).limit(count));
    },
    parse: (doc) => toMessage(kind, { doc }),
  });
  return { values, ...(last && { next: placeInDelivery(kind, last) }) };
}

function selectVisible(
  kind: DeliveredKind,
  { projectId, visibilities }: Omit<VisibilityScope, "at">,
) {
  return build
    .selectFrom(kind)
    .select("doc")
    .where("project_id", "=", projectId)
    .where("visibility", "in", [...visibilities]);
}

function toMessage<Kind extends DeliveredKind>(
  kind: Kind,
  { doc }: { readonly doc: Uint8Array },
): KindMessage<Kind> {
  return readDocument(KINDS[kind].schema, doc) as KindMessage<Kind>;
}
