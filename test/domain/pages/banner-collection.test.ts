import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import {
  BannerCollectionSchema,
  type BannerSchema,
  FormFactor,
} from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import { checkBannerCollection } from "../../../src/domain/pages/banner-collection.ts";
import { refusal } from "../../harness/refusal.ts";

type BannerInit = MessageInitShape<typeof BannerSchema>;

const check = (banner: BannerInit) => () =>
  checkBannerCollection(create(BannerCollectionSchema, { banners: [{}, banner] }), "collection");
const url = "https://media.example/a.jpg";

test.each<[string, BannerInit]>([
  ["with nothing", {}],
  ["with a path of the site", { link: "/match?id=1" }],
  ["with a link", { link: "https://shop.example/" }],
  ["with a picture for any screen", { images: [{ url }] }],
  [
    "with a picture for each kind of screen",
    {
      images: [
        { url },
        ...[FormFactor.PHONE, FormFactor.TABLET, FormFactor.DESKTOP, FormFactor.TV].map(
          (formFactor) => ({ url, formFactor }),
        ),
      ],
    },
  ],
])("a banner is allowed: %s", (_name, banner) => {
  expect(check(banner)).not.toThrow();
});

test.each<[string, BannerInit, string, string]>([
  ["with a broken language", { title: { "": "a" } }, "LANGUAGE_INVALID", "title"],
  ["without a picture's address", { images: [{ url }, {}] }, "FIELD_REQUIRED", "images[1].url"],
  [
    "with two pictures for any screen",
    { images: [{ url }, { url: `${url}?2` }] },
    "FORM_FACTOR_DUPLICATE",
    "images[1].form_factor",
  ],
  [
    "with two pictures for phones",
    {
      images: [FormFactor.PHONE, FormFactor.TV, FormFactor.PHONE].map((formFactor) => ({
        url,
        formFactor,
      })),
    },
    "FORM_FACTOR_DUPLICATE",
    "images[2].form_factor",
  ],
])("a banner is refused: %s", (_name, banner, reason, field) => {
  const metadata = { field: `collection.banners[1].${field}` };
  expect(check(banner)).toThrow(refusal(reason, undefined, { metadata }));
});
