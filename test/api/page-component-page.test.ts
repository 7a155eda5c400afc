import { describe, expect, test } from "vitest";
import { metadataOf, reasonOf } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { patchComponent, readComponent } from "./page-components.ts";

const marquee = await useMarquee();

const toFilter = (id: string) =>
  patchComponent(marquee, id, { type: "filter", filter: {} }, FILTER);
const FILTER = "type,filter";

describe("at most one filter component lies on a page", () => {
  // The home page holds one already.
  for (const id of ["banner-home", "text-home-notice", "rail-home-draft", "footer-home"]) {
    test(`${id} cannot become a second one, and nothing is written`, async () => {
      const before = await readComponent(marquee, id);
      const got = await toFilter(id);
      expect([got.status, got.json.code]).toEqual([400, 9]);
      expect(reasonOf(got)).toBe("PAGE_FILTER_LIMIT");
      expect(metadataOf(got)?.component_ids?.split(",").sort()).toEqual([id, "filter-home"].sort());
      expect((await readComponent(marquee, id)).text).toBe(before.text);
    });
  }

  test("another page has one of its own, and then no second one", async () => {
    expect((await toFilter("text-match")).status).toBe(200);
    expect(reasonOf(await toFilter("standings-match"))).toBe("PAGE_FILTER_LIMIT");
  });

  test("the place is free again once the filter has become something else", async () => {
    const away = await patchComponent(
      marquee,
      "text-match",
      { type: "text", text: {} },
      "type,text",
    );
    expect(away.status).toBe(200);
    expect((await toFilter("standings-match")).status).toBe(200);
  });

  test("two that want the place at the same moment: one gets it", async () => {
    const ids = ["banner-team", "rail-team-matches", "rail-team-players", "rail-team-highlights"];
    const got = await Promise.all(ids.map(toFilter));
    expect(got.map((it) => it.status).sort()).toEqual([200, 400, 400, 400]);
  });
});

describe("the components of a group lie next to each other", () => {
  // The home page: banner, promo, coming, filter, matches, calendar, [finals, highlights], teams …
  const group = (id: string, group_id: string) =>
    patchComponent(marquee, id, { group_id }, "group_id");

  test("a component next to the group joins it on either side", async () => {
    for (const id of ["calendar-home", "rail-home-teams"]) {
      const got = await group(id, "group-home-watch");
      expect([got.status, got.json.page_component?.group_id]).toEqual([200, "group-home-watch"]);
    }
  });

  test("a component apart from the group is refused, and nothing is written", async () => {
    for (const id of ["banner-home", "offers-home", "filter-home", "footer-home"]) {
      const before = await readComponent(marquee, id);
      const got = await group(id, "group-home-watch");
      expect([got.status, got.json.code]).toEqual([400, 9]);
      expect(reasonOf(got)).toBe("GROUP_NOT_ADJACENT");
      expect(metadataOf(got)?.group_id).toBe("group-home-watch");
      expect((await readComponent(marquee, id)).text).toBe(before.text);
    }
  });
});
