import { sql } from "kysely";
import { toSnakeCase } from "../../../domain/base/text.ts";
import { KINDS } from "../../../domain/kinds.ts";
import { isHolder } from "../../../domain/quotas.ts";
import type { DocumentRecordKind } from "../../../domain/records/record.ts";
import type { Db } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import { BYTES } from "../base/read-documents.ts";
import type { StoredDocument } from "../base/stored-document.ts";
import { documentKindOf, isTableKind, type TableKind, tableOf } from "../stores/document-kinds.ts";

/** Finds stored documents by the ids of one kind of records. */
export async function findStoredDocuments(
  db: Db,
  kind: DocumentRecordKind,
  ids: readonly string[],
  organizationId: string,
): Promise<Map<string, StoredDocument>> {
  const { find } = documentKindOf(kind);
  const found =
    find === undefined
      ? await selectRows(db, kind as TableKind, ids, organizationId)
      : await find(db, ids, organizationId);
  return new Map(found.map((it) => [it.id, it]));
}

async function selectRows(
  db: Db,
  kind: TableKind,
  ids: readonly string[],
  organizationId: string,
): Promise<StoredDocument[]> {
  const owner = kind === "organization" ? "id" : `${KINDS[kind].in}_id`;
  const { stored = [] } = documentKindOf(kind);
  const rows = await db.all(
    selectIds(kind, ids, organizationId)
      .select([sql.ref<string>(owner).as("ownerId"), "doc", "revision"])
      .$if(stored.length > 0, (it) =>
        it.select(stored.map((name) => sql.ref<string>(toSnakeCase(name)).as(name))),
      ),
  );
  return kind === "organization" ? rows.map((row) => ({ ...row, ownerId: "" })) : rows;
}

/** Measures stored documents with a table of their own: returns their bytes by id. */
export async function measureDocuments(
  db: Db,
  kind: DocumentRecordKind,
  ids: readonly string[],
  organizationId: string,
): Promise<ReadonlyMap<string, number>> {
  if (!isTableKind(kind)) return new Map();
  const rows = await db.all(selectIds(kind, ids, organizationId).select(BYTES));
  return new Map(rows.map(({ id, bytes }) => [id, bytes]));
}

function selectIds(kind: TableKind, ids: readonly string[], organizationId: string) {
  return build
    .selectFrom(tableOf(kind))
    .select("id")
    .where("id", "in", [...ids])
    .$if(!isHolder(kind), (it) => it.where("organization_id", "=", organizationId));
}
