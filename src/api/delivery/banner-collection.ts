import { BannerCollectionService } from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_service_pb.ts";
import { notFound } from "../../domain/base/errors.ts";
import { readableVisibilities } from "../../domain/content/visibility.ts";
import { surrogateKeyOf } from "../../domain/surrogate-keys.ts";
import type { Store } from "../../storage/contract/store.ts";
import type { DeliveryCall } from "../steps/delivery-call.ts";
import { implement, type Service } from "../steps/service.ts";

/** Creates the delivery service of banner collections. */
export function createBannerCollectionService(
  bannerCollections: Store["bannerCollections"],
): Service<DeliveryCall> {
  return implement(BannerCollectionService, {
    async getBannerCollection({ id }, call) {
      const { projectId, kind } = call.key;
      const visibilities = readableVisibilities(kind);
      const [found] = await bannerCollections.getMany({ projectId, visibilities, ids: [id] });
      if (found === undefined) throw notFound("banner_collection", id);
      call.freshness.addResources([surrogateKeyOf("banner_collection", projectId, id)]);
      return { bannerCollection: found };
    },
  });
}
