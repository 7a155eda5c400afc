import { describe, expect, test } from "vitest";
import { metadataOf, reasonOf } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { playCases, toWriteCases } from "./cases.ts";
import { letter, letterPages } from "./letter-pages.ts";
import { getPage } from "./pages.ts";
import { faultOf, STUDIO_FACES } from "./studio.ts";

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
      const without = await call("CreatePageComponent", { pageComponent: letter() });
      expect([without.status, reasonOf(without)]).toEqual([400, "FIELD_REQUIRED"]);
      const nowhere = await add("nowhere", "");
      expect([nowhere.status, reasonOf(nowhere)]).toEqual([404, "RESOURCE_NOT_FOUND"]);
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
        expect([refused.status, reasonOf(refused)]).toEqual([400, "PAGE_COMPONENT_LIMIT"]);
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
      const torn = await add(pageId, "", { position: 1 });
      expect([torn.status, reasonOf(torn)]).toEqual([400, "GROUP_NOT_ADJACENT"]);
      const apart = await add(pageId, "c");
      expect(apart.status).toBe(200);
      const late = await add(pageId, "", { fields: { groupId: "g" } });
      expect([late.status, reasonOf(late)]).toEqual([400, "GROUP_NOT_ADJACENT"]);
      const filter = await add(pageId, "f", {
        fields: { ...FILTER, groupId: "g" },
        position: 1,
      });
      expect(filter.status, filter.text).toBe(200);
      const second = await add(pageId, "", { fields: FILTER });
      expect([second.status, reasonOf(second)]).toEqual([400, "PAGE_FILTER_LIMIT"]);
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
        const got = await call("CreatePageComponent", message);
        expect([got.status, reasonOf(got)]).toEqual([409, "ALREADY_EXISTS"]);
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
      const got = await call("ListPageComponents", moved);
      expect([got.status, reasonOf(got)]).toEqual([400, "PAGE_TOKEN_INVALID"]);
    });
  });
}
