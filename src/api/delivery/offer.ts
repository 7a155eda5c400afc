import type { ServiceImpl } from "@connectrpc/connect";
import type { OfferService } from "../../../gen/svc/cda/monetization/offer/v1/offer_service_pb.ts";
import { listedVisibilities } from "../../domain/content/visibility.ts";
import type { PagePosition, PageTokens } from "../../domain/messages/page-token.ts";
import { DELIVERY_PAGE_SIZE, resolvePageSize } from "../../domain/messages/paging.ts";
import type { OfferPlace, OfferStore } from "../../storage/delivery-store.ts";
import { getProjectKey } from "../steps/call.ts";
import { noteResources } from "../steps/freshness.ts";

/** Creates the delivery handlers of offers. */
export function createOfferHandlers(
  offers: OfferStore,
  pageTokens: PageTokens,
): ServiceImpl<typeof OfferService> {
  return {
    async listOffers(request, { values }) {
      const { projectId, kind } = getProjectKey(values);
      const { pageToken } = request;
      const limit = resolvePageSize(request.pageSize, DELIVERY_PAGE_SIZE);
      const binding = ["ListOffers", projectId, kind];
      const page = await offers.list({
        projectId,
        visibilities: listedVisibilities(kind),
        limit,
        ...(pageToken !== "" && { after: toPlace(pageTokens.verify(pageToken, binding)) }),
      });
      const collection = `${projectId}/offers`;
      noteResources(values, [collection, ...page.offers.map(({ id }) => `${collection}/${id}`)]);
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
