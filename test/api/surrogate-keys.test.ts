import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { OfferSchema } from "../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import { BannerCollectionSchema } from "../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import { AnnotationSchema } from "../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import { useSmallMarquee } from "../harness/use-marquee.ts";
import { ALPHA, createSmallDataset } from "../storage/small-dataset.ts";
import { callDelivery } from "./delivery.ts";
import type { JsonMessage } from "./methods.ts";

const SHOWN = { projectId: ALPHA, visibility: Visibility.PUBLISHED };

const DATA = createSmallDataset({
  bannerCollections: [create(BannerCollectionSchema, { id: "home", ...SHOWN })],
  offers: ["day", "week"].map((id) => create(OfferSchema, { id, ...SHOWN })),
  annotations: ["goal", "kickoff"].map((id) =>
    create(AnnotationSchema, { id, videoId: "final", ...SHOWN }),
  ),
});

const marquee = await useSmallMarquee(DATA);

const BANNERS = "svc.cda.ott.banner_collection.v2.BannerCollectionService/GetBannerCollection";
const OFFERS = "svc.cda.monetization.offer.v1.OfferService/ListOffers";
const ANNOTATIONS = "svc.cda.annotations.annotation.v1.AnnotationService/ListAnnotations";

describe("an answer names what took part", () => {
  const cases: readonly (readonly [string, string, JsonMessage, readonly string[]])[] = [
    ["a banner collection", BANNERS, { id: "home" }, ["banner_collections/home"]],
    ["offers", OFFERS, { pageSize: 1 }, ["offers", "offers/day"]],
    [
      "annotations",
      ANNOTATIONS,
      { videoId: "final" },
      ["annotations", "annotations/goal", "annotations/kickoff"],
    ],
    ["a list with nothing on it", ANNOTATIONS, { videoId: "none" }, ["annotations"]],
  ];
  for (const [name, method, message, want] of cases) {
    test(name, async () => {
      const got = await callDelivery(marquee, method, message);
      expect(got.status, got.text).toBe(200);
      const keys = (got.headers.get("surrogate-key") ?? "").split(" ").sort();
      expect(keys).toEqual(want.map((key) => `${ALPHA}/${key}`));
    });
  }
});
