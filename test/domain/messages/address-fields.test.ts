import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { BannerCollectionSchema } from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import { PageComponentSchema } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { VideoSchema } from "../../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { checkAddresses } from "../../../src/domain/messages/address-fields.ts";
import { refusal } from "../../harness/refusal.ts";

const banners = (banner: object) => create(BannerCollectionSchema, { banners: [{}, banner] });
const offers = (backgroundAssetUrl: string) =>
  create(PageComponentSchema, { data: { case: "offers", value: { backgroundAssetUrl } } });

test.each<readonly [string, () => void]>([
  ["that is empty", () => checkAddresses(EventSchema, create(EventSchema), "event")],
  ...["http://a.example", "https://a.example/x?y=1#z", "HTTPS://A.EXAMPLE"].map(
    (address) =>
      [address, () => checkAddresses(PageComponentSchema, offers(address), "p")] as const,
  ),
  ...["/", "/match?id=1", "https://shop.example"].map(
    (link) =>
      [
        `${link} as a link`,
        () => checkAddresses(BannerCollectionSchema, banners({ link }), "b"),
      ] as const,
  ),
])("an address is allowed: %s", (_name, run) => {
  expect(run).not.toThrow();
});

test.each<readonly [string, string, () => void]>([
  ...["javascript:alert(1)", "//shop.example", "/\\shop.example", "match"].map(
    (link) =>
      [
        ...(["b.banners[1].link", "LINK_INVALID"] as const),
        () => checkAddresses(BannerCollectionSchema, banners({ link }), "b"),
      ] as const,
  ),
  [
    ...(["b.banners[1].images[0].url", "IMAGE_URL_INVALID"] as const),
    () => checkAddresses(BannerCollectionSchema, banners({ images: [{ url: "/a.jpg" }] }), "b"),
  ],
  [
    ...(["p.offers.background_asset_url", "IMAGE_URL_INVALID"] as const),
    () => checkAddresses(PageComponentSchema, offers("data:image/png,x"), "p"),
  ],
  [
    ...(["event.poster_image_url", "IMAGE_URL_INVALID"] as const),
    () => checkAddresses(EventSchema, create(EventSchema, { posterImageUrl: "a" }), "event"),
  ],
  [
    ...(["video.playlist_url", "PLAYLIST_URL_INVALID"] as const),
    () => checkAddresses(VideoSchema, create(VideoSchema, { playlistUrl: "/a" }), "video"),
  ],
])("an address is refused with its path and a reason of its kind: %s: %s", (field, reason, run) => {
  expect(run).toThrow(refusal(reason, field));
});
