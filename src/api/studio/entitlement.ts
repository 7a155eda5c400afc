import { clone, create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { EntitlementSchema } from "../../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
import type { EntitlementService } from "../../../gen/svc/studio/monetization/entitlement/v1/entitlement_service_pb.ts";
import { Code, DomainError } from "../../domain/errors.ts";
import { parseDocumentOrder } from "../../domain/messages/document-order.ts";
import { checkRequired } from "../../domain/messages/field-behavior.ts";
import { chooseId } from "../../domain/messages/ids.ts";
import { checkTimeWindow } from "../../domain/monetization/entitlement.ts";
import { getRequest, getStore, noteChange } from "../steps/call.ts";
import { readIfMatch, tagAnswer } from "./conditional.ts";
import { answerPage } from "./list-page.ts";
import { findOwnOffer } from "./purchase.ts";
import type { ResourceParts } from "./resource.ts";

const PATH = "entitlement";

/** Creates the management handlers of entitlements. */
export function createEntitlementHandlers({
  pageTokens,
  createId,
}: ResourceParts): ServiceImpl<typeof EntitlementService> {
  return {
    async createEntitlement({ entitlement, entitlementId }, context) {
      readIfMatch(context)(undefined);
      const { values } = context;
      const value = clone(EntitlementSchema, entitlement ?? create(EntitlementSchema));
      value.id = chooseId(entitlementId, "entitlement_id", createId);
      value.startTime ??= timestampFromDate(getRequest(values).now);
      checkRequired(EntitlementSchema, value, PATH);
      checkTimeWindow(value, PATH);
      const store = getStore(values);
      await findOwnOffer(store, value, PATH);
      const stored = await store.entitlementAdmin.create(value);
      noteChange(values, { type: "entitlement", id: value.id });
      tagAnswer(context, stored);
      return { entitlement: stored.value };
    },

    async getEntitlement({ entitlementId }, context) {
      const stored = await getStore(context.values).entitlementAdmin.get(entitlementId);
      tagAnswer(context, stored);
      return { entitlement: stored.value };
    },

    async listEntitlements(request, context) {
      const { now } = getRequest(context.values);
      const parentIds = [request.projectId];
      const order = parseDocumentOrder(request.order, ["start_time"]);
      const tokens = { pageTokens, binding: ["entitlement", parentIds] };
      const { entitlementAdmin } = getStore(context.values);
      const { values, nextPageToken } = await answerPage(context, request, tokens, (page) =>
        entitlementAdmin.list({ ...page, parentIds, order, now }),
      );
      return { entitlements: values, nextPageToken };
    },

    async deleteEntitlement({ entitlementId }, context) {
      const checkIfMatch = readIfMatch(context);
      await getStore(context.values).entitlementAdmin.delete(entitlementId, (current) => {
        checkIfMatch(current);
        if (!current.isGranted) throw bought(entitlementId);
      });
      return {};
    },
  };
}

function bought(id: string): DomainError {
  return new DomainError(
    Code.FAILED_PRECONDITION,
    "ENTITLEMENT_BOUGHT",
    `entitlement ${id} was granted by transaction ${id}; refund the transaction instead`,
    { metadata: { transaction_id: id } },
  );
}
