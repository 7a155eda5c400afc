import { toBinary } from "@bufbuild/protobuf";
import { sql } from "kysely";
import { EntitlementSchema } from "../../../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
import { KINDS } from "../../../domain/kinds.ts";
import type { DocumentRecordKind } from "../../../domain/records/record.ts";
import type { Db } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import { isCounter } from "../base/revisions.ts";
import { isTableType, type TableType, tableOf } from "../stores/document-kinds.ts";
import { toEntitlement } from "../stores/entitlements.ts";

/** A stored document, of any project or organization. */
export interface StoredDocument {
  readonly id: string;
  /** The id of its owner; empty for an organization. */
  readonly ownerId: string;
  readonly doc: Uint8Array;
  readonly revision?: number;
  /** The page of a page component. */
  readonly pageId?: string;
  /** The slug of a page. */
  readonly slug?: string;
  readonly billingTransactionId?: string;
  /** Entitlements only: whether a transaction grants it. */
  readonly isBought?: boolean;
}

/** Finds stored documents by the ids of one kind of records. */
export async function findStoredDocuments(
  db: Db,
  kind: DocumentRecordKind,
  ids: readonly string[],
  organizationId: string,
): Promise<Map<string, StoredDocument>> {
  const found = await selectDocuments(db, kind, ids, organizationId);
  return new Map(found.map((it) => [it.id, it]));
}

function selectDocuments(
  db: Db,
  kind: DocumentRecordKind,
  ids: readonly string[],
  organizationId: string,
): Promise<StoredDocument[]> {
  switch (kind) {
    case "sign_in_integration":
      return selectIntegrations(db, ids);
    case "entitlement":
      return selectEntitlements(db, ids, organizationId);
    default:
      return selectRows(db, kind, ids, organizationId);
  }
}

async function selectRows(
  db: Db,
  kind: TableType,
  ids: readonly string[],
  organizationId: string,
): Promise<StoredDocument[]> {
  const owner = kind === "organization" ? "id" : `${KINDS[kind].in}_id`;
  const rows = await db.all(
    build
      .selectFrom(tableOf(kind))
      .select(["id", sql.ref<string>(owner).as("ownerId"), "doc", "revision"])
      .$if(kind === "page", (it) => it.select("slug"))
      .$if(kind === "page_component", (it) => it.select("page_id as pageId"))
      .$if(kind === "transaction", (it) =>
        it.select("billing_transaction_id as billingTransactionId"),
      )
      .where("id", "in", [...ids])
      .$if(!isCounter(kind), (it) => it.where("organization_id", "=", organizationId)),
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
  if (!isTableType(kind)) return new Map();
  const rows = await db.all(
    build
      .selectFrom(tableOf(kind))
      .select(["id", sql<number>`octet_length(doc)`.as("bytes")])
      .where("id", "in", [...ids])
      .$if(!isCounter(kind), (it) => it.where("organization_id", "=", organizationId)),
  );
  return new Map(rows.map(({ id, bytes }) => [id, bytes]));
}

async function selectIntegrations(db: Db, ids: readonly string[]): Promise<StoredDocument[]> {
  return db.all(
    build
      .selectFrom("sign_in_integration")
      .select(["project_id as id", "project_id as ownerId", "doc"])
      .where("project_id", "in", [...ids]),
  );
}

async function selectEntitlements(
  db: Db,
  ids: readonly string[],
  organizationId: string,
): Promise<StoredDocument[]> {
  const rows = await db.all(
    build
      .selectFrom("entitlement")
      .selectAll()
      .where("organization_id", "=", organizationId)
      .where("id", "in", [...ids]),
  );
  return rows.map((row) => ({
    id: row.id,
    ownerId: row.project_id,
    doc: toBinary(EntitlementSchema, toEntitlement(row)),
    isBought: row.is_granted === 0,
  }));
}
