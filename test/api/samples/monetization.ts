import { create } from "@bufbuild/protobuf";
import { EntitlementSchema } from "../../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
import { OfferSchema } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import {
  TransactionSchema,
  TransactionStatus,
} from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { DomainError } from "../../../src/domain/errors.ts";
import type { Marquee } from "../../harness/marquee.ts";
import type { MethodSample } from "../method-samples.ts";
import type { JsonMessage } from "../methods.ts";

const projectId = "worldcup";
const PROJECT = "worldcup/worldcup/project";
const OFFER = "sample-offer";
const ENTITLEMENT = "sample-entitlement";

const exists = (fault: unknown) => {
  if (!(fault instanceof DomainError) || fault.reason !== "ALREADY_EXISTS") throw fault;
};

/** Makes an offer, unless it is there. */
const offerMessage = async ({ store }: Marquee): Promise<JsonMessage> => {
  const offer = create(OfferSchema, { id: OFFER, projectId, name: "sample" });
  await store.in("org-worldcup").documents.offer.create(offer).catch(exists);
  return { offerId: OFFER };
};

/** Gives an entitlement away, unless it is there. */
const entitlementMessage = async ({ store }: Marquee): Promise<JsonMessage> => {
  const startTime = { seconds: 1_700_000_000n };
  const fields = { id: ENTITLEMENT, projectId, userId: "user-1", offerId: "offer-day", startTime };
  await store
    .in("org-worldcup")
    .entitlementAdmin.create(create(EntitlementSchema, fields))
    .catch(exists);
  return { entitlementId: ENTITLEMENT };
};

/** Makes a transaction in a state, or puts it there. */
const transactionIn = (id: string, status: TransactionStatus): MethodSample => ({
  message: async ({ store }) => {
    const { transaction } = store.in("org-worldcup").documents;
    const value = create(TransactionSchema, {
      ...{ id, projectId, status, userId: "user-1", offerId: "offer-day" },
      createTime: { seconds: 1_700_000_000n },
    });
    await transaction
      .create(value, { billingTransactionId: "" })
      .catch(() => transaction.update(id, () => value));
    return { transactionId: id };
  },
  resource: `${id}/worldcup/transaction`,
  isWrite: true,
});

const BILLING = "svc.studio.monetization.billing_integration.v1.BillingIntegrationService";
const ENTITLEMENTS = "svc.studio.monetization.entitlement.v1.EntitlementService";
const OFFERS = "svc.studio.monetization.offer.v1.OfferService";
const TRANSACTIONS = "svc.studio.monetization.transaction.v1.TransactionService";

/** Samples of the methods of monetization. */
export const monetizationSamples: Readonly<Record<string, MethodSample>> = {
  [`${BILLING}/GetBillingIntegration`]: { message: { projectId }, resource: PROJECT },
  [`${BILLING}/RotateBillingSecret`]: { message: { projectId }, resource: PROJECT, isWrite: true },
  [`${ENTITLEMENTS}/CreateEntitlement`]: {
    message: { entitlement: { projectId, userId: "user-1", offerId: "offer-day" } },
    resource: PROJECT,
    isWrite: true,
  },
  [`${ENTITLEMENTS}/DeleteEntitlement`]: {
    message: entitlementMessage,
    resource: `${ENTITLEMENT}/worldcup/entitlement`,
    isWrite: true,
  },
  [`${ENTITLEMENTS}/GetEntitlement`]: {
    message: entitlementMessage,
    resource: `${ENTITLEMENT}/worldcup/entitlement`,
  },
  [`${ENTITLEMENTS}/ListEntitlements`]: {
    message: { projectId, pageSize: 2, filter: 'user_id: "user-worldcup-0001"' },
    resource: PROJECT,
  },
  [`${OFFERS}/CreateOffer`]: {
    message: { offer: { projectId, name: "sample" } },
    resource: PROJECT,
    isWrite: true,
  },
  [`${OFFERS}/DeleteOffer`]: {
    message: offerMessage,
    resource: `${OFFER}/worldcup/offer`,
    isWrite: true,
  },
  [`${OFFERS}/GetOffer`]: {
    message: { offerId: "offer-day" },
    resource: "offer-day/worldcup/offer",
  },
  [`${OFFERS}/ListOffers`]: { message: { projectId, pageSize: 2 }, resource: PROJECT },
  [`${OFFERS}/UpdateOffer`]: {
    message: { offerId: "offer-day", offer: { name: "one-day" }, updateMask: "name" },
    resource: "offer-day/worldcup/offer",
    isWrite: true,
  },
  [`${TRANSACTIONS}/CancelTransaction`]: transactionIn("sample-cancel", TransactionStatus.PENDING),
  [`${TRANSACTIONS}/CaptureTransaction`]: transactionIn(
    "sample-capture",
    TransactionStatus.PENDING,
  ),
  [`${TRANSACTIONS}/CreateTransaction`]: {
    message: {
      transaction: {
        ...{ projectId, userId: "user-1", offerId: "offer-day", offerPriceId: "offer-day-eur" },
      },
    },
    resource: PROJECT,
    isWrite: true,
  },
  [`${TRANSACTIONS}/GetTransaction`]: {
    message: { transactionId: "txn-000001" },
    resource: "txn-000001/worldcup/transaction",
  },
  [`${TRANSACTIONS}/ListTransactions`]: {
    message: { projectId, pageSize: 1, includeSummary: true },
    resource: PROJECT,
  },
  [`${TRANSACTIONS}/RefundTransaction`]: transactionIn("sample-refund", TransactionStatus.CAPTURED),
};
