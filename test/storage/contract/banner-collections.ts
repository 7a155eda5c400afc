import { create } from "@bufbuild/protobuf";
import { expect } from "vitest";
import {
  BannerCollectionSchema,
  FormFactor,
} from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { ALPHA, createSmallDataset } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

const { PUBLISHED } = Visibility;

/** Holds the reads of banner collections. */
export function bannerCollectionContract(scenario: Scenario): void {
  scenario("a collection is given back whole", DATA, async (store) => {
    const found = await store.visibleDocuments.getMany("banner_collection", {
      projectId: ALPHA,
      at: undefined,
      visibilities: [PUBLISHED],
      ids: ["a"],
    });
    expect(found).toEqual([DATA.bannerCollections[0]]);
  });
}

const DATA = createSmallDataset({
  bannerCollections: [
    create(BannerCollectionSchema, {
      id: "a",
      projectId: ALPHA,
      name: "Stage",
      visibility: PUBLISHED,
      banners: [
        { title: { en: "First", de: "Erstes" }, link: "/first" },
        { images: [{ formFactor: FormFactor.TV, url: "https://media.example/tv.jpg" }] },
        {},
      ],
      createTime: { seconds: 1n, nanos: 2 },
    }),
  ],
});
