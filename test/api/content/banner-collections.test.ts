import { describe, expect, test } from "vitest";
import { BannerCollectionService } from "../../../gen/svc/studio/ott/banner_collection/v2/banner_collection_service_pb.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { callDelivery } from "../delivery.ts";
import { playCases, toWriteCases } from "../play-cases.ts";
import { callStudio } from "../studio.ts";

const marquee = await useMarquee();

const url = "https://media.example/a.jpg";
const COLLECTION = {
  projectId: "worldcup",
  name: "Summer",
  visibility: "VISIBILITY_PUBLISHED",
  banners: [
    {
      title: { en: "Summer", de: "Sommer" },
      images: [{ url }, { url, formFactor: "FORM_FACTOR_TV" }],
      link: "/shop",
    },
    {},
  ],
};

playCases(
  marquee,
  "a banner collection",
  toWriteCases(
    {
      ...{ service: "ott.banner_collection.v2.BannerCollectionService", noun: "bannerCollection" },
      ...{ resource: COLLECTION, id: "banners-home" },
    },
    [
      [{ name: "" }, "FIELD_REQUIRED name"],
      [{ banners: [{}, { link: "javascript:alert(1)" }] }, "LINK_INVALID banners[1].link"],
      [{ banners: [{}, { images: [{}] }] }, "FIELD_REQUIRED banners[1].images[0].url"],
      [
        { banners: [{}, { images: [{ url }, { url }] }] },
        "FORM_FACTOR_DUPLICATE banners[1].images[1].form_factor",
      ],
    ],
  ),
  async () => (await deliver("banners-home")).json,
);

/** Reads a collection as delivery gives it. */
function deliver(id: string) {
  return callDelivery(
    marquee,
    "svc.cda.ott.banner_collection.v2.BannerCollectionService/GetBannerCollection",
    { id },
  );
}

const call = callStudio(marquee, BannerCollectionService);
const make = async () => {
  const got = await call("CreateBannerCollection", { bannerCollection: COLLECTION });
  expect(got.status, got.text).toBe(200);
  return { id: String(got.value.bannerCollection.id), got };
};
const update = (id: string, bannerCollection: object, updateMask: string) =>
  call("UpdateBannerCollection", { bannerCollectionId: id, bannerCollection, updateMask });

describe("a banner collection", () => {
  test("is delivered as it is created, and as it is changed, until it is hidden", async () => {
    const { id, got } = await make();
    const created = got.value.bannerCollection;
    const times = { createTime: expect.any(String), updateTime: created.createTime };
    expect(created).toEqual({ ...COLLECTION, id, ...times });
    expect((await deliver(id)).json.bannerCollection).toEqual(created);
    const banners = COLLECTION.banners.slice(1);
    const changed = await update(id, { banners, name: "ignored" }, "banners");
    expect(changed.value.bannerCollection).toMatchObject({ name: "Summer", banners });
    expect((await deliver(id)).json.bannerCollection).toEqual(changed.value.bannerCollection);
    await update(id, { visibility: "VISIBILITY_HIDDEN" }, "visibility");
    expect((await deliver(id)).status).toBe(404);
  });
});
