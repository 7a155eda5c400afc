import type { BannerCollection } from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import type { VisibleIds } from "./stored-document.ts";

/** Banner collections. */
export interface BannerCollectionStore {
  /** Returns the collections found among some ids, in unspecified order. */
  getMany(key: VisibleIds): Promise<readonly BannerCollection[]>;
}
