import type { ServiceImpl } from "@connectrpc/connect";
import { BannerCollectionSchema } from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import type { BannerCollectionService } from "../../../gen/svc/studio/ott/banner_collection/v2/banner_collection_service_pb.ts";
import { checkBannerCollection } from "../../domain/pages/banner-collection.ts";
import { createResource, type ResourceParts } from "./resource.ts";

/** Creates the management handlers of banner collections. */
export function createBannerCollectionHandlers(
  parts: ResourceParts,
): ServiceImpl<typeof BannerCollectionService> {
  const bannerCollections = createResource("banner_collection", BannerCollectionSchema, parts, {
    orders: ["create_time", "update_time"],
    check: checkBannerCollection,
  });
  return {
    async createBannerCollection({ bannerCollection, bannerCollectionId }, context) {
      return {
        bannerCollection: await bannerCollections.create(
          context,
          bannerCollection,
          bannerCollectionId,
        ),
      };
    },

    async getBannerCollection({ bannerCollectionId }, context) {
      return { bannerCollection: await bannerCollections.get(context, bannerCollectionId) };
    },

    async listBannerCollections(request, context) {
      const { values, nextPageToken } = await bannerCollections.list(context, request, [
        request.projectId,
      ]);
      return { bannerCollections: values, nextPageToken };
    },

    async updateBannerCollection({ bannerCollectionId, bannerCollection, updateMask }, context) {
      return {
        bannerCollection: await bannerCollections.update(
          context,
          bannerCollectionId,
          bannerCollection,
          updateMask,
        ),
      };
    },

    async deleteBannerCollection({ bannerCollectionId, force }, context) {
      await bannerCollections.delete(context, bannerCollectionId, force);
      return {};
    },
  };
}
