import {
  type BannerCollection,
  BannerCollectionSchema,
} from "../../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import type { BannerCollectionStore } from "../../contract/banner-collections.ts";
import type { VisibleIds } from "../../contract/stored-document.ts";
import { ConnectedStore } from "../base/connections.ts";
import { readVisible } from "../base/stored-document.ts";

/** Banner collections. */
export class SqlBannerCollectionStore extends ConnectedStore implements BannerCollectionStore {
  getMany(key: VisibleIds): Promise<readonly BannerCollection[]> {
    return readVisible(this.read, "banner_collection", BannerCollectionSchema, key);
  }
}
