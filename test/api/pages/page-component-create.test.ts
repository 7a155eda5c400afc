import { describe, expect, test } from "vitest";
import { metadataOf, reasonOf, refusal } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { letter, letterPages } from "../content/letter-pages.ts";
import { playCases, toWriteCases } from "../play-cases.ts";
import { faultOf, STUDIO_FACES } from "../studio.ts";
import { patchComponent, readComponent } from "./page-components.ts";
import { getPage } from "./pages.ts";

const marquee = await useMarquee();

const FILTER = { type: "filter", text: undefined, filter: {} };

playCases(
  marquee,
  "a new page component",
  toWriteCases(
    {
      ...{ service: "ott.page_component.v2.PageComponentService", noun: "pageComponent" },
      ...{ resource: letter(), extra: { pageId: "page-help" } },
    },
    [
      [{ text: undefined }, "DATA_MEMBER_REQUIRED ."],
      [{ type: "html" }, "TYPE_MISMATCH type"],
      [{ type: "" }, "FIELD_REQUIRED type"],
      [{ environments: ["fridge"] }, "ENVIRONMENT_UNKNOWN environments"],
      [
        { type: "rail", text: undefined, rail: { type: "BASE_TYPE_EVENT", filter: "a:" } },
        "KQL_SYNTAX rail.filter",
      ],
      [
        { type: "player_profile", text: undefined, playerProfile: { id: "{" } },
        "VARIABLE_MALFORMED player_profile.id",
      ],
      [{ id: "x" }, "FIELD_OUTPUT_ONLY id"],
      [{ projectId: "sandbox" }, "PROJECT_DIFFERENT project_id"],
    ],
  ),
  async () => (await getPage(marquee, { id: "page-help" }, "preview")).json,
);

for (const face of STUDIO_FACES) {
  const { callComponents: call, callPages, make, add, read } = letterPages(marquee, face);

  describe(`a page component over ${face}`, () => {
    test("gets the place that is asked for, and delivery shows it there at once", async () => {
      const pageId = await make();
      const steps: readonly (readonly [string, number | undefined, string])[] = [
        ["a", undefined, "a"],
        ["b", 0, "ba"],
        ["c", 1, "bca"],
        ["d", 3, "bcad"],
        ["e", 2_147_483_647, "bcade"],
      ];
      for (const [name, position, want] of steps) {
        const got = await add(pageId, name, {
          ...(position !== undefined && { position }),
        });
        expect(got.status, got.text).toBe(200);
        expect(await read(pageId)).toEqual([want, want]);
      }
      for (const [name, want] of [
        ["c", "bade"],
        ["b", "ade"],
        ["e", "ad"],
      ]) {
        await call("DeletePageComponent", { pageComponentId: `${pageId}-${name}` });
        expect(await read(pageId)).toEqual([want, want]);
      }
      const last = await call("GetPageComponent", { pageComponentId: `${pageId}-d` });
      expect(last.value.position).toBe(1);
    });

    test("needs a page, and a place that is not negative", async () => {
      const pageId = await make();
      expect(refusal(await call("CreatePageComponent", { pageComponent: letter() }))).toEqual([
        400,
        "FIELD_REQUIRED",
      ]);
      expect(refusal(await add("nowhere", ""))).toEqual([404, "RESOURCE_NOT_FOUND"]);
      const got = await add(pageId, "", { position: -1 });
      expect(faultOf(got)).toEqual([400, "VALUE_OUT_OF_RANGE", "position"]);
    });

    test("is the 100th of its page, and never the 101st", { timeout: 120_000 }, async () => {
      const pageId = await make();
      const ids: string[] = [];
      for (let count = 0; count < 99; count += 1) {
        const made = await add(pageId, `n${count}`, { position: 0 });
        expect(made.status, made.text).toBe(200);
        ids.push(`${pageId}-n${count}`);
      }
      const fields = { projectId: "worldcup", type: "text", text: {} };
      const rehearse = () =>
        call("CreatePageComponent", { pageComponent: fields, pageId, validateOnly: true });
      expect((await rehearse()).status).toBe(200);
      expect((await add(pageId, "last")).status).toBe(200);
      for (const refused of [
        await rehearse(),
        await add(pageId, "one-more"),
        await add(pageId, "one-more", { position: 0 }),
      ]) {
        expect(refusal(refused)).toEqual([400, "PAGE_COMPONENT_LIMIT"]);
        expect(metadataOf(refused)).toMatchObject({ limit: "100" });
      }
      const all = [`${pageId}-last`, ...ids];
      const reordered = await callPages("ReorderPageComponents", {
        pageId,
        pageComponentIds: all,
      });
      expect(reordered.status, reordered.text).toBe(200);
      const update = { pageComponentId: all[0], updateMask: "group_id" };
      const changed = await call("UpdatePageComponent", {
        ...update,
        pageComponentUpdate: { groupId: "g" },
      });
      expect(changed.status, changed.text).toBe(200);
      await call("DeletePageComponent", { pageComponentId: all[0] });
      expect((await add(pageId, "again")).status).toBe(200);
    });

    test("neither makes a second filter nor tears a group apart", async () => {
      const pageId = await make("ab", { a: "g", b: "g" });
      expect(refusal(await add(pageId, "", { position: 1 }))).toEqual([400, "GROUP_NOT_ADJACENT"]);
      const apart = await add(pageId, "c");
      expect(apart.status).toBe(200);
      expect(refusal(await add(pageId, "", { fields: { groupId: "g" } }))).toEqual([
        400,
        "GROUP_NOT_ADJACENT",
      ]);
      const filter = await add(pageId, "f", {
        fields: { ...FILTER, groupId: "g" },
        position: 1,
      });
      expect(filter.status, filter.text).toBe(200);
      expect(refusal(await add(pageId, "", { fields: FILTER }))).toEqual([
        400,
        "PAGE_FILTER_LIMIT",
      ]);
      expect(await read(pageId)).toEqual(["afbc", "afbc"]);
    });

    test("leaves its group whole when it is deleted", async () => {
      const pageId = await make("abcd", { a: "g", b: "g", c: "g" });
      const got = await call("DeletePageComponent", { pageComponentId: `${pageId}-b` });
      expect(got.status, got.text).toBe(200);
      expect(await read(pageId)).toEqual(["acd", "acd"]);
      const more = await add(pageId, "e", { fields: { groupId: "g" }, position: 2 });
      expect(more.status, more.text).toBe(200);
      expect(await read(pageId)).toEqual(["aced", "aced"]);
    });

    test("has an id that no component of any page has", async () => {
      const [one, other] = [await make("a"), await make()];
      for (const pageId of [one, other]) {
        const message = { pageComponent: letter(), pageId, pageComponentId: `${one}-a` };
        expect(refusal(await call("CreatePageComponent", message))).toEqual([
          409,
          "ALREADY_EXISTS",
        ]);
      }
      expect(await read(one)).toEqual(["a", "a"]);
    });

    test("is listed in page order, page by page and by a filter", async () => {
      const pageId = await make("dbeac");
      const seen: string[] = [];
      let pageToken = "";
      do {
        const { value } = await call("ListPageComponents", { pageId, pageSize: 2, pageToken });
        seen.push(...value.pageComponents.map((it: { id: string }) => it.id.at(-1)));
        pageToken = value.nextPageToken ?? "";
      } while (pageToken !== "");
      expect(seen.join("")).toBe("dbeac");
      const filter = `id: "${pageId}-e" or id: "${pageId}-b"`;
      const { value } = await call("ListPageComponents", { pageId, filter });
      expect(value.pageComponents.map((it: { id: string }) => it.id.at(-1))).toEqual(["b", "e"]);
      const first = await call("ListPageComponents", { pageId, pageSize: 1 });
      const other = await make("a");
      const moved = { pageId: other, pageToken: first.value.nextPageToken };
      expect(refusal(await call("ListPageComponents", moved))).toEqual([400, "PAGE_TOKEN_INVALID"]);
    });
  });
}

const toFilter = (id: string) =>
  patchComponent(marquee, id, { type: "filter", filter: {} }, "type,filter");

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

for (const face of STUDIO_FACES) {
  const { callPages, make, read } = letterPages(marquee, face);

  describe(`the order of a page over ${face}`, () => {
    const reorder = (pageId: string, names: string, call_: object = {}) =>
      callPages(
        "ReorderPageComponents",
        { pageId, pageComponentIds: Array.from(names, (it) => `${pageId}-${it}`) },
        call_,
      );

    test("is changed in one step, which the page's tag and time and delivery show", async () => {
      const pageId = await make("abcd", { a: "g", b: "g" });
      const before = await callPages("GetPage", { pageId });
      const got = await reorder(pageId, "dcba");
      expect(got.status, got.text).toBe(200);
      expect(got.value.pageComponentIds.map((it: string) => it.at(-1)).join("")).toBe("dcba");
      expect(await read(pageId)).toEqual(["dcba", "dcba"]);
      const after = await callPages("GetPage", { pageId });
      expect(after.value.page).toEqual(got.value.page);
      expect(after.headers.get("etag")).toBe(got.headers.get("etag"));
      expect(after.headers.get("etag")).not.toBe(before.headers.get("etag"));
      expect(after.value.page.updateTime > before.value.page.updateTime).toBe(true);
    });

    test("names all components of the page, each once", async () => {
      const pageId = await make("abc");
      const other = await make("z");
      const ids = (names: string) => Array.from(names, (it) => `${pageId}-${it}`);
      for (const [asked, want] of [
        [ids("ab"), { missing: `${pageId}-c`, unknown: "", repeated: "" }],
        [[...ids("abc"), `${other}-z`], { missing: "", unknown: `${other}-z`, repeated: "" }],
        [ids("abca"), { missing: "", unknown: "", repeated: `${pageId}-a` }],
        [ids("aax"), { missing: ids("bc").join(","), unknown: ids("x")[0], repeated: ids("a")[0] }],
      ] as const) {
        const got = await callPages("ReorderPageComponents", { pageId, pageComponentIds: asked });
        expect(faultOf(got)).toEqual([400, "ORDER_INCOMPLETE", "page_component_ids"]);
        expect(metadataOf(got)).toMatchObject(want);
      }
      expect(await read(pageId)).toEqual(["abc", "abc"]);
    });

    test("keeps groups together, and changes nothing where it does not", async () => {
      const pageId = await make("abc", { a: "g", b: "g" });
      const before = await callPages("GetPage", { pageId });
      expect(refusal(await reorder(pageId, "acb"))).toEqual([400, "GROUP_NOT_ADJACENT"]);
      const after = await callPages("GetPage", { pageId });
      expect([after.value, after.headers.get("etag")]).toEqual([
        before.value,
        before.headers.get("etag"),
      ]);
    });

    test("is changed with the page's current entity tag only", async () => {
      const pageId = await make("ab");
      const { headers } = await callPages("GetPage", { pageId });
      const tag = { headers: { "if-match": headers.get("etag") ?? "" } };
      expect((await reorder(pageId, "ba", tag)).status).toBe(200);
      expect(refusal(await reorder(pageId, "ab", tag))).toEqual([409, "ETAG_MISMATCH"]);
      expect(await read(pageId)).toEqual(["ba", "ba"]);
    });
  });
}
