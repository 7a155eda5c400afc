import { describe, expect, test } from "vitest";
import { BannerCollectionService } from "../../../gen/svc/studio/ott/banner_collection/v2/banner_collection_service_pb.ts";
import { PageComponentService } from "../../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import { metadataOf, refusal } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { callDelivery } from "../delivery.ts";
import { playCases, toWriteCases } from "../play-cases.ts";
import { callStudio, STUDIO_FACES } from "../studio.ts";

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

for (const face of STUDIO_FACES) {
  const call = callStudio(marquee, BannerCollectionService, face);
  const make = async (more: object = {}) => {
    const got = await call("CreateBannerCollection", { bannerCollection: COLLECTION, ...more });
    expect(got.status, got.text).toBe(200);
    return { id: String(got.value.bannerCollection.id), got };
  };
  const update = (id: string, bannerCollection: object, updateMask: string, options = {}) =>
    call(
      "UpdateBannerCollection",
      { bannerCollectionId: id, bannerCollection, updateMask },
      options,
    );
  const get = (id: string) => call("GetBannerCollection", { bannerCollectionId: id });

  describe(`a banner collection over ${face}`, () => {
    test("is created, delivered, listed, changed and deleted", async () => {
      const { id, got } = await make();
      const created = got.value.bannerCollection;
      const times = { createTime: expect.any(String), updateTime: created.createTime };
      expect(created).toEqual({ ...COLLECTION, id, ...times });
      expect((await get(id)).value).toEqual(got.value);
      expect((await deliver(id)).json.bannerCollection).toEqual(created);
      const list = async (filter: string) => {
        const { value } = await call("ListBannerCollections", { projectId: "worldcup", filter });
        return value.bannerCollections ?? [];
      };
      expect(await list(`id: "${id}"`)).toEqual([created]);

      const banners = COLLECTION.banners.slice(1);
      const changed = await update(id, { banners, name: "ignored" }, "banners");
      expect(changed.value.bannerCollection).toMatchObject({ name: "Summer", banners });
      expect((await deliver(id)).json.bannerCollection).toEqual(changed.value.bannerCollection);
      await update(id, { visibility: "VISIBILITY_HIDDEN" }, "visibility");
      expect((await deliver(id)).status).toBe(404);

      const gone = await call("DeleteBannerCollection", { bannerCollectionId: id });
      expect([gone.status, gone.json]).toEqual([200, {}]);
      expect((await get(id)).status).toBe(404);
      expect(await list(`id: "${id}"`)).toEqual([]);
    });

    test("that a page shows is deleted only by force", async () => {
      const { id } = await make();
      const { value } = await callStudio(
        marquee,
        PageComponentService,
        face,
      )("CreatePageComponent", {
        pageComponent: {
          projectId: "worldcup",
          type: "banner_collection_v2",
          bannerCollectionV2: { id },
        },
        pageId: "page-help",
      });
      const message = { bannerCollectionId: id };
      const got = await call("DeleteBannerCollection", message);
      expect(refusal(got)).toEqual([400, "STILL_REFERRED_TO"]);
      expect(metadataOf(got)?.referrers).toBe(`page_component/${value.pageComponent.id}`);
      const forced = await call("DeleteBannerCollection", { ...message, force: true });
      expect(forced.status, forced.text).toBe(200);
    });
  });
}
