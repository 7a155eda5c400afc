import { clone, create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { EntitlementSchema } from "../../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
import type { EntitlementService } from "../../../gen/svc/studio/monetization/entitlement/v1/entitlement_service_pb.ts";
import { Code, DomainError } from "../../domain/errors.ts";
import { parseOrderOf } from "../../domain/kinds.ts";
import { checkTimeWindow } from "../../domain/monetization/entitlement.ts";
import { checkRequired } from "../../domain/validation/field-behavior.ts";
import { chooseId } from "../../domain/validation/ids.ts";
import type { Handlers } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { readPage } from "./list-page.ts";
import { findOwnOffer } from "./purchase.ts";
import type { ResourceParts } from "./resource.ts";

const PATH = "entitlement";

/** Creates the management handlers of entitlements. */
export function createEntitlementHandlers({
  pageTokens,
  createId,
}: ResourceParts): Handlers<typeof EntitlementService, StudioCall> {
  return {
    async createEntitlement({ entitlement, entitlementId }, call) {
      call.readIfMatch()(undefined);
      const value = clone(EntitlementSchema, entitlement ?? create(EntitlementSchema));
      value.id = chooseId(entitlementId, "entitlement_id", createId);
      value.startTime ??= timestampFromDate(call.now);
      checkRequired(EntitlementSchema, value, PATH);
      checkTimeWindow(value, PATH);
      const store = call.store;
      await findOwnOffer(store, value, PATH);
      const stored = await store.entitlementAdmin.create(value);
      call.setChanged({ type: "entitlement", id: value.id });
      call.setEntityTag(stored);
      return { entitlement: stored.value };
    },

    async getEntitlement({ entitlementId }, call) {
      const stored = await call.store.entitlementAdmin.get(entitlementId);
      call.setEntityTag(stored);
      return { entitlement: stored.value };
    },

    async listEntitlements(request, call) {
      const { now } = call;
      const parentIds = [request.projectId];
      const order = parseOrderOf("entitlement", request.order);
      const tokens = { pageTokens, binding: ["entitlement", parentIds] };
      const { entitlementAdmin } = call.store;
      const { values, nextPageToken } = await readPage(call, request, tokens, (page) =>
        entitlementAdmin.list({ ...page, parentIds, order, now }),
      );
      return { entitlements: values, nextPageToken };
    },

    async deleteEntitlement({ entitlementId }, call) {
      const checkIfMatch = call.readIfMatch();
      await call.store.entitlementAdmin.delete(entitlementId, (current) => {
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
