import { create } from "@bufbuild/protobuf";
import {
  type Entitlement,
  EntitlementSchema,
} from "../../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
import {
  type Offer,
  OfferSchema,
  type OfferScope,
} from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import type { Transaction as Purchase } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { Code, DomainError } from "../../domain/errors.ts";
import { decideAccess, opensAnything } from "../../domain/monetization/entitlement.ts";
import type { Tx } from "../db/db.ts";
import { build } from "../db/query.ts";
import type { EntitlementQuery, EntitlementStore, EntitlementViewer } from "../playback-store.ts";
import type { Connections } from "./connections.ts";
import { cutPage } from "./cut-page.ts";
import { inReadTransaction } from "./in-transaction.ts";
import { findOpeningOffers } from "./opening-offers.ts";
import { readDocument } from "./stored-document.ts";
import { dateToMicros, microsToTimestamp, timeColumn, toMicros, UNSET_TIME } from "./times.ts";

/** Creates the store of entitlements. */
export function createEntitlementStore(connections: Connections): EntitlementStore {
  return {
    list: (query) =>
      inReadTransaction(connections, async (tx) => {
        const offers = await findOffers(tx, query);
        const rows = await selectPage(tx, query, [...offers.keys()]);
        const sizeOf = (row: PageRow) => offers.get(row.offer_id)?.bytes ?? 0;
        const { shown, last } = cutPage(rows, query.limit, sizeOf);
        return {
          entitlements: shown.flatMap((row) => {
            const found = offers.get(row.offer_id);
            return found ? [toEntitlement(row, query, found.offer)] : [];
          }),
          ...(last && { next: { startTime: last.start_time, id: last.id } }),
        };
      }),

    covers: (query) =>
      inReadTransaction(connections, async (tx) => {
        const offers = Array.from((await findOffers(tx, query)).values(), ({ offer }) => offer);
        const covering = await findOpeningOffers(tx, offers, query);
        if (covering.length === 0) return undefined;
        return { maxStreams: Math.max(0, ...covering.map((offer) => offer.maxStreams)) };
      }),
  };
}

/** Replaces the entitlements that a transaction grants. */
export async function writeBoughtEntitlement(
  tx: Tx,
  purchase: Purchase,
  { organizationId, revision }: { readonly organizationId: string; readonly revision: number },
): Promise<void> {
  await eraseBoughtEntitlement(tx, purchase.id, organizationId);
  await checkUngranted(tx, purchase.id, organizationId);
  const access = decideAccess(purchase);
  if (access === undefined) return;
  const insert = build.insertInto("entitlement").values({
    organization_id: organizationId,
    project_id: purchase.projectId,
    user_id: purchase.userId,
    start_time: toMicros(access.start),
    id: purchase.id,
    end_time: timeColumn(access.end),
    offer_id: purchase.offerId,
    is_granted: 0,
    revision,
  });
  await tx.run(insert);
}

/** Deletes the entitlements that a transaction grants. */
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

/** A granted entitlement with the id of a transaction could not be told from a bought one. */
async function checkUngranted(tx: Tx, id: string, organizationId: string): Promise<void> {
  const taken = await tx.first(
    build
      .selectFrom("entitlement")
      .select("id")
      .where("organization_id", "=", organizationId)
      .where("id", "=", id),
  );
  if (taken === undefined) return;
  throw new DomainError(
    Code.ALREADY_EXISTS,
    "ALREADY_EXISTS",
    "an entitlement already has this id",
  );
}

/** Finds the offers, among those that open something, of the viewer's current entitlements, by id. */
async function findOffers(
  tx: Tx,
  { projectId, userId, now }: EntitlementViewer,
): Promise<ReadonlyMap<string, { readonly offer: OpenOffer; readonly bytes: number }>> {
  const time = dateToMicros(now);
  const rows = await tx.all(
    build
      .selectFrom("offer")
      .select("doc")
      .where("project_id", "=", projectId)
      .where("id", "in", (eb) =>
        eb
          .selectFrom("entitlement")
          .select("offer_id")
          .where("project_id", "=", projectId)
          .where("user_id", "=", userId)
          .where("end_time", ">", time)
          .where("start_time", "<=", time),
      ),
  );
  return new Map(
    rows.flatMap(({ doc }) => {
      const offer = readDocument(OfferSchema, doc);
      return isOpen(offer) ? [[offer.id, { offer, bytes: doc.length }]] : [];
    }),
  );
}

type OpenOffer = Offer & { readonly opens: OfferScope };

function isOpen(offer: Offer): offer is OpenOffer {
  return offer.opens !== undefined && opensAnything(offer.opens);
}

async function selectPage(
  tx: Tx,
  { projectId, userId, now, limit, after }: EntitlementQuery,
  offerIds: readonly string[],
) {
  if (offerIds.length === 0) return [];
  const time = dateToMicros(now);
  let select = build
    .selectFrom("entitlement")
    .select(["id", "offer_id", "start_time", "end_time"])
    .where("project_id", "=", projectId)
    .where("user_id", "=", userId)
    .where("offer_id", "in", offerIds)
    .where("end_time", ">", time)
    .where("start_time", "<=", Math.min(time, after?.startTime ?? time));
  if (after !== undefined) {
    select = select.where((eb) =>
      eb.or([eb("start_time", "<", after.startTime), eb("id", ">", after.id)]),
    );
  }
  return await tx.all(
    select
      .orderBy("start_time", "desc")
      .orderBy("id")
      .limit(limit + 1),
  );
}

type PageRow = Awaited<ReturnType<typeof selectPage>>[number];

function toEntitlement(
  { id, offer_id: offerId, start_time, end_time }: PageRow,
  { projectId, userId }: EntitlementViewer,
  { opens, maxStreams }: OpenOffer,
): Entitlement {
  return create(EntitlementSchema, {
    id,
    projectId,
    userId,
    offerId,
    opens,
    maxStreams,
    startTime: microsToTimestamp(start_time),
    ...(end_time !== UNSET_TIME && { endTime: microsToTimestamp(end_time) }),
  });
}
