import {
  type Entitlement,
  EntitlementSchema,
} from "../../../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
import { OfferSchema } from "../../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import { notFound } from "../../../domain/base/errors.ts";
import { toAmounts } from "../../../domain/kinds.ts";
import type { DocumentPage, DocumentQuery } from "../../contract/document-store.ts";
import type { EntitlementAdmin, StoredEntitlement } from "../../contract/monetization.ts";
import type { Db } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import { eraseBindingsOn } from "../base/bindings.ts";
import { OrganizationPart } from "../base/connections.ts";
import { listFiltered } from "../base/filtered-page.ts";
import { inTransaction } from "../base/in-transaction.ts";
import { readDocument } from "../base/stored-document.ts";
import { putDocument } from "./document-writer.ts";
import { ENTITLEMENT_COLUMNS, eraseEntitlement, toEntitlement } from "./entitlements.ts";
import { scopeOf } from "./locate.ts";
import { WriteUnit } from "./write-unit.ts";

/** All entitlements of all users of an organization: bought or granted; upcoming, live or ended. */
export class SqlEntitlementAdmin extends OrganizationPart implements EntitlementAdmin {
  get(id: string): Promise<StoredEntitlement> {
    return this.#get(this.read, id);
  }

  list(query: DocumentQuery): Promise<DocumentPage<Entitlement>> {
    const rows = selectWithOffers().where("entitlement.project_id", "in", [...query.parentIds]);
    return listFiltered(this.read, query, rows, {
      table: "entitlement",
      lookups: ["user_id", "offer_id"],
      schema: EntitlementSchema,
      toValue: (row) => toStored(row).value,
      document: "offer.doc",
    });
  }

  create(value: Entitlement): Promise<StoredEntitlement> {
    const organizationId = this.organizationId;
    return inTransaction(this.connections, { projectIds: [value.projectId] }, async (tx) => {
      await putDocument(new WriteUnit(tx), "entitlement", value, { organizationId });
      return this.#get(tx, value.id);
    });
  }

  delete(id: string, check: (current: StoredEntitlement) => void): Promise<void> {
    const organizationId = this.organizationId;
    const scope = scopeOf("entitlement", id, organizationId);
    return inTransaction(this.connections, scope, async (tx) => {
      const current = await this.#get(tx, id);
      check(current);
      const { projectId } = current.value;
      await new WriteUnit(tx).count({
        ...{ kind: "entitlement", value: current.value, organizationId, isNew: false },
        growth: toAmounts("entitlement", current.isGranted ? -1 : 0, 0),
      });
      await eraseEntitlement(tx, current.value, organizationId);
      await eraseBindingsOn(tx, { kind: "entitlement", id, organizationId, projectId });
    });
  }

  async #get(db: Db, id: string): Promise<StoredEntitlement> {
    const [row] = await db.all(
      selectWithOffers()
        .where("entitlement.organization_id", "=", this.organizationId)
        .where("entitlement.id", "=", id),
    );
    if (row === undefined) throw notFound("entitlement", id);
    return toStored(row);
  }
}

/** Selects entitlements with the current offers of their own project. */
function selectWithOffers() {
  return build
    .selectFrom("entitlement")
    .leftJoin("offer", (join) =>
      join
        .onRef("offer.id", "=", "entitlement.offer_id")
        .onRef("offer.project_id", "=", "entitlement.project_id"),
    )
    .select(ENTITLEMENT_COLUMNS.map((column) => `entitlement.${column}` as const))
    .select(["entitlement.is_granted", "entitlement.revision"])
    .select(["offer.doc as offer_doc", "offer.revision as offer_revision"]);
}

type Row = NonNullable<
  Awaited<ReturnType<ReturnType<typeof selectWithOffers>["executeTakeFirst"]>>
>;

function toStored(row: Row): StoredEntitlement {
  const offer = row.offer_doc === null ? undefined : readDocument(OfferSchema, row.offer_doc);
  return {
    isGranted: row.is_granted === 1,
    revision: Math.max(row.revision, row.offer_revision ?? 0),
    value: toEntitlement(row, offer),
  };
}
