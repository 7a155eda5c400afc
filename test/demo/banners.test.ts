import { expect, test } from "vitest";
import { createDemoDataset } from "../../demo/dataset.ts";
import { FormFactor } from "../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";

const { bannerCollections } = createDemoDataset();
const FORM_FACTORS = [FormFactor.PHONE, FormFactor.TABLET, FormFactor.DESKTOP, FormFactor.TV];

test("there are two collections to show and a draft, and one in each small project", () => {
  const got = bannerCollections.map((it) => [it.id, it.visibility, it.banners.length]);
  expect(got).toEqual([
    ["banners-home", Visibility.PUBLISHED, 3],
    ["banners-teams", Visibility.PUBLISHED, 2],
    ["banners-draft", Visibility.HIDDEN, 1],
    ["sandbox-banners-home", Visibility.PUBLISHED, 1],
    ["elsewhere-banners-home", Visibility.PUBLISHED, 1],
  ]);
});

test("every banner has a picture of its own for each form factor", () => {
  const images = bannerCollections.flatMap(({ banners }) => banners.flatMap((it) => it.images));
  expect(new Set(images.map((image) => image.url)).size).toBe(images.length);
  for (const { banners } of bannerCollections) {
    for (const banner of banners) {
      expect(banner.images.map((image) => image.formFactor)).toEqual(FORM_FACTORS);
    }
  }
});

test("the banners of the World Cup are titled in both languages", () => {
  for (const { projectId, banners } of bannerCollections) {
    if (projectId !== "worldcup") continue;
    for (const { title } of banners) expect(Object.keys(title).sort()).toEqual(["de", "en"]);
  }
});
