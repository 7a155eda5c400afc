import { describe, expect, test } from "vitest";
import { metadataOf, reasonOf, refusal } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { letter, letterPages } from "../content/letter-pages.ts";
import { playCases, toWriteCases } from "../play-cases.ts";
import { faultOf, STUDIO_FACES } from "../studio.ts";
import { getPage, patchComponent, readComponent } from "./pages.ts";

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
  });
}

describe("an update keeps the layout of its page", () => {
  const toFilter = (id: string) =>
    patchComponent(marquee, id, { type: "filter", filter: {} }, "type,filter");
  const toGroup = (id: string) =>
    patchComponent(marquee, id, { group_id: "group-home-watch" }, "group_id");

  // The home page: banner, promo, coming, filter, matches, calendar, [finals, highlights], teams …
  test.each([
    ["a second filter", toFilter, "banner-home", "PAGE_FILTER_LIMIT"],
    ["a component apart from its group", toGroup, "banner-home", "GROUP_NOT_ADJACENT"],
    ["the page's filter in a group elsewhere", toGroup, "filter-home", "GROUP_NOT_ADJACENT"],
  ])("%s is refused, and nothing is written", async (_, write, id, reason) => {
    const before = await readComponent(marquee, id);
    const got = await write(id);
    expect([...refusal(got), got.json.code]).toEqual([400, reason, 9]);
    const { component_ids, group_id } = metadataOf(got) ?? {};
    if (write === toGroup) expect(group_id).toBe("group-home-watch");
    else expect(component_ids?.split(",").sort()).toEqual([id, "filter-home"].sort());
    expect((await readComponent(marquee, id)).text).toBe(before.text);
  });

  test("a component next to the group joins it on either side", async () => {
    for (const id of ["calendar-home", "rail-home-teams"]) {
      const got = await toGroup(id);
      expect([got.status, got.json.page_component?.group_id]).toEqual([200, "group-home-watch"]);
    }
  });

  test("the place of the filter is free again once it has become something else", async () => {
    expect((await toFilter("text-match")).status).toBe(200);
    expect(reasonOf(await toFilter("standings-match"))).toBe("PAGE_FILTER_LIMIT");
    const away = { type: "text", text: {} };
    expect((await patchComponent(marquee, "text-match", away, "type,text")).status).toBe(200);
    expect((await toFilter("standings-match")).status).toBe(200);
  });

  test("two that want the place at the same moment: one gets it", async () => {
    const ids = ["banner-team", "rail-team-matches", "rail-team-players", "rail-team-highlights"];
    const got = await Promise.all(ids.map(toFilter));
    expect(got.map((it) => it.status).sort()).toEqual([200, 400, 400, 400]);
  });
});

for (const face of STUDIO_FACES) {
  const { callPages, make, read } = letterPages(marquee, face);

  describe(`the order of a page over ${face}`, () => {
    const reorder = (pageId: string, names: string, headers = {}) =>
      callPages(
        "ReorderPageComponents",
        { pageId, pageComponentIds: Array.from(names, (it) => `${pageId}-${it}`) },
        { headers },
      );

    test("is changed in one step, which the page's tag and time and delivery show", async () => {
      const pageId = await make("abcd", { a: "g", b: "g" });
      const before = await callPages("GetPage", { pageId });
      const tag = { "if-match": before.headers.get("etag") ?? "" };
      const got = await reorder(pageId, "dcba", tag);
      expect(got.status, got.text).toBe(200);
      expect(got.value.pageComponentIds.map((it: string) => it.at(-1)).join("")).toBe("dcba");
      expect(await read(pageId)).toEqual(["dcba", "dcba"]);
      const after = await callPages("GetPage", { pageId });
      expect(after.value.page).toEqual(got.value.page);
      expect(after.headers.get("etag")).toBe(got.headers.get("etag"));
      expect(after.headers.get("etag")).not.toBe(before.headers.get("etag"));
      expect(after.value.page.updateTime > before.value.page.updateTime).toBe(true);
      expect(refusal(await reorder(pageId, "abcd", tag))).toEqual([409, "ETAG_MISMATCH"]);
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
  });
}
