import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { OfferSchema } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import { BannerCollectionSchema } from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import { AnnotationSchema } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { VideoProtectionRulesetSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { connectHeaders } from "../../harness/calls.ts";
import { type HttpResponse, send } from "../../harness/http.ts";
import { useSmallMarquee } from "../../harness/use-marquee.ts";
import { ALPHA, createEvent, createSmallDataset } from "../../storage/small-dataset.ts";
import { callDelivery } from "../delivery.ts";
import type { JsonMessage } from "../methods.ts";
import { componentsOf, getComponent, getPage, itemIds, listItems, listPages } from "./pages.ts";
import { createGrid, createPage, createPart, createRail, VISIBILITIES } from "./small-pages.ts";

const SHOWN = { projectId: ALPHA, visibility: VISIBILITIES.published };
const BANNERS = "ott.banner_collection.v2.BannerCollectionService/GetBannerCollection";
const OFFERS = "monetization.offer.v1.OfferService/ListOffers";
const ANNOTATIONS = "annotations.annotation.v1.AnnotationService/ListAnnotations";

const DATA = createSmallDataset({
  events: ["e1", "e2", "e3", "e4"].map((id, day) =>
    createEvent(id, { startTime: timestampFromMs(Date.UTC(2026, 5, 11 + day)) }),
  ),
  rulesets: [
    create(VideoProtectionRulesetSchema, {
      id: "not-in-germany",
      projectId: ALPHA,
      geoRestrictions: { case: "geoRestrictionsDisallow", value: { countryCodes: ["DE"] } },
      applicability: { case: "target", value: { eventIds: ["e1", "e3"] } },
    }),
  ],
  bannerCollections: [create(BannerCollectionSchema, { id: "home", ...SHOWN })],
  offers: ["day", "week"].map((id) => create(OfferSchema, { id, ...SHOWN })),
  annotations: ["goal", "kickoff"].map((id) =>
    create(AnnotationSchema, { id, videoId: "final", ...SHOWN }),
  ),
  pages: [
    createPage(
      "plain",
      [
        createRail("all", { pinned: ["e3", "e4"] }),
        createPart("player", {
          case: "eventPlayer",
          value: { content: { case: "id", value: "{id}" } },
        }),
        createGrid("mirror", "reference", { page_component_id: "timely" }),
      ],
      { parameters: ["id"] },
    ),
    createPage("typed", [
      createRail("matches", {
        filter: "content_type: (match or show) and id: *",
        pinned: ["e4", "none"],
      }),
    ]),
    createPage("timed", [createRail("timely", { filter: "start_time >= now-1000w" })]),
    createPage("placed", [
      createRail("local", { pinned: ["e3", "e4"], excludeGeoblocked: true }),
      createPart("calendar", { case: "calendarV2", value: { excludeGeoblocked: true } }),
    ]),
  ],
});

const marquee = await useSmallMarquee(DATA, { location: { countryHeader: "cf-ipcountry" } });

/** By nobody if the viewer's country takes part, for half a minute if the clock does, else until something changes. */
const NOBODY = /^private, no-store$/;
const BRIEFLY = /^public, s-maxage=30, stale-while-revalidate=0$/;
const LONG = /^public, s-maxage=60/;
/** The keys of a response without the project, which is the first of all. */
const keysOf = (got: HttpResponse) => {
  const [project, ...keys] = (got.headers.get("surrogate-key") ?? "").split(" ");
  expect(project).toBe(ALPHA);
  return keys.sort();
};

describe("a viewer's country", () => {
  const call = async (method: string, body: object, country: string) =>
    await send("POST", `${marquee.url}/svc.cda.ott.${method}`, {
      headers: { ...connectHeaders(marquee.keys.public), "cf-ipcountry": country },
      body,
    });
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ["local", "DE", ["e4", "e2"]],
    ["local", "FR", ["e3", "e4", "e1", "e2"]],
    ["calendar", "DE", ["e2", "e4"]],
    ["calendar", "FR", ["e1", "e2", "e3", "e4"]],
    ["all", "DE", ["e3", "e4", "e1", "e2"]],
  ];
  for (const [id, country, want] of cases) {
    test(`${country} sees ${want} in ${id}`, async () => {
      const method = "page_component.v2.PageComponentService/ListPageComponentItems";
      expect(itemIds((await call(method, { id }, country)).json.items)).toEqual(want);
      const body = { slug: id === "all" ? "plain" : "placed", includeItems: true };
      const page = componentsOf(await call("page.v1.PageService/GetPage", body, country));
      expect(itemIds(page.get(id)?.items)).toEqual(want);
    });
  }
});

describe("a response is kept", () => {
  const session = { other: 1 };
  const includeItems = true;
  test.each<[string, () => Promise<HttpResponse>, RegExp]>([
    [
      "a page with items by country",
      () => getPage(marquee, { slug: "placed", includeItems }),
      NOBODY,
    ],
    [
      "a calendar by country",
      () => getComponent(marquee, { id: "calendar", includeItems }),
      NOBODY,
    ],
    ["items by country", () => listItems(marquee, { id: "local" }), NOBODY],
    ["a page with items by time", () => getPage(marquee, { slug: "timed", includeItems }), BRIEFLY],
    ["a page that mirrors one", () => getPage(marquee, { slug: "plain", includeItems }), BRIEFLY],
    [
      "a grid that mirrors one",
      () => getComponent(marquee, { id: "mirror", includeItems }),
      BRIEFLY,
    ],
    ["items by time", () => listItems(marquee, { id: "timely" }), BRIEFLY],
    ["a page without items by time", () => getPage(marquee, { slug: "timed" }), LONG],
    ["a page without items by country", () => getPage(marquee, { slug: "placed" }), LONG],
    ["a hidden page", () => getPage(marquee, { slug: "placed", session, includeItems }), LONG],
    ["hidden items", () => listItems(marquee, { id: "local", session }), LONG],
    ["other items", () => listItems(marquee, { id: "all" }), LONG],
    ["pages", () => listPages(marquee, {}), LONG],
  ])("%s", async (_, call, want) => {
    expect((await call()).headers.get("cache-control")).toMatch(want);
  });
});

describe("a response names what took part", () => {
  const read = (method: string, message: JsonMessage) =>
    callDelivery(marquee, `svc.cda.${method}`, message);
  const PLAIN = ["pages/plain", "page_components/all", "page_components/player"];
  const MIRROR = ["pages", "page_components/mirror", "page_components/timely"];
  const cases: readonly (readonly [string, () => Promise<HttpResponse>, readonly string[]])[] = [
    [
      "a page",
      () => getPage(marquee, { slug: "plain", parameters: { id: "e1" } }),
      [...PLAIN, ...MIRROR, "events/e1"],
    ],
    [
      "a page that lacks what it refers to",
      () => getPage(marquee, { slug: "plain", parameters: { id: "none" } }),
      [...PLAIN, ...MIRROR, "events/none"],
    ],
    [
      "a component with items",
      () => getComponent(marquee, { id: "all", includeItems: true, itemsPageSize: 1 }),
      ["pages/plain", "page_components/all", "events", "events/e3"],
    ],
    [
      "items",
      () => listItems(marquee, { id: "timely", pageSize: 2 }),
      ["pages/timed", "page_components/timely", "events", "events/e1", "events/e2"],
    ],
    [
      "items whose filter requires a type, with pinned ones of any type",
      () => listItems(marquee, { id: "matches" }),
      [
        ...["pages/typed", "page_components/matches", "events/type:match", "events/type:show"],
        ...["events/e4", "events/none"],
      ],
    ],
    ["pages", () => listPages(marquee, { pageSize: 1 }), ["pages", "pages/placed"]],
    ["a banner collection", () => read(BANNERS, { id: "home" }), ["banner_collections/home"]],
    ["offers", () => read(OFFERS, { pageSize: 1 }), ["offers", "offers/day"]],
    [
      "annotations",
      () => read(ANNOTATIONS, { videoId: "final" }),
      ["annotations", "annotations/goal", "annotations/kickoff"],
    ],
    ["an empty list", () => read(ANNOTATIONS, { videoId: "none" }), ["annotations"]],
  ];
  for (const [name, call, want] of cases) {
    test(name, async () => {
      expect(keysOf(await call())).toEqual(want.map((key) => `${ALPHA}/${key}`).sort());
    });
  }
});
