import { describe, expect, test } from "vitest";
import { PageService } from "../../../gen/svc/studio/ott/page/v1/page_service_pb.ts";
import { PageComponentService } from "../../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import { metadataOf, reasonOf, rejection } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import type { JsonMessage } from "../methods.ts";
import { playCases, toWriteCases } from "../play-cases.ts";
import { callStudio, errorOf } from "../studio.ts";
import { componentsOf, getPage, patchComponent, readComponent } from "./pages.ts";

const marquee = await useMarquee();

/** A text that everybody sees. */
const letter = (fields: JsonMessage = {}): JsonMessage => ({
  projectId: "worldcup",
  type: "text",
  visibility: "VISIBILITY_PUBLISHED",
  text: { html: "<p>Hi</p>" },
  ...fields,
});

const call = callStudio(marquee, PageComponentService);
const callPages = callStudio(marquee, PageService);

let pages = 0;

/** Creates the component `<page>-<name>`; without a name the service makes its id. */
const add = (pageId: string, name: string, fields: JsonMessage = {}, position?: number) =>
  call("CreatePageComponent", {
    ...{ pageComponent: letter(fields), pageId },
    ...(name !== "" && { pageComponentId: `${pageId}-${name}` }),
    ...(position !== undefined && { position }),
  });

/** Creates a page with components named by letters, some of them in groups. */
async function make(letters = "", groups: Readonly<Record<string, string>> = {}): Promise<string> {
  pages += 1;
  const pageId = `p${pages}`;
  const page = { projectId: "worldcup", slug: pageId, visibility: "VISIBILITY_PUBLISHED" };
  const got = await callPages("CreatePage", { page, pageId });
  expect(got.status, got.text).toBe(200);
  for (const name of letters) {
    const made = await add(pageId, name, { groupId: groups[name] ?? "" });
    expect(made.status, made.text).toBe(200);
  }
  return pageId;
}

/** Returns the letters of a page, as the Studio API lists them and as delivery shows them. */
async function read(pageId: string): Promise<[managed: string, shown: string]> {
  const { value } = await call("ListPageComponents", { pageId });
  const shown = componentsOf(await getPage(marquee, { id: pageId }));
  const managed: readonly { readonly id: string }[] = value.pageComponents ?? [];
  const toLetters = (ids: readonly string[]) =>
    ids.map((id) => id.slice(pageId.length + 1)).join("");
  return [toLetters(managed.map(({ id }) => id)), toLetters([...shown.keys()])];
}

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

describe("a page component", () => {
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
      const got = await add(pageId, name, {}, position);
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
    const rejected = await call("CreatePageComponent", { pageComponent: letter() });
    expect(rejection(rejected)).toEqual([400, "FIELD_REQUIRED"]);
    expect(rejection(await add("nowhere", ""))).toEqual([404, "RESOURCE_NOT_FOUND"]);
    const got = await add(pageId, "", {}, -1);
    expect(errorOf(got)).toEqual([400, "VALUE_OUT_OF_RANGE", "position"]);
  });

  test("is the 100th of its page, and never the 101st", async () => {
    const pageId = await make();
    const ids: string[] = [];
    for (let count = 0; count < 99; count += 1) {
      const made = await add(pageId, `n${count}`, {}, 0);
      expect(made.status, made.text).toBe(200);
      ids.push(`${pageId}-n${count}`);
    }
    const fields = { projectId: "worldcup", type: "text", text: {} };
    const rehearse = () =>
      call("CreatePageComponent", { pageComponent: fields, pageId, validateOnly: true });
    expect((await rehearse()).status).toBe(200);
    expect((await add(pageId, "last")).status).toBe(200);
    for (const rejected of [
      await rehearse(),
      await add(pageId, "one-more"),
      await add(pageId, "one-more", {}, 0),
    ]) {
      expect(rejection(rejected)).toEqual([400, "PAGE_COMPONENT_LIMIT"]);
      expect(metadataOf(rejected)).toMatchObject({ limit: "100" });
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
    expect(rejection(await add(pageId, "", {}, 1))).toEqual([400, "GROUP_NOT_ADJACENT"]);
    const apart = await add(pageId, "c");
    expect(apart.status).toBe(200);
    const rejected = await add(pageId, "", { groupId: "g" });
    expect(rejection(rejected)).toEqual([400, "GROUP_NOT_ADJACENT"]);
    const filter = await add(pageId, "f", { ...FILTER, groupId: "g" }, 1);
    expect(filter.status, filter.text).toBe(200);
    expect(rejection(await add(pageId, "", FILTER))).toEqual([400, "PAGE_FILTER_LIMIT"]);
    expect(await read(pageId)).toEqual(["afbc", "afbc"]);
  });
});

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
  ])("%s is rejected, and nothing is written", async (_, write, id, reason) => {
    const before = await readComponent(marquee, id);
    const got = await write(id);
    expect([...rejection(got), got.json.code]).toEqual([400, reason, 9]);
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

describe("the order of a page", () => {
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
    expect(rejection(await reorder(pageId, "abcd", tag))).toEqual([409, "ETAG_MISMATCH"]);
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
      expect(errorOf(got)).toEqual([400, "ORDER_INCOMPLETE", "page_component_ids"]);
      expect(metadataOf(got)).toMatchObject(want);
    }
    expect(await read(pageId)).toEqual(["abc", "abc"]);
  });

  test("keeps groups together, and changes nothing where it does not", async () => {
    const pageId = await make("abc", { a: "g", b: "g" });
    const before = await callPages("GetPage", { pageId });
    expect(rejection(await reorder(pageId, "acb"))).toEqual([400, "GROUP_NOT_ADJACENT"]);
    const after = await callPages("GetPage", { pageId });
    expect([after.value, after.headers.get("etag")]).toEqual([
      before.value,
      before.headers.get("etag"),
    ]);
  });
});
