import { EntitlementService } from "../../../gen/svc/cda/monetization/entitlement/v1/entitlement_service_pb.ts";
import { Code, DomainError } from "../../domain/base/errors.ts";
import { DELIVERY_PAGE_SIZE, type PageTokens } from "../../domain/base/paging.ts";
import type { Store } from "../../storage/contract/store.ts";
import { type DeliveryService, implement } from "../steps/service.ts";
import type { Viewers } from "./viewers.ts";

/** Creates the delivery service of entitlements, which return only the viewer's own. */
export function createEntitlementService(
  entitlements: Pick<Store["entitlements"], "list">,
  pageTokens: PageTokens,
  viewers: Viewers,
): DeliveryService {
  return implement(EntitlementService, {
    async listEntitlements(request, call) {
      call.freshness.markPersonal();
      const { projectId } = call.key;
      const { userId, tokenError } = await viewers.find(call);
      if (userId === undefined) throw tokenError ?? authenticationRequired();
      const binding = ["ListEntitlements", projectId, userId];
      const page = pageTokens.open(request, DELIVERY_PAGE_SIZE, binding);
      const { values, next } = await entitlements.list({
        projectId,
        userId,
        now: call.now,
        budget: call.budget,
        limit: page.limit,
        ...page.readPlace(),
      });
      return { entitlements: [...values], ...page.endAt(next) };
    },
  });
}

function authenticationRequired(): DomainError {
  return new DomainError(
    Code.UNAUTHENTICATED,
    "AUTHENTICATION_REQUIRED",
    "entitlements require a viewer token",
  );
}
