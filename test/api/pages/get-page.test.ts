import { describe, expect, test } from "vitest";
import { createDemoDataset } from "../../../demo/data/dataset.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { rejection } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { callDelivery, idsOf, WAYS } from "../delivery.ts";
import { componentsOf, getPage, itemIds, listPages } from "./pages.ts";

const marquee = await useMarquee({ clock: () => new Date("2026-06-20T00:00:00Z") });

const PAGES = createDemoDataset().pages.filter((it) => it.page.projectId === "worldcup");

/** What the pages of the demo are shown about. */
const PARAMETERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  home: {},
  match: { id: "match-2026-104" },
  team: { id: "team-esp" },
  player: { id: "player-esp-7" },
  highlights: { id: "highlights-2026-104" },
  search: { q: "spain" },
  "all-highlights": {},
  tables: {},
  help: {},
};

/** How the items of each component that lists some are got from a list of content. */
const LISTS: Readonly<Record<string, readonly [kind: keyof typeof PROCEDURES, order: string]>> = {
  "rail-home-coming": ["events", "start_time asc"],
  "calendar-home": ["events", "start_time asc"],
  "rail-home-finals": ["events", "start_time desc"],
  "rail-home-highlights": ["creativeWorks", "release_time desc"],
  "rail-home-teams": ["entities", "title.en asc"],
  "rail-match-highlights": ["creativeWorks", ""],
  "rail-match-players": ["entities", "title.en asc"],
  "rail-match-season": ["events", "start_time asc"],
  "rail-team-matches": ["events", "start_time desc"],
  "calendar-team": ["events", "start_time asc"],
  "rail-search-matches": ["events", ""],
  "rail-search-people": ["entities", ""],
  "grid-search": ["creativeWorks", ""],
};

const PROCEDURES = {
  events: "svc.cda.cms.event.v1.EventService/ListEvents",
  creativeWorks: "svc.cda.cms.creative_work.v1.CreativeWorkService/ListCreativeWorks",
  entities: "svc.cda.cms.entity.v1.EntityService/ListEntities",
} as const;

for (const { page, components } of PAGES) {
  describe(`the page ${page.slug}`, () => {
    const parameters = PARAMETERS[page.slug];
    const published = components.filter((it) => it.visibility === Visibility.PUBLISHED);

    test("is the same by id and by slug, by GET and by POST", async () => {
      const [first, ...others] = await Promise.all(
        [{ id: page.id }, { slug: page.slug }].flatMap((name) =>
          WAYS.map((way) => getPage(marquee, { ...name, parameters }, "public", way)),
        ),
      );
      expect(first?.json.page.id).toBe(page.id);
      for (const other of others) expect(other.json).toEqual(first?.json);
    });

    test("shows its published components in order, each in its group", async () => {
      const got = await getPage(marquee, { slug: page.slug, parameters });
      const shown = Array.from(componentsOf(got).values(), (it) => it.component);
      expect(shown.map((it) => [it.id, it.type, it.groupId])).toEqual(
        published.map((it) => [it.id, it.type, it.groupId || it.id]),
      );
      expect(got.json.dropped).toBeUndefined();
    });

    test("has no variable left, but for what is the session's", async () => {
      const got = await getPage(marquee, { slug: page.slug, parameters });
      const text = JSON.stringify(got.json, (key, value) =>
        key === "additionalFilters" ? undefined : value,
      );
      expect(text).not.toMatch(/\{[a-z_]+(\.[a-z_]+)*\}/);
    });

    test("has items where it lists or shows some, when they are asked for", async () => {
      const message = { slug: page.slug, parameters };
      const [without, included] = [
        componentsOf(await getPage(marquee, message)),
        componentsOf(await getPage(marquee, { ...message, includeItems: true })),
      ];
      for (const [id, { items, itemsNextPageToken, bannerCollection, ...rest }] of included) {
        expect(without.get(id)).toEqual(rest);
        // Only a demo that is loaded at a time has films that leave.
        const hasItems =
          /^(rail|calendar|grid|player|profile)-/.test(id) && id !== "rail-leaving-soon";
        expect([id, (items?.length ?? 0) > 0]).toEqual([id, hasItems]);
        expect([id, bannerCollection !== undefined]).toEqual([id, id.startsWith("banner-")]);
        if (itemsNextPageToken) expect(id).toMatch(/^(rail|calendar|grid)-/);
      }
    });

    for (const { id } of published) {
      const [kind, order] = LISTS[id] ?? [];
      if (kind === undefined) continue;
      test(`lists in ${id} what a list call gives`, async () => {
        const message = { slug: page.slug, parameters, includeItems: true, itemsPageSize: 5 };
        const shown = componentsOf(await getPage(marquee, message)).get(id);
        const { filter, search } = shown ?? {};
        const list = { filter, search, order, pageSize: 5 };
        const want = await callDelivery(marquee, PROCEDURES[kind], list);
        expect(itemIds(shown?.items)).toEqual(idsOf(want, kind));
        expect(shown?.items?.length).toBeGreaterThan(0);
      });
    }
  });
}

test.each([
  [{}, "public", [400, "PAGE_KEY_INVALID"]],
  [{ id: "page-home", slug: "home" }, "public", [400, "PAGE_KEY_INVALID"]],
  [{ slug: "Home" }, "public", [404, "RESOURCE_NOT_FOUND"]],
  [{ slug: "page-home" }, "public", [404, "RESOURCE_NOT_FOUND"]],
  [{ id: "page-home" }, "sandbox", [404, "RESOURCE_NOT_FOUND"]],
  [{ slug: "match" }, "sandbox", [404, "RESOURCE_NOT_FOUND"]],
  [{ id: "sandbox-page-home" }, "preview", [404, "RESOURCE_NOT_FOUND"]],
  [{ slug: "home", environment: "WEB" }, "public", [400, "ENVIRONMENT_UNKNOWN"]],
  [{ slug: "home", itemsPageSize: -1 }, "public", [400, "PAGE_SIZE_INVALID"]],
] as const)("a page that is named %j by the %s key: %j", async (message, key, want) => {
  expect(rejection(await getPage(marquee, message, key))).toEqual(want);
});

test("a page is the project's own, and the list of all is by slug", async () => {
  const got = await getPage(marquee, { slug: "home", includeItems: true }, "sandbox");
  expect(got.json.page.id).toBe("sandbox-page-home");
  expect([...componentsOf(got).keys()]).toContain("sandbox-rail-home");
  expect(got.text).not.toContain("worldcup");
  const list = await listPages(marquee, {});
  expect(idsOf(list, "pages")).toEqual(
    Object.keys(PARAMETERS)
      .toSorted()
      .map((it) => `page-${it}`),
  );
});

test.each([
  [undefined, "rail-home-matches", 24],
  [50, "rail-home-matches", 24],
  [1000, "calendar-home", 100],
])("asked for %s items, %s has %s", async (itemsPageSize, id, want) => {
  const got = await getPage(marquee, { slug: "home", includeItems: true, itemsPageSize });
  expect(componentsOf(got).get(id)?.items).toHaveLength(want);
});
