import { BannerCollectionSchema } from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import type { BannerCollectionService } from "../../../gen/svc/studio/ott/banner_collection/v2/banner_collection_service_pb.ts";
import { checkBannerCollection } from "../../domain/pages/banner-collection.ts";
import type { Handlers } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { createResource, type ResourceParts } from "./resource.ts";

/** Creates the management handlers of banner collections. */
export function createBannerCollectionHandlers(
  parts: ResourceParts,
): Handlers<typeof BannerCollectionService, StudioCall> {
  const bannerCollections = createResource("banner_collection", BannerCollectionSchema, parts, {
    orders: ["create_time", "update_time"],
    check: checkBannerCollection,
  });
  return {
    async createBannerCollection({ bannerCollection, bannerCollectionId }, call) {
      return {
        bannerCollection: await bannerCollections.create(
          call,
          bannerCollection,
          bannerCollectionId,
        ),
      };
    },

    async getBannerCollection({ bannerCollectionId }, call) {
      return { bannerCollection: await bannerCollections.get(call, bannerCollectionId) };
    },

    async listBannerCollections(request, call) {
      const { values, nextPageToken } = await bannerCollections.list(call, request, [
        request.projectId,
      ]);
      return { bannerCollections: values, nextPageToken };
    },

    async updateBannerCollection({ bannerCollectionId, bannerCollection, updateMask }, call) {
      return {
        bannerCollection: await bannerCollections.update(
          call,
          bannerCollectionId,
          bannerCollection,
          updateMask,
        ),
      };
    },

    async deleteBannerCollection({ bannerCollectionId, force }, call) {
      await bannerCollections.delete(call, bannerCollectionId, force);
      return {};
    },
  };
}
