import { toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { createDemoDataset } from "../../../demo/dataset.ts";
import { BannerCollectionSchema } from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { openDatabase } from "../../harness/database.ts";
import { reasonOf, refusal } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { callDelivery, type Key, WAYS } from "../delivery.ts";

const METHOD = "svc.cda.ott.banner_collection.v2.BannerCollectionService/GetBannerCollection";
const HOME = createDemoDataset().bannerCollections.find((it) => it.id === "banners-home");

const marquee = await useMarquee();
await addVisibilities();

/** Adds a copy of the home page's collection for every visibility, named `copy-<visibility>`. */
async function addVisibilities(): Promise<void> {
  const database = openDatabase(marquee.address);
  const [home] = await database
    .selectFrom("banner_collection")
    .selectAll()
    .where("id", "=", "banners-home")
    .execute();
  if (home === undefined) throw new Error("the home page has no collection");
  for (const visibility of Object.values(Visibility)) {
    await database
      .insertInto("banner_collection")
      .values({ ...home, id: `copy-${visibility}`, visibility: visibility as number })
      .execute();
  }
  await database.destroy();
}

for (const way of WAYS) {
  describe(`by ${way}`, () => {
    const get = (id: string, key: Key = "public") =>
      callDelivery(marquee, METHOD, { id }, key, way);

    test("the whole collection is there, its banners in order", async () => {
      const got = await get("banners-home");
      expect(got.status).toBe(200);
      expect(HOME?.banners).toHaveLength(3);
      const want = HOME && toJson(BannerCollectionSchema, HOME);
      expect(got.json).toEqual({ bannerCollection: want });
      expect(got.headers.get("cache-control")).toMatch(/^public/);
    });

    const readable: readonly (readonly [keyof typeof Visibility, boolean])[] = [
      ["UNSPECIFIED", false],
      ["PUBLISHED", true],
      ["UNLISTED", true],
      ["HIDDEN", false],
    ];
    for (const [name, isPublic] of readable) {
      const visibility = Visibility[name];
      test(`${name} is ${isPublic ? "shown to" : "hidden from"} a public key`, async () => {
        const got = await get(`copy-${visibility}`);
        expect(refusal(got)).toEqual(isPublic ? [200, undefined] : [404, "RESOURCE_NOT_FOUND"]);
        if (!isPublic) expect(got.text).not.toContain("banners-home");
      });

      test(`${name} is shown to a preview key, and the answer is kept by nobody`, async () => {
        const got = await get(`copy-${visibility}`, "preview");
        expect([got.status, got.json.bannerCollection.id]).toEqual([200, "banners-home"]);
        expect(got.headers.get("cache-control")).toBe("private, no-store");
      });

      test(`${name} is not shown to another project's key`, async () => {
        expect(refusal(await get(`copy-${visibility}`, "sandbox"))).toEqual([
          404,
          "RESOURCE_NOT_FOUND",
        ]);
      });
    }

    test("what may not be seen looks like what does not exist", async () => {
      const missing = await get("nothing-here");
      expect(refusal(missing)).toEqual([404, "RESOURCE_NOT_FOUND"]);
      for (const [id, key] of [
        ["banners-draft", "public"],
        ["banners-home", "sandbox"],
        ["sandbox-banners-home", "preview"],
      ] as const) {
        const got = await get(id, key);
        const message = got.json.message.replaceAll(id, "nothing-here");
        expect([got.status, reasonOf(got), message]).toEqual([
          ...[404, "RESOURCE_NOT_FOUND", missing.json.message],
        ]);
      }
    });

    test("a request without an id is refused", async () => {
      expect(refusal(await get(""))).toEqual([400, "FIELD_REQUIRED"]);
    });
  });
}
