import type { ServiceImpl } from "@connectrpc/connect";
import type { BannerCollectionService } from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_service_pb.ts";
import { readableVisibilities } from "../../domain/content/visibility.ts";
import { notFound } from "../../domain/errors.ts";
import type { BannerCollectionStore } from "../../storage/delivery-store.ts";
import { getProjectKey } from "../steps/call.ts";
import { noteResources } from "../steps/freshness.ts";

/** Creates the delivery handlers of banner collections. */
export function createBannerCollectionHandlers(
  bannerCollections: BannerCollectionStore,
): ServiceImpl<typeof BannerCollectionService> {
  return {
    async getBannerCollection({ id }, { values }) {
      const { projectId, kind } = getProjectKey(values);
      const visibilities = readableVisibilities(kind);
      const [found] = await bannerCollections.getMany({ projectId, visibilities, ids: [id] });
      if (found === undefined) throw notFound(`banner_collection ${id}`);
      noteResources(values, [`${projectId}/banner_collections/${id}`]);
      return { bannerCollection: found };
    },
  };
}
