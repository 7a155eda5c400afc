import {
  type BannerCollection,
  BannerCollectionSchema,
} from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import { ConnectedStore } from "./connections.ts";
import { readVisible, type VisibleIds } from "./stored-document.ts";

/** Banner collections. */
export class BannerCollectionStore extends ConnectedStore {
  /** Returns the collections found among some ids, in unspecified order. */
  getMany(key: VisibleIds): Promise<readonly BannerCollection[]> {
    return readVisible(this.read, "banner_collection", BannerCollectionSchema, key);
  }
}
