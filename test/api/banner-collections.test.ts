import { describe, expect, test } from "vitest";
import { BannerCollectionService } from "../../gen/svc/studio/ott/banner_collection/v2/banner_collection_service_pb.ts";
import { PageComponentService } from "../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import { metadataOf, reasonOf } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { callDelivery } from "./delivery.ts";
import { callStudio, faultOf, STUDIO_FACES } from "./studio.ts";

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

/** Reads a collection as delivery gives it. */
const deliver = (id: string) =>
  callDelivery(
    marquee,
    "svc.cda.ott.banner_collection.v2.BannerCollectionService/GetBannerCollection",
    { id },
  );

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

    for (const [name, banner, reason, field] of [
      ["a link that is a script", { link: "javascript:alert(1)" }, "LINK_INVALID", "link"],
      ["a picture without an address", { images: [{}] }, "FIELD_REQUIRED", "images[0].url"],
      [
        "two pictures for the same screens",
        { images: [{ url }, { url }] },
        "FORM_FACTOR_DUPLICATE",
        "images[1].form_factor",
      ],
    ] as const) {
      test(`has no banner with ${name}`, async () => {
        const { id, got } = await make();
        const banners = [{}, banner];
        const want = [400, reason, `banner_collection.banners[1].${field}`];
        expect(faultOf(await update(id, { banners }, "banners"))).toEqual(want);
        const bannerCollection = { ...COLLECTION, banners };
        expect(faultOf(await call("CreateBannerCollection", { bannerCollection }))).toEqual(want);
        expect((await get(id)).value).toEqual(got.value);
      });
    }

    test("has a name, also after an update", async () => {
      const { id } = await make();
      const want = [400, "FIELD_REQUIRED", "banner_collection.name"];
      expect(faultOf(await update(id, {}, "name"))).toEqual(want);
      const bannerCollection = { ...COLLECTION, name: "" };
      expect(faultOf(await call("CreateBannerCollection", { bannerCollection }))).toEqual(want);
    });

    test("is written with its current entity tag only", async () => {
      const { id, got } = await make();
      const tag = { headers: { "if-match": got.headers.get("etag") ?? "" } };
      expect((await update(id, { name: "A" }, "name", tag)).status).toBe(200);
      for (const late of [
        await update(id, { name: "B" }, "name", tag),
        await call("DeleteBannerCollection", { bannerCollectionId: id }, tag),
      ]) {
        expect([late.status, reasonOf(late)]).toEqual([409, "ETAG_MISMATCH"]);
      }
      expect((await get(id)).value.bannerCollection.name).toBe("A");
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
      expect([got.status, reasonOf(got)]).toEqual([400, "STILL_REFERRED_TO"]);
      expect(metadataOf(got)?.referrers).toBe(`page_component/${value.pageComponent.id}`);
      const forced = await call("DeleteBannerCollection", { ...message, force: true });
      expect(forced.status, forced.text).toBe(200);
    });

    test("is made once for a request id, and not at all to be tried", async () => {
      const requestId = `banners-${face.length}`;
      const [first, again] = [await make({ requestId }), await make({ requestId })];
      expect(again.id).toBe(first.id);
      const tried = await make({ validateOnly: true });
      expect((await get(tried.id)).status).toBe(404);
    });
  });
}
