import { OfferSchema } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import type { OfferService } from "../../../gen/svc/studio/monetization/offer/v1/offer_service_pb.ts";
import { parseDocumentOrder } from "../../domain/messages/document-order.ts";
import { checkOffer } from "../../domain/monetization/offer.ts";
import type { Handlers } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { createResource, type ResourceParts } from "./resource.ts";

const ORDERS = ["position", "create_time", "update_time"];

/** Creates the management handlers of offers. */
export function createOfferHandlers(
  parts: ResourceParts,
): Handlers<typeof OfferService, StudioCall> {
  const offers = createResource("offer", OfferSchema, parts, {
    parseOrder: (order) =>
      parseDocumentOrder(order, ORDERS, { field: "position", direction: "asc" }),
    check: checkOffer,
  });
  return {
    async createOffer({ offer, offerId }, call) {
      return { offer: await offers.create(call, offer, offerId) };
    },

    async getOffer({ offerId }, call) {
      return { offer: await offers.get(call, offerId) };
    },

    async listOffers(request, call) {
      const { values, nextPageToken } = await offers.list(call, request, [request.projectId]);
      return { offers: values, nextPageToken };
    },

    async updateOffer({ offerId, offer, updateMask }, call) {
      return { offer: await offers.update(call, offerId, offer, updateMask) };
    },

    async deleteOffer({ offerId, force }, call) {
      await offers.delete(call, offerId, force);
      return {};
    },
  };
}
