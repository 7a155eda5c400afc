import type { Offer } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import type { Transaction } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { Code, DomainError } from "../../domain/base/errors.ts";
import { invalidField } from "../../domain/base/field-errors.ts";
import { startPurchase } from "../../domain/monetization/purchase.ts";
import type { OrganizationStore, Store } from "../../storage/contract/store.ts";

/**
 * Completes a new transaction from the offer of its project. Throws as `findOwnOffer` and `startPurchase` do,
 * with fields below `path`.
 */
export async function readPurchase(
  store: Pick<OrganizationStore, "documents">,
  sent: Transaction,
  path: string,
): Promise<Transaction> {
  return startPurchase(sent, await findOwnOffer(store, sent, path), path);
}

/** Finds an offer of a project. INVALID_ARGUMENT `OFFER_NOT_FOUND` if the project has no such offer. */
export async function findOwnOffer(
  store: Pick<OrganizationStore, "documents">,
  { projectId, offerId }: Pick<Transaction, "offerId" | "projectId">,
  path: string,
): Promise<Offer> {
  const [offer] = await store.documents.offer.getMany([offerId]);
  if (offer?.value.projectId === projectId) return offer.value;
  const description = `the project has no offer ${offerId}`;
  throw invalidField(`${path}.offer_id`, "OFFER_NOT_FOUND", description);
}

/** Lists the transactions of a project with a billing transaction id, newest first. */
export async function findBilled(
  { transactions }: Store,
  projectId: string,
  billingTransactionId: string,
): Promise<readonly Transaction[]> {
  const list = await transactions.list({
    projectIds: [projectId],
    billingTransactionIds: [billingTransactionId],
    limit: 100,
    withSummary: false,
  });
  return list.values;
}

/** Rejects a billing transaction id that is already in use in the project: ALREADY_EXISTS. */
export async function checkUnbilled(
  store: Store,
  projectId: string,
  billingTransactionId: string,
): Promise<void> {
  if (billingTransactionId === "") return;
  const [taken] = await findBilled(store, projectId, billingTransactionId);
  if (taken === undefined) return;
  throw new DomainError(
    Code.ALREADY_EXISTS,
    "ALREADY_EXISTS",
    `transaction ${taken.id} already has the billing_transaction_id ${billingTransactionId}`,
    { metadata: { field: "billing_transaction_id", transaction_id: taken.id } },
  );
}
