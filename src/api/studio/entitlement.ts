import { clone, create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { EntitlementSchema } from "../../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
import { EntitlementService } from "../../../gen/svc/studio/monetization/entitlement/v1/entitlement_service_pb.ts";
import { Code, DomainError } from "../../domain/base/errors.ts";
import { checkTimeWindow } from "../../domain/monetization/entitlement.ts";
import { checkRequired } from "../../domain/validation/field-behavior.ts";
import { chooseId } from "../../domain/validation/ids.ts";
import type { StudioService } from "../steps/service.ts";
import { KindReads } from "./kind-reads.ts";
import { findOwnOffer } from "./purchase.ts";
import { nameTaken, type StudioDependencies } from "./resource.ts";
import { implementKind } from "./standard-methods.ts";

const PATH = "entitlement";

/** Creates the Studio API service of entitlements. */
export function createEntitlementService({
  pageTokens,
  createId,
}: StudioDependencies): StudioService {
  const reads = new KindReads(
    "entitlement",
    pageTokens,
    (call) => call.organization.entitlementAdmin,
  );
  return implementKind(EntitlementService, reads, {
    async createEntitlement({ entitlement, entitlementId }, call) {
      call.readIfMatch()(undefined);
      const value = clone(EntitlementSchema, entitlement ?? create(EntitlementSchema));
      value.id = chooseId(entitlementId, "entitlement_id", createId);
      value.startTime ??= timestampFromDate(call.now);
      checkRequired(EntitlementSchema, value, PATH);
      checkTimeWindow(value, PATH);
      const { organization } = call;
      await findOwnOffer(organization, value, PATH);
      const stored = await organization.entitlementAdmin.create(value).catch((error) => {
        throw nameTaken(error, "entitlement", value.id);
      });
      call.changed = [{ kind: "entitlement", id: value.id }];
      call.setETag(stored);
      return { entitlement: stored.value };
    },

    async deleteEntitlement({ entitlementId }, call) {
      const checkIfMatch = call.readIfMatch();
      await call.organization.entitlementAdmin.delete(entitlementId, (current) => {
        checkIfMatch(current);
        if (!current.isGranted) throw bought(entitlementId);
      });
      return {};
    },
  });
}

function bought(id: string): DomainError {
  return new DomainError(
    Code.FAILED_PRECONDITION,
    "ENTITLEMENT_BOUGHT",
    `entitlement ${id} was granted by transaction ${id}; refund the transaction instead`,
    { metadata: { transaction_id: id } },
  );
}
