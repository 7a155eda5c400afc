import { OfferService } from "../../../gen/svc/cda/monetization/offer/v1/offer_service_pb.ts";
import { DELIVERY_PAGE_SIZE, type PageTokens } from "../../domain/base/paging.ts";
import { listedVisibilities } from "../../domain/content/visibility.ts";
import type { Store } from "../../storage/contract/store.ts";
import type { DeliveryCall } from "../steps/delivery-call.ts";
import { implement, type Service } from "../steps/service.ts";

/** Creates the delivery service of offers. */
export function createOfferService(
  offers: Store["offers"],
  pageTokens: PageTokens,
): Service<DeliveryCall> {
  return implement(OfferService, {
    async listOffers(request, call) {
      const { projectId, kind } = call.key;
      const page = pageTokens.open(request, DELIVERY_PAGE_SIZE, ["ListOffers", projectId, kind]);
      const { offers: listed, next } = await offers.list({
        projectId,
        visibilities: listedVisibilities(kind),
        limit: page.limit,
        ...page.readStart(([position, id]) => ({ position: Number(position), id: String(id) })),
      });
      call.freshness.addList("offer", projectId, listed);
      return {
        offers: [...listed],
        nextPageToken: page.signNext(next && [next.position, next.id]),
      };
    },
  });
}
