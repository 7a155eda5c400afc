import { create } from "@bufbuild/protobuf";
import { sql } from "kysely";
import { EntitlementSchema } from "../../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
import { OfferSchema } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import { Code, DomainError, notFound } from "../../domain/errors.ts";
import { toAmounts } from "../../domain/kinds.ts";
import { readEqualities } from "../../domain/kql/index.ts";
import { listEntitlementReferences } from "../../domain/references.ts";
import type { Db, Tx } from "../db/db.ts";
import { build } from "../db/query.ts";
import type { DocumentQuery } from "../document-store.ts";
import type { EntitlementAdmin, StoredEntitlement } from "../monetization-store.ts";
import { eraseBindingsOn } from "./binding-targets.ts";
import type { Connections } from "./connections.ts";
import { createMatch, readFiltered } from "./filtered-page.ts";
import { inTransaction, settleAll } from "./in-transaction.ts";
import { addReferences, eraseReferences } from "./references.ts";
import { nextRevision } from "./revisions.ts";
import { scopeOf } from "./scope-of.ts";
import { readDocument } from "./stored-document.ts";
import { microsToTimestamp, timeColumn, toMicros, UNSET_TIME } from "./times.ts";

/** The fields whose equality in a filter is looked up in an index. */
const LOOKUPS = ["user_id", "offer_id"] as const;

/** Creates the store of all entitlements of an organization, for management. */
export function createEntitlementAdmin(
  connections: Connections,
  organizationId: string,
): EntitlementAdmin {
  const { read } = connections;
  return {
    get: (id) => getEntitlement(read, id, organizationId),

    list: (query) =>
      readFiltered(read, query, {
        select: (after, limit) => selectRows({ ...query, ...(after && { after }) }, limit),
        toValue: (row) => toStored(row).value,
        sizeOf: ({ offer_doc }) => offer_doc?.length ?? 0,
        matches: createMatch(EntitlementSchema, query.filter, query.now),
      }),

    create: (value) =>
      inTransaction(connections, { projectIds: [value.projectId] }, async (tx) => {
        const { id, projectId, userId, offerId, startTime, endTime } = value;
        if (startTime === undefined) throw new Error(`entitlement ${id} has no start time`);
        const growth = toAmounts("entitlement", 1, 0);
        const [, revision] = await settleAll([
          checkUntaken(tx, id, organizationId),
          nextRevision(tx, projectId, organizationId, growth),
        ]);
        const insert = build.insertInto("entitlement").values({
          organization_id: organizationId,
          project_id: projectId,
          user_id: userId,
          start_time: toMicros(startTime),
          id,
          end_time: timeColumn(endTime),
          offer_id: offerId,
          is_granted: 1,
          revision,
        });
        await tx.run(insert);
        const references = listEntitlementReferences(value);
        await addReferences(tx, { type: "entitlement", id, projectId }, references);
        return getEntitlement(tx, id, organizationId);
      }),

    delete: (id, check) =>
      inTransaction(connections, scopeOf("entitlement", id, organizationId), async (tx) => {
        const current = await getEntitlement(tx, id, organizationId);
        check(current);
        const { projectId } = current.value;
        const freed = toAmounts("entitlement", current.isGranted ? -1 : 0, 0);
        await nextRevision(tx, projectId, organizationId, freed);
        const row = build
          .deleteFrom("entitlement")
          .where("organization_id", "=", organizationId)
          .where("id", "=", id);
        await tx.run(row);
        await tx.run(eraseReferences({ type: "entitlement", id, projectId }));
        await eraseBindingsOn(tx, { type: "entitlement", id, organizationId, projectId });
      }),
  };
}

/** A bought entitlement has the id of its transaction. */
async function checkUntaken(tx: Tx, id: string, organizationId: string): Promise<void> {
  const taken = await tx.first(
    build
      .selectFrom("transaction_record")
      .select("id")
      .where("organization_id", "=", organizationId)
      .where("id", "=", id),
  );
  if (taken === undefined) return;
  throw new DomainError(Code.ALREADY_EXISTS, "ALREADY_EXISTS", "a transaction already has this id");
}

async function getEntitlement(
  db: Db,
  id: string,
  organizationId: string,
): Promise<StoredEntitlement> {
  const row = await db.first(
    select()
      .where("entitlement.organization_id", "=", organizationId)
      .where("entitlement.id", "=", id),
  );
  if (row === undefined) throw notFound(`entitlement ${id}`);
  return toStored(row);
}

/** Selects entitlements with the current offers of their own project. */
function select() {
  return build
    .selectFrom("entitlement")
    .leftJoin("offer", (join) =>
      join
        .onRef("offer.id", "=", "entitlement.offer_id")
        .onRef("offer.project_id", "=", "entitlement.project_id"),
    )
    .select([
      "entitlement.id",
      "entitlement.project_id",
      "entitlement.user_id",
      "entitlement.offer_id",
      "entitlement.start_time",
      "entitlement.end_time",
      "entitlement.is_granted",
      "entitlement.revision",
      "offer.doc as offer_doc",
      "offer.revision as offer_revision",
    ]);
}

function selectRows({ parentIds, filter, order, after }: DocumentQuery, limit: number) {
  const isByTime = order.field === "start_time";
  const further = order.direction === "asc" ? ">" : "<";
  let rows = select()
    .select(
      sql<number | null>`${isByTime ? sql.ref("entitlement.start_time") : sql.lit(null)}`.as(
        "order_key",
      ),
    )
    .where("entitlement.project_id", "in", [...parentIds]);
  for (const { path, value } of filter === undefined ? [] : readEqualities(filter)) {
    const column = LOOKUPS.find((it) => it === path);
    if (column !== undefined) rows = rows.where(`entitlement.${column}`, "=", value);
  }
  if (after !== undefined) {
    rows = rows.where((eb) => {
      if (!isByTime) return eb("entitlement.id", further, after.id);
      const time = Number(after.key);
      return eb.or([
        eb("entitlement.start_time", further, time),
        eb.and([eb("entitlement.start_time", "=", time), eb("entitlement.id", ">", after.id)]),
      ]);
    });
  }
  if (isByTime) rows = rows.orderBy("entitlement.start_time", order.direction);
  return rows.orderBy("entitlement.id", isByTime ? "asc" : order.direction).limit(limit);
}

type Row = NonNullable<Awaited<ReturnType<ReturnType<typeof select>["executeTakeFirst"]>>>;

function toStored(row: Row): StoredEntitlement {
  const offer = row.offer_doc === null ? undefined : readDocument(OfferSchema, row.offer_doc);
  return {
    isGranted: row.is_granted === 1,
    revision: Math.max(row.revision, row.offer_revision ?? 0),
    value: create(EntitlementSchema, {
      id: row.id,
      projectId: row.project_id,
      userId: row.user_id,
      offerId: row.offer_id,
      ...(offer?.opens && { opens: offer.opens }),
      maxStreams: offer?.maxStreams ?? 0,
      startTime: microsToTimestamp(row.start_time),
      ...(row.end_time !== UNSET_TIME && { endTime: microsToTimestamp(row.end_time) }),
    }),
  };
}
