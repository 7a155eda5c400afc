import { sql } from "kysely";
import type { WorkBudget } from "../../../domain/base/work-budget.ts";
import { isOpen, windowOf } from "../../../domain/content/window.ts";
import {
  type DeliveredKind,
  KINDS,
  type KindMessage,
  placeInDelivery,
} from "../../../domain/kinds.ts";
import type { VisibilityScope } from "../../contract/content-store.ts";
import type {
  DocumentPage,
  VisibleDocumentStore,
  VisibleIds,
  VisibleQuery,
} from "../../contract/document-store.ts";
import type { Tx } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import { ConnectedStore } from "../base/connections.ts";
import { inReadTransaction } from "../base/in-transaction.ts";
import {
  BYTES,
  readDocuments,
  readOpenPage,
  type SizedDocument,
  type SizedRow,
  takeFitting,
} from "../base/read-documents.ts";

/** The documents of the kinds that the Delivery API serves by their standard methods. */
export class SqlVisibleDocumentStore extends ConnectedStore implements VisibleDocumentStore {
  async getMany<Kind extends DeliveredKind>(
    kind: Kind,
    { ids, ...scope }: VisibleIds,
  ): Promise<readonly KindMessage<Kind>[]> {
    if (ids.length === 0) return [];
    return inReadTransaction(this.connections, scope.projectId, async (tx) => {
      const rows = await tx.all(selectVisible(kind, scope).where("id", "in", [...ids]));
      const shown = takeFitting(ids, rows);
      const found: KindMessage<Kind>[] = [];
      for await (const { value } of read(tx, kind, scope.projectId, shown)) {
        if (isOpen(windowOf(value), scope.at)) found.push(value);
      }
      return found;
    });
  }

  list<Kind extends DeliveredKind>(
    kind: Kind,
    { ids, limit, after, budget, ...scope }: VisibleQuery,
  ): Promise<DocumentPage<KindMessage<Kind>>> {
    const { order } = KINDS[kind].delivered;
    const isById = order === "id";
    const columns = isById ? [sql.ref("id")] : [sql.ref(order), sql.ref("id")];
    let select = selectVisible(kind, scope);
    if (ids !== undefined) select = select.where("id", "in", [...ids]);
    for (const column of columns) select = select.orderBy(column);
    return inReadTransaction(this.connections, scope.projectId, async (tx) => {
      const { values, last } = await readOpenPage<KindMessage<Kind>>({
        ...{ limit, at: scope.at, budget },
        find: (count, end) => {
          const start = end === undefined ? after : placeInDelivery(kind, end);
          if (start === undefined) return tx.all(select.limit(count));
          const place = isById ? [start.id] : [start.key, start.id];
          const isBehind = sql<boolean>`(${sql.join(columns)}) > (${sql.join(place)})`;
          return tx.all(select.where(isBehind).limit(count));
        },
        read: (rows) => read(tx, kind, scope.projectId, rows, budget),
      });
      return { values, ...(last && { next: placeInDelivery(kind, last) }) };
    });
  }
}

function selectVisible(
  kind: DeliveredKind,
  { projectId, visibilities }: Omit<VisibilityScope, "at">,
) {
  return build
    .selectFrom(kind)
    .select(["id", BYTES])
    .where("project_id", "=", projectId)
    .where("visibility", "in", [...visibilities]);
}

function read<Kind extends DeliveredKind>(
  tx: Tx,
  kind: Kind,
  projectId: string,
  rows: readonly SizedRow[],
  budget?: WorkBudget,
) {
  const { schema } = KINDS[kind];
  const documents = readDocuments(tx, { table: kind, schema }, projectId, rows, budget);
  return documents as AsyncGenerator<SizedDocument<KindMessage<Kind>>>;
}
