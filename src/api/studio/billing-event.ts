import { create } from "@bufbuild/protobuf";
import { type Timestamp, timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type BillingEvent,
  type BillingEventResult,
  BillingEventResultSchema,
} from "../../../gen/svc/studio/monetization/billing_integration/v1/billing_event_pb.ts";
import {
  type Transaction,
  TransactionStatus,
} from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { Code } from "../../domain/base/errors.ts";
import { invalidField } from "../../domain/base/field-errors.ts";
import { listSecrets } from "../../domain/monetization/billing-secrets.ts";
import {
  decideTransition,
  findEventState,
  findPath,
  moveTo,
  stateForbids,
} from "../../domain/monetization/transaction-state.ts";
import type { Documents } from "../../storage/contract/document-store.ts";
import type { Store } from "../../storage/contract/store.ts";
import { type AuditedChange, runAudited } from "../steps/unit-of-work.ts";
import { findBilled, readPurchase } from "./purchase.ts";

/** An event with its project and time of arrival. */
interface EventArrival {
  readonly projectId: string;
  readonly now: Date;
  readonly requestId: string;
}

/** Creates the processing of billing events. */
export function createBillingEvents(store: Store, createId: () => string) {
  return {
    /** Lists the signing secrets of a project's provider that are valid at a time. */
    async listSecrets(projectId: string, now: Date): Promise<readonly string[]> {
      const stored = await store.billingIntegrations.find(projectId);
      return stored === undefined ? [] : listSecrets(stored.value, now);
    },

    /**
     * Moves the purchase of an event to the reported state, and creates an unknown purchase. A purchase that was
     * already in the state stays unchanged, so events may be repeated. If several transactions share a billing
     * id, all of them move. ABORTED `TRANSACTION_STATE_FORBIDS` if the transition is not allowed.
     */
    receive: (event: BillingEvent, arrival: EventArrival): Promise<BillingEventResult> =>
      runAudited(
        store,
        { scope: { projectIds: [arrival.projectId] }, createId },
        async (unit, audit) => {
          const { projectId, now } = arrival;
          const [project] = await unit.access.locate("project", [projectId]);
          const organizationId = project?.organizationId ?? "";
          const { documents } = unit.in(organizationId);
          const billingTransactionId = event.data?.billingTransactionId ?? "";
          const to = findEventState(event.type) ?? TransactionStatus.UNSPECIFIED;
          const time = readTime(event, now);
          const known = await findBilled(unit, projectId, billingTransactionId);
          const moving = known.filter(({ status }) => findPath(to, status) === undefined);
          const moved: Transaction[] = [];
          for (const purchase of moving) moved.push(await advance(documents, purchase, to, time));
          if (known.length === 0) {
            const started = await start(documents, event, { id: createId(), to, time });
            const extra = { billingTransactionId };
            moved.push((await documents.transaction.create(started, extra)).value);
          }
          for (const { id } of moved)
            await audit(toChange(event, { ...arrival, organizationId, id }));
          const [transaction] = [...moved, ...known];
          return create(BillingEventResultSchema, {
            transactionId: transaction?.id ?? "",
            status: transaction?.status ?? TransactionStatus.UNSPECIFIED,
          });
        },
      ),
  };
}

/** Describes a change for the audit log, without an account. */
function toChange(
  { type }: BillingEvent,
  {
    organizationId,
    projectId,
    now,
    requestId,
    id,
  }: EventArrival & { readonly organizationId: string; readonly id: string },
): AuditedChange {
  return {
    time: timestampFromDate(now),
    organizationId,
    projectId,
    accountId: "",
    method: type,
    resourceType: "transaction",
    resourceId: id,
    updatedFields: [],
    requestId,
    releaseId: "",
  };
}

/** Returns the time of an event, at most now: a provider's clock may be ahead. */
function readTime({ timestamp }: BillingEvent, now: Date): Timestamp {
  const isPast = timestamp !== undefined && timestampDate(timestamp) <= now;
  return isPast ? timestamp : timestampFromDate(now);
}

async function advance(
  documents: Documents,
  { id, status: from }: Transaction,
  to: TransactionStatus,
  time: Timestamp,
): Promise<Transaction> {
  if (decideTransition(from, to) !== "moves") throw stateForbids(id, { from, to }, Code.ABORTED);
  const { value } = await documents.transaction.update(id, (current) =>
    moveTo(current.value, to, time),
  );
  return value;
}

/** Moves a new purchase to the state of an event, step by step. */
async function start(
  documents: Documents,
  { data }: BillingEvent,
  {
    id,
    to,
    time,
  }: { readonly id: string; readonly to: TransactionStatus; readonly time: Timestamp },
): Promise<Transaction> {
  if (data?.transaction === undefined) {
    const description = "is required, because the purchase is not known yet";
    throw invalidField("data.transaction", "FIELD_REQUIRED", description);
  }
  const pending = await readPurchase({ documents }, data.transaction, "data.transaction");
  let purchase: Transaction = Object.assign(pending, { id, createTime: time });
  for (const state of findPath(pending.status, to) ?? []) purchase = moveTo(purchase, state, time);
  return purchase;
}
