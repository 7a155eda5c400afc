import { describe, expect, test } from "vitest";
import { connectHeaders, getUrl } from "../harness/calls.ts";
import { type HttpResponse, send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { callDelivery, type WAYS } from "./delivery.ts";
import type { JsonMessage } from "./methods.ts";
import { componentsOf, getComponent, getPage, itemIds, listItems } from "./pages/pages.ts";
import { callRest } from "./studio.ts";

const COUNTRY = "x-viewer-country";
const EVENTS = "svc.cda.cms.event.v1.EventService/ListEvents";
const ANNOTATIONS = "svc.cda.annotations.annotation.v1.AnnotationService/ListAnnotations";

const marquee = await useMarquee({ location: { countryHeader: COUNTRY } });

type Way = (typeof WAYS)[number];

async function patch(path: string, body: JsonMessage) {
  const got = await callRest(marquee, "PATCH", path.slice(1), body);
  expect(got.status, got.text).toBe(200);
}

const change = (id: string, page_component_update: JsonMessage, update_mask: string) =>
  patch(`/ott/page_components/v2/${id}`, { page_component_update, update_mask });

/** Changes a field of a resource, of which the path has the kind's name in the plural. */
const rename = (path: string, fields: JsonMessage) => {
  const [, kind = ""] = /\/(\w+)s\//.exec(path) ?? [];
  return patch(`/${path}`, { [kind]: fields, update_mask: Object.keys(fields).join() });
};

const RAIL = { type: "BASE_TYPE_EVENT", order: "id asc" };
let turn = 0;

/** What a change through the Studio API does, and the reads that have to show it. */
interface Change {
  readonly name: string;
  change(mark: string): Promise<void>;
  readonly reads: Readonly<Record<string, (way: Way) => Promise<HttpResponse>>>;
  /** What of the response the change is seen by. */
  see(got: HttpResponse): unknown;
  want(mark: string): unknown;
}

/** A change of a text, by which it is seen. */
const asText = {
  see: ({ text }: HttpResponse) => /change-\d+/.exec(text)?.[0],
  want: (mark: string) => mark,
};
const readHome = (includeItems: boolean) => (way: Way) =>
  getPage(marquee, { slug: "home", includeItems }, "public", way);

/** Reads the home page with the items of its rail, which end early while the machine is too busy. */
async function readRail(way: Way): Promise<HttpResponse> {
  for (let tries = 1; ; tries += 1) {
    const got = await readHome(true)(way);
    const rail = componentsOf(got).get("rail-home-finals");
    if (rail?.items?.length || !rail?.itemsNextPageToken || tries === 20) return got;
  }
}

const CHANGES: readonly Change[] = [
  {
    ...{ ...asText, name: "a component's name" },
    change: (mark) => change("text-match", { name: mark }, "name"),
    reads: {
      GetPage: (way) => getPage(marquee, { slug: "match" }, "public", way),
      GetPageComponent: (way) => getComponent(marquee, { id: "text-match" }, "public", way),
    },
  },
  {
    name: "a rail's filter",
    change: (mark) =>
      change("rail-home-finals", { rail: { ...RAIL, filter: toFilter(mark) } }, "rail"),
    reads: {
      GetPage: readRail,
      GetPageComponent: (way) =>
        getComponent(marquee, { id: "rail-home-finals", includeItems: true }, "public", way),
      ListPageComponentItems: (way) =>
        listItems(marquee, { id: "rail-home-finals" }, "public", way),
    },
    see: (got) => {
      const { components, component, items } = got.json;
      if (components) return itemIds(componentsOf(got).get("rail-home-finals")?.items);
      return itemIds(component?.items ?? items);
    },
    want: (mark) => [toMatch(mark)],
  },
  {
    name: "a component's visibility",
    change: (mark) => change("faq-help", toVisibility(mark), "visibility"),
    reads: { GetPage: (way) => getPage(marquee, { slug: "help" }, "public", way) },
    see: (got) => componentsOf(got).has("faq-help"),
    want: (mark) => toVisibility(mark).visibility === "VISIBILITY_PUBLISHED",
  },
  {
    ...{ ...asText, name: "a banner collection's name", reads: { GetPage: readHome(true) } },
    change: (mark) => rename("ott/banner_collections/v2/banners-home", { name: mark }),
  },
  {
    ...{ ...asText, name: "an offer's title", reads: { GetPage: readHome(false) } },
    change: (mark) => rename("monetization/offers/v1/offer-month", { title: { en: mark } }),
  },
  {
    ...{ ...asText, name: "an annotation's label" },
    change: (mark) => rename("annotations/annotations/v1/goal-2026-104-1", { timer_label: mark }),
    reads: {
      ListAnnotations: (way) =>
        callDelivery(marquee, ANNOTATIONS, { videoId: "video-match-2026-104" }, "public", way),
    },
  },
];

const numberOf = (mark: string) => Number(mark.split("-")[1]);
const toMatch = (mark: string) => `match-2022-${numberOf(mark)}`;
const toFilter = (mark: string) => `id: ${toMatch(mark)}`;
const toVisibility = (mark: string) => ({
  visibility: numberOf(mark) % 2 === 0 ? "VISIBILITY_HIDDEN" : "VISIBILITY_PUBLISHED",
});

for (const { name, change: apply, reads, see, want } of CHANGES) {
  describe(`a change of ${name} is seen by the next`, () => {
    for (const [method, read] of Object.entries(reads)) {
      for (const way of ["GET", "POST"] as const) {
        test(`${method} by ${way}, each time`, async () => {
          let tag = "";
          for (let time = 0; time < 4; time += 1) {
            turn += 1;
            const mark = `change-${turn}`;
            // Asked twice before, so that the response is kept in memory.
            await Promise.all([read(way), read(way)]);
            await apply(mark);
            const got = await read(way);
            expect(see(got)).toEqual(want(mark));
            const next = got.headers.get("etag") ?? "";
            expect(next).toMatch(/^".+"$/);
            expect(next).not.toBe(tag);
            tag = next;
          }
        });
      }
    }
  });
}

test("a tag of before a change does not get 304", async () => {
  const url = `${marquee.url}/${getUrl("svc.cda.ott.page.v1.PageService/GetPage", { slug: "help" })}`;
  const read = (headers = {}) => send("GET", url, { token: marquee.keys.public, headers });
  const tag = (await read()).headers.get("etag") ?? "";
  expect((await read({ "if-none-match": tag })).status).toBe(304);
  await change("image-help", { name: "Changed" }, "name");
  const got = await read({ "if-none-match": tag });
  expect([got.status, got.text.includes("Changed")]).toEqual([200, true]);
});

test("a new ruleset counts for the next list that leaves out what is geoblocked", async () => {
  const read = async () => {
    const got = await send("POST", `${marquee.url}/${EVENTS}`, {
      headers: { ...connectHeaders(marquee.keys.public), [COUNTRY]: "NO" },
      body: { filter: "id: match-2022-1", excludeGeoblocked: true },
    });
    return got.json.events?.length ?? 0;
  };
  expect(await read()).toBe(1);
  const got = await callRest(marquee, "POST", "streaming/video_protection/v2/rulesets", {
    ...{ project_id: "worldcup", name: "Not there", priority: "9000" },
    ...{ geo_restrictions_disallow: { country_codes: ["NO"] } },
    target: { event_ids: ["match-2022-1"] },
  });
  expect(got.status).toBe(200);
  expect(await read()).toBe(0);
});
