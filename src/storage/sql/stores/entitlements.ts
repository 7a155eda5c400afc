import { create, toBinary } from "@bufbuild/protobuf";
import {
  type Entitlement,
  EntitlementSchema,
} from "../../../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
import type { Offer } from "../../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import type { Transaction as Purchase } from "../../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import type { Schema } from "../../../../gen/tables.ts";
import { alreadyExists } from "../../../domain/base/errors.ts";
import { cutPage } from "../../../domain/base/paging.ts";
import { listReferencesOf } from "../../../domain/kinds.ts";
import {
  decideAccess,
  opensAnything,
  opensVideo,
} from "../../../domain/monetization/entitlement.ts";
import type { DocumentPage } from "../../contract/document-store.ts";
import type {
  Coverage,
  EntitlementQuery,
  EntitlementStore,
  EntitlementViewer,
} from "../../contract/monetization.ts";
import type { Db, Tx } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import {
  dateToMicros,
  microsToDate,
  microsToTimestamp,
  timeColumn,
  UNSET_TIME,
} from "../../db/times.ts";
import { ConnectedStore } from "../base/connections.ts";
import { inReadTransaction } from "../base/in-transaction.ts";
import { BYTES, readDocuments, type SizedRow } from "../base/read-documents.ts";
import type { StoredDocument } from "../base/stored-document.ts";
import { findWatched, OFFERS } from "./offers.ts";
import { addReferences, eraseReferences } from "./references.ts";

/** The columns of an entitlement's message. */
export const ENTITLEMENT_COLUMNS = [
  "id",
  "project_id",
  "user_id",
  "offer_id",
  "start_time",
  "end_time",
] as const;

/** An entitlement's message as columns. */
type EntitlementRow = Pick<Schema["entitlement"], (typeof ENTITLEMENT_COLUMNS)[number]>;

/** Returns the entitlement of a row, with the scope of its offer; without an offer it grants access to nothing. */
export function toEntitlement(row: EntitlementRow, offer?: Offer): Entitlement {
  const { start_time, end_time } = row;
  return create(EntitlementSchema, {
    id: row.id,
    projectId: row.project_id,
    userId: row.user_id,
    offerId: row.offer_id,
    ...(offer?.opens && { opens: offer.opens }),
    maxStreams: offer?.maxStreams ?? 0,
    ...(start_time !== UNSET_TIME && { startTime: microsToTimestamp(start_time) }),
    ...(end_time !== UNSET_TIME && { endTime: microsToTimestamp(end_time) }),
  });
}

type GrantedFields = Pick<
  Entitlement,
  "endTime" | "id" | "offerId" | "projectId" | "startTime" | "userId"
>;

/** Returns an entitlement as it is stored: without the scope of its offer, and with times in microseconds. */
export function toStoredEntitlement(entitlement: Entitlement): Entitlement {
  return toEntitlement(toEntitlementRow(entitlement));
}

/** Returns the row of an entitlement. */
function toEntitlementRow(entitlement: GrantedFields): EntitlementRow {
  return {
    id: entitlement.id,
    project_id: entitlement.projectId,
    user_id: entitlement.userId,
    offer_id: entitlement.offerId,
    start_time: timeColumn(entitlement.startTime),
    end_time: timeColumn(entitlement.endTime),
  };
}

/** The organization and revision of a written entitlement. */
interface Write {
  readonly organizationId: string;
  readonly revision: number;
}

/** Finds entitlements by their ids. */
export async function findEntitlements(
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

/** Creates or replaces an entitlement that is granted by hand. ALREADY_EXISTS if a transaction has its id. */
export async function putGrantedEntitlement(
  tx: Tx,
  entitlement: Entitlement,
  write: Write & { readonly isNew: boolean },
): Promise<void> {
  const { id, projectId } = entitlement;
  const { organizationId, isNew } = write;
  if (isNew) await checkIdFree(tx, "transaction_record", id, organizationId);
  else await eraseEntitlement(tx, entitlement, organizationId);
  await tx.run(insertRow(entitlement, write, 1));
  const references = listReferencesOf("entitlement", entitlement);
  await addReferences(tx, { kind: "entitlement", id, projectId }, references);
}

/** Deletes an entitlement with its references. */
export async function eraseEntitlement(
  tx: Tx,
  { id, projectId }: Pick<Entitlement, "id" | "projectId">,
  organizationId: string,
): Promise<void> {
  await tx.run(
    build
      .deleteFrom("entitlement")
      .where("organization_id", "=", organizationId)
      .where("id", "=", id),
  );
  await tx.run(eraseReferences({ kind: "entitlement", id, projectId }));
}

/**
 * Replaces the entitlement that a transaction grants, which has the transaction's id. ALREADY_EXISTS if an
 * entitlement granted by hand has it.
 */
export async function writeBoughtEntitlement(
  tx: Tx,
  purchase: Purchase,
  write: Write,
): Promise<void> {
  await eraseBoughtEntitlement(tx, purchase.id, write.organizationId);
  await checkIdFree(tx, "entitlement", purchase.id, write.organizationId);
  const access = decideAccess(purchase);
  if (access === undefined) return;
  const { id, projectId, userId, offerId } = purchase;
  const { start: startTime, end: endTime } = access;
  const entitlement = { id, projectId, userId, offerId, startTime, endTime };
  await tx.run(insertRow(entitlement, write, 0));
}

/** Deletes the entitlement that a transaction grants. */
export async function eraseBoughtEntitlement(
  tx: Tx,
  transactionId: string,
  organizationId: string,
): Promise<void> {
  const bought = build
    .deleteFrom("entitlement")
    .where("organization_id", "=", organizationId)
    .where("id", "=", transactionId)
    .where("is_granted", "=", 0);
  await tx.run(bought);
}

function insertRow(
  entitlement: GrantedFields,
  { organizationId, revision }: Write,
  isGranted: 0 | 1,
) {
  return build.insertInto("entitlement").values({
    organization_id: organizationId,
    ...toEntitlementRow(entitlement),
    is_granted: isGranted,
    revision,
  });
}

/**
 * Checks that an entitlement and a transaction do not share an id, because a transaction grants an entitlement with
 * its id.
 */
async function checkIdFree(
  tx: Tx,
  table: "entitlement" | "transaction_record",
  id: string,
  organizationId: string,
): Promise<void> {
  const [taken] = await tx.all(
    build
      .selectFrom(table)
      .select("id")
      .where("organization_id", "=", organizationId)
      .where("id", "=", id),
  );
  if (taken !== undefined) {
    throw alreadyExists(table === "entitlement" ? "entitlement" : "transaction", id);
  }
}

/** The entitlements of viewers with offers that currently grant access to something. */
export class SqlEntitlementStore extends ConnectedStore implements EntitlementStore {
  list(query: EntitlementQuery): Promise<DocumentPage<Entitlement>> {
    return inReadTransaction(this.connections, query.projectId, async (tx) => {
      const held = await findHeldOffers(tx, query);
      const offers = new Map(held.map((it) => [it.id, it]));
      const ids: string[] = [];
      for await (const { id, value } of readOffers(tx, query, held)) {
        if (value.opens && opensAnything(value.opens)) ids.push(id);
      }
      const rows = await selectPage(tx, query, ids);
      const sizeOf = (row: EntitlementRow) => offers.get(row.offer_id)?.bytes ?? 0;
      const { shown, last } = cutPage(rows, query.limit, sizeOf);
      const named = new Set(shown.map((row) => row.offer_id));
      const some = held.filter(({ id }) => named.has(id));
      const opened = new Map<string, Offer>();
      for await (const { id, value } of readOffers(tx, query, some)) {
        opened.set(id, value);
      }
      return {
        values: shown.map((row) => toEntitlement(row, opened.get(row.offer_id))),
        ...(last && { next: { key: last.start_time, id: last.id } }),
      };
    });
  }

  covers(query: EntitlementViewer & { readonly videoId: string }): Promise<Coverage | undefined> {
    return inReadTransaction(this.connections, query.projectId, async (tx) => {
      const held = await findHeldOffers(tx, query);
      if (held.length === 0) return undefined;
      const watched = await findWatched(tx, query);
      const ends = new Map(held.map(({ id, end }) => [id, end]));
      let coverage: { readonly maxStreams: number; readonly end: number } | undefined;
      for await (const { id, value } of readOffers(tx, query, held)) {
        if (!value.opens || !opensVideo(value.opens, watched)) continue;
        coverage = {
          maxStreams: Math.max(coverage?.maxStreams ?? 0, value.maxStreams),
          end: Math.max(coverage?.end ?? 0, ends.get(id) ?? 0),
        };
      }
      if (coverage === undefined) return undefined;
      const { maxStreams, end } = coverage;
      return { maxStreams, ...(end !== UNSET_TIME && { endTime: microsToDate(end) }) };
    });
  }
}

/** An offer of a viewer. */
interface HeldOffer extends SizedRow {
  /** The end of the viewer's last entitlement to it, in microseconds since 1970. */
  readonly end: number;
}

/** Reads some offers of a viewer, in turns with other callers. */
function readOffers(
  tx: Tx,
  { projectId, budget }: EntitlementViewer,
  offers: readonly HeldOffer[],
) {
  return readDocuments(tx, OFFERS, projectId, offers, budget);
}

/** Finds the offers of the viewer's current entitlements. */
function findHeldOffers(
  tx: Tx,
  { projectId, userId, now }: EntitlementViewer,
): Promise<HeldOffer[]> {
  const time = dateToMicros(now);
  const held = build
    .selectFrom("entitlement")
    .select((eb) => ["offer_id", eb.fn.max("end_time").as("end")])
    .where("project_id", "=", projectId)
    .where("user_id", "=", userId)
    .where("end_time", ">", time)
    .where("start_time", "<=", time)
    .groupBy("offer_id")
    .as("held");
  return tx.all(
    build
      .selectFrom("offer")
      .innerJoin(held, "held.offer_id", "offer.id")
      .select(["offer.id", "end", BYTES])
      .where("project_id", "=", projectId),
  );
}

async function selectPage(
  tx: Tx,
  { projectId, userId, now, limit, after }: EntitlementQuery,
  offerIds: readonly string[],
) {
  if (offerIds.length === 0) return [];
  const time = dateToMicros(now);
  const start = after && Number(after.key);
  let select = build
    .selectFrom("entitlement")
    .select(ENTITLEMENT_COLUMNS)
    .where("project_id", "=", projectId)
    .where("user_id", "=", userId)
    .where("offer_id", "in", offerIds)
    .where("end_time", ">", time)
    .where("start_time", "<=", Math.min(time, start ?? time));
  if (after !== undefined && start !== undefined) {
    select = select.where((eb) => eb.or([eb("start_time", "<", start), eb("id", ">", after.id)]));
  }
  return await tx.all(
    select
      .orderBy("start_time", "desc")
      .orderBy("id")
      .limit(limit + 1),
  );
}
