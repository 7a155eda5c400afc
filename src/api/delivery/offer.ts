import type { OfferService } from "../../../gen/svc/cda/monetization/offer/v1/offer_service_pb.ts";
import { listedVisibilities } from "../../domain/content/visibility.ts";
import {
  DELIVERY_PAGE_SIZE,
  type PagePosition,
  type PageTokens,
  resolvePageSize,
} from "../../domain/paging.ts";
import type { OfferPlace, OfferStore } from "../../storage/delivery-store.ts";
import type { DeliveryCall } from "../steps/delivery-call.ts";
import type { Handlers } from "../steps/service.ts";

/** Creates the delivery handlers of offers. */
export function createOfferHandlers(
  offers: OfferStore,
  pageTokens: PageTokens,
): Handlers<typeof OfferService, DeliveryCall> {
  return {
    async listOffers(request, call) {
      const { projectId, kind } = call.key;
      const { pageToken } = request;
      const limit = resolvePageSize(request.pageSize, DELIVERY_PAGE_SIZE);
      const binding = ["ListOffers", projectId, kind];
      const page = await offers.list({
        projectId,
        visibilities: listedVisibilities(kind),
        limit,
        ...(pageToken !== "" && { after: toPlace(pageTokens.verify(pageToken, binding)) }),
      });
      call.freshness.addList("offer", projectId, page.offers);
      return {
        offers: [...page.offers],
        nextPageToken: page.next ? pageTokens.sign(toPosition(page.next), binding) : "",
      };
    },
  };
}

function toPosition({ position, id }: OfferPlace): PagePosition {
  return [position, id];
}

function toPlace([position, id]: PagePosition): OfferPlace {
  return { position: Number(position), id: String(id) };
}
