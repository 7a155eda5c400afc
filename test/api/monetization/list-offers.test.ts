import { toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { createDemoDataset } from "../../../demo/dataset.ts";
import { OfferSchema } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { callDelivery, type Key, readPages, WAYS } from "../delivery.ts";
import type { JsonMessage } from "../methods.ts";

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
