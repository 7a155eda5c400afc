import { BannerCollectionSchema } from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import { build } from "../db/query.ts";
import type { BannerCollectionStore } from "../delivery-store.ts";
import type { Connections } from "./connections.ts";
import { readDocument } from "./stored-document.ts";

/** Creates the store of banner collections. */
export function createBannerCollectionStore({ read }: Connections): BannerCollectionStore {
  return {
    async getMany({ projectId, visibilities, ids }) {
      if (ids.length === 0) return [];
      const rows = await read.all(
        build
          .selectFrom("banner_collection")
          .select("doc")
          .where("id", "in", [...ids])
          .where("project_id", "=", projectId)
          .where("visibility", "in", [...visibilities]),
      );
      return rows.map((row) => readDocument(BannerCollectionSchema, row.doc));
    },
  };
}
