import type { EntitlementService } from "../../../gen/svc/cda/monetization/entitlement/v1/entitlement_service_pb.ts";
import { Code, DomainError } from "../../domain/errors.ts";
import {
  DELIVERY_PAGE_SIZE,
  type PagePosition,
  type PageTokens,
  resolvePageSize,
} from "../../domain/paging.ts";
import type { EntitlementPlace, EntitlementStore } from "../../storage/playback-store.ts";
import type { DeliveryCall } from "../steps/delivery-call.ts";
import type { Handlers } from "../steps/service.ts";
import type { FindViewer } from "./find-viewer.ts";

/** Creates the delivery handlers of entitlements, which return only the viewer's own. */
export function createEntitlementHandlers(
  entitlements: Pick<EntitlementStore, "list">,
  pageTokens: PageTokens,
  findViewer: FindViewer,
): Handlers<typeof EntitlementService, DeliveryCall> {
  return {
    async listEntitlements({ pageSize, pageToken }, call) {
      call.freshness.markPersonal();
      const { projectId } = call.key;
      const { userId, tokenFault } = await findViewer(call);
      if (userId === undefined) throw tokenFault ?? authenticationRequired();
      const limit = resolvePageSize(pageSize, DELIVERY_PAGE_SIZE);
      const binding = ["ListEntitlements", projectId, userId];
      const page = await entitlements.list({
        projectId,
        userId,
        now: call.now,
        limit,
        ...(pageToken !== "" && { after: toPlace(pageTokens.verify(pageToken, binding)) }),
      });
      return {
        entitlements: [...page.entitlements],
        nextPageToken: page.next ? pageTokens.sign(toPosition(page.next), binding) : "",
      };
    },
  };
}

function authenticationRequired(): DomainError {
  return new DomainError(
    Code.UNAUTHENTICATED,
    "AUTHENTICATION_REQUIRED",
    "entitlements require a viewer token",
  );
}

function toPosition({ startTime, id }: EntitlementPlace): PagePosition {
  return [startTime, id];
}

function toPlace([startTime, id]: PagePosition): EntitlementPlace {
  return { startTime: Number(startTime), id: String(id) };
}
