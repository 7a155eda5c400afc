import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { OfferSchema } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import { AnnotationSchema } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { PageSchema } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { VideoSchema } from "../../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { connectHeaders } from "../../harness/calls.ts";
import { send } from "../../harness/http.ts";
import { useSmallMarquee } from "../../harness/use-marquee.ts";
import { ALPHA, createEvent, createSmallDataset } from "../../storage/small-dataset.ts";
import { createPage, createRail } from "../pages/small-pages.ts";

const MIB = 1024 * 1024;

/** What a response may hold beside the items of its lists. */
const BESIDE = 16 * 1024;

/** Of these sizes three fit on a page, but the last alone is more than that. */
const SIZES = [1.2, 1.2, 1.2, 1.2, 1.2, 4.5];
const IDS = SIZES.map((_, index) => `large-${index}`);
const pad = (index: number) => "x".repeat((SIZES[index] ?? 0) * MIB);
const published = { projectId: ALPHA, visibility: Visibility.PUBLISHED };

/** Makes an item of each size. */
const ofEachSize = <T>(make: (id: string, index: number) => T): T[] => IDS.map(make);

const DATA = createSmallDataset({
  events: ofEachSize((id, index) => createEvent(id, { contentType: pad(index) })),
  offers: ofEachSize((id, index) => create(OfferSchema, { id, ...published, name: pad(index) })),
  videos: [create(VideoSchema, { id: "video", projectId: ALPHA })],
  annotations: ofEachSize((id, index) =>
    create(AnnotationSchema, { id, ...published, videoId: "video", timerLabel: pad(index) }),
  ),
  pages: [
    ...ofEachSize((id, index) => ({
      page: create(PageSchema, { id, ...published, slug: id, parameters: [pad(index)] }),
      components: [],
    })),
    createPage("rails", [
      createRail("plain", {}),
      createRail("pinned", { pinned: IDS }),
      createRail("last", { filter: "not id: none" }),
    ]),
  ],
});

const marquee = await useSmallMarquee(DATA);

const call = async (path: string, message: object) => {
  const got = await send("POST", `${marquee.url}/svc.cda.${path}`, {
    headers: connectHeaders(marquee.keys.public),
    body: message,
  });
  expect([path, got.status]).toEqual([path, 200]);
  return got;
};

/** Every list of delivery that anybody may read, with the field of its items; those of content are read as events are. */
const LISTS: readonly (readonly [path: string, field: string, message: object])[] = [
  ["cms.event.v1.EventService/ListEvents", "events", {}],
  ["cms.event.v1.EventService/ListEvents", "events", { filter: "not id: none" }],
  ["monetization.offer.v1.OfferService/ListOffers", "offers", {}],
  [
    "annotations.annotation.v1.AnnotationService/ListAnnotations",
    "annotations",
    { videoId: "video" },
  ],
  ["ott.page.v1.PageService/ListPages", "pages", {}],
  ["ott.page_component.v2.PageComponentService/ListPageComponentItems", "items", { id: "plain" }],
  ["ott.page_component.v2.PageComponentService/ListPageComponentItems", "items", { id: "pinned" }],
];

describe("a page of items that are large ends before 4 MiB, with at least one, and all come once", () => {
  test.each(LISTS)("%s", async (path, field, message) => {
    const ids: string[] = [];
    let pageToken = "";
    do {
      const { text, json } = await call(path, { ...message, pageSize: 100, pageToken });
      const items: { id?: string; event?: { id: string } }[] = json[field] ?? [];
      const most = items.length > 1 ? 4 : 5;
      expect(text.length).toBeLessThanOrEqual(most * MIB + BESIDE);
      ids.push(...items.map((it) => it.id ?? it.event?.id ?? ""));
      pageToken = json.nextPageToken ?? "";
    } while (pageToken !== "");
    expect(ids.filter((id) => id.startsWith("large")).toSorted()).toEqual(IDS);
  });
});

test("the lists of a page together end before 4 MiB, with at most one item more of each", async () => {
  const { text } = await call("ott.page.v1.PageService/GetPage", {
    slug: "rails",
    includeItems: true,
    itemsPageSize: 100,
  });
  expect(text.length).toBeLessThanOrEqual((4 + 2 * 1.2) * MIB + BESIDE);
  expect(text.match(/"itemsNextPageToken"/g)?.length).toBe(3);
});
