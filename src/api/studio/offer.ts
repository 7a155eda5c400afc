import type { ServiceImpl } from "@connectrpc/connect";
import { OfferSchema } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import type { OfferService } from "../../../gen/svc/studio/monetization/offer/v1/offer_service_pb.ts";
import { parseDocumentOrder } from "../../domain/messages/document-order.ts";
import { checkOffer } from "../../domain/monetization/offer.ts";
import { createResource, type ResourceParts } from "./resource.ts";

const ORDERS = ["position", "create_time", "update_time"];

/** Creates the management handlers of offers. */
export function createOfferHandlers(parts: ResourceParts): ServiceImpl<typeof OfferService> {
  const offers = createResource("offer", OfferSchema, parts, {
    parseOrder: (order) =>
      parseDocumentOrder(order, ORDERS, { field: "position", direction: "asc" }),
    check: checkOffer,
  });
  return {
    async createOffer({ offer, offerId }, context) {
      return { offer: await offers.create(context, offer, offerId) };
    },

    async getOffer({ offerId }, context) {
      return { offer: await offers.get(context, offerId) };
    },

    async listOffers(request, context) {
      const { values, nextPageToken } = await offers.list(context, request, [request.projectId]);
      return { offers: values, nextPageToken };
    },

    async updateOffer({ offerId, offer, updateMask }, context) {
      return { offer: await offers.update(context, offerId, offer, updateMask) };
    },

    async deleteOffer({ offerId, force }, context) {
      await offers.delete(context, offerId, force);
      return {};
    },
  };
}
