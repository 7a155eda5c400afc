import { toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { createDemoDataset } from "../../demo/dataset.ts";
import { OfferSchema } from "../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import { reasonOf } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { callDelivery, idsOf, type Key, readPages, WAYS } from "./delivery.ts";
import type { JsonMessage } from "./methods.ts";

const METHOD = "svc.cda.monetization.offer.v1.OfferService/ListOffers";
const OFFERS = createDemoDataset().offers;

/** What each key lists: by position, the hidden draft between the month and the year. */
const LISTED: Readonly<Record<Key, readonly string[]>> = {
  public: ["offer-day", "offer-week", "offer-month", "offer-year", "offer-final"],
  preview: [
    ...["offer-day", "offer-week", "offer-month", "offer-season-draft", "offer-year"],
    "offer-final",
  ],
  sandbox: ["sandbox-offer-day"],
};
const KEYS = ["public", "preview", "sandbox"] as const;

const marquee = await useMarquee();

for (const way of WAYS) {
  describe(`by ${way}`, () => {
    const list = (message: JsonMessage, key: Key = "public") =>
      callDelivery(marquee, METHOD, message, key, way);

    for (const key of KEYS) {
      const want = LISTED[key];
      test(`the ${key} key sees its offers by position, on pages of every size`, async () => {
        for (let pageSize = 1; pageSize <= want.length + 1; pageSize += 1) {
          const pages = await readPages((page) => list(page, key), "offers", pageSize);
          expect(pages.flat()).toEqual(want);
          expect(pages).toHaveLength(Math.ceil(want.length / pageSize));
        }
      });
    }

    test("offers are given whole, prices exact and in order", async () => {
      const got = await list({});
      const want = LISTED.public.map((id) => OFFERS.find((offer) => offer.id === id));
      expect(got.json).toEqual({ offers: want.map((it) => it && toJson(OfferSchema, it)) });
      expect(got.json.offers[0].prices[4].amount).toEqual({
        currencyCode: "KWD",
        units: "1",
        nanos: 375_000_000,
      });
      expect(got.headers.get("cache-control")).toMatch(/^public/);
    });

    test("a page size is decided as in every list", async () => {
      for (const pageSize of [undefined, null, 0, "0", 20, "100", 101, 2_147_483_647]) {
        expect(idsOf(await list({ pageSize }), "offers")).toEqual(LISTED.public);
      }
      const got = await list({ pageSize: -1 });
      expect([got.status, reasonOf(got)]).toEqual([400, "PAGE_SIZE_INVALID"]);
    });

    test("a token of another key, another list or nobody is refused", async () => {
      const size = { pageSize: 1 };
      const { nextPageToken: own } = (await list(size)).json;
      const { nextPageToken: previewed } = (await list(size, "preview")).json;
      const annotations = "svc.cda.annotations.annotation.v1.AnnotationService/ListAnnotations";
      const message = { ...size, eventId: "match-2018-64" };
      const { nextPageToken: other } = (await callDelivery(marquee, annotations, message)).json;
      expect([own, previewed, other].every((it) => typeof it === "string")).toBe(true);
      const wrong = [
        [previewed, "public"],
        [own, "preview"],
        [own, "sandbox"],
        [other, "public"],
        ["made-up", "public"],
        [` ${own}`, "public"],
        [`${own}A`, "public"],
        [own.slice(0, -1), "public"],
        [(own.startsWith("A") ? "B" : "A") + own.slice(1), "public"],
      ] as const;
      for (const [pageToken, key] of wrong) {
        const got = await list({ ...size, pageToken }, key);
        expect([pageToken, got.status, reasonOf(got)]).toEqual([
          pageToken,
          400,
          "PAGE_TOKEN_INVALID",
        ]);
      }
      const got = await list({ pageSize: 3, pageToken: own });
      expect(idsOf(got, "offers")).toEqual(LISTED.public.slice(1, 4));
    });

    test("nothing of a draft or of another project reaches the public key", async () => {
      const { text } = await list({});
      for (const word of ["draft", "Season Pass", "sandbox", "elsewhere"]) {
        expect(text).not.toContain(word);
      }
      const previewed = await list({}, "preview");
      expect(previewed.text).toContain("Season Pass");
      expect(previewed.headers.get("cache-control")).toBe("private, no-store");
    });
  });
}
