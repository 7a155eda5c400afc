import { create } from "@bufbuild/protobuf";
import { expect } from "vitest";
import {
  BannerCollectionSchema,
  FormFactor,
} from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import type { Store } from "../../../src/storage/store.ts";
import { ALPHA, BETA, createSmallDataset } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

const { UNSPECIFIED, PUBLISHED, UNLISTED, HIDDEN } = Visibility;

/** Holds the reads of banner collections: by project, visibility and id together. */
export function bannerCollectionContract(scenario: Scenario): void {
  const find = async (
    store: Store,
    ids: readonly string[],
    visibilities: readonly Visibility[] = [PUBLISHED],
  ) => {
    const found = await store.bannerCollections.getMany({ projectId: ALPHA, visibilities, ids });
    return found.map((it) => it.id).sort();
  };

  scenario("collections are found by id, byte for byte, each once", DATA, async (store) => {
    const cases: readonly (readonly [readonly string[], readonly string[]])[] = [
      [[], []],
      [["a"], ["a"]],
      [
        ["a", "A", "a"],
        ["A", "a"],
      ],
      [["a ", "%", "", "nothing"], []],
      [["nothing", "a"], ["a"]],
    ];
    for (const [ids, want] of cases) expect(await find(store, ids)).toEqual(want);
  });

  scenario("no collection leaves the store with another visibility", DATA, async (store) => {
    const all: readonly Visibility[] = [UNSPECIFIED, PUBLISHED, UNLISTED, HIDDEN];
    const ids = DATA.bannerCollections.map((it) => it.id);
    for (let bits = 0; bits < 16; bits += 1) {
      const visibilities = all.filter((_, index) => (bits & (1 << index)) !== 0);
      const want = DATA.bannerCollections
        .filter((it) => it.projectId === ALPHA && visibilities.includes(it.visibility))
        .map((it) => it.id)
        .sort();
      expect(await find(store, ids, visibilities)).toEqual(want);
    }
  });

  scenario("a collection of another project is not found", DATA, async (store) => {
    for (const projectId of [BETA, "Alpha", "nowhere", ""]) {
      const key = { projectId, visibilities: [PUBLISHED], ids: ["a", "A", "beta"] };
      const found = await store.bannerCollections.getMany(key);
      expect(found.map((it) => it.id)).toEqual(projectId === BETA ? ["beta"] : []);
    }
  });

  scenario("a collection is given back whole", DATA, async (store) => {
    const found = await store.bannerCollections.getMany({
      projectId: ALPHA,
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
    ...[PUBLISHED, UNLISTED, HIDDEN, UNSPECIFIED].map((visibility, index) =>
      create(BannerCollectionSchema, { id: "ABCD"[index] ?? "", projectId: ALPHA, visibility }),
    ),
    create(BannerCollectionSchema, { id: "beta", projectId: BETA, visibility: PUBLISHED }),
  ],
});
