import { describe, expect, test } from "vitest";
import { metadataOf, reasonOf } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { letterPages } from "./letter-pages.ts";
import { faultOf, STUDIO_FACES } from "./studio.ts";

const marquee = await useMarquee();

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
      const got = await reorder(pageId, "acb");
      expect([got.status, reasonOf(got)]).toEqual([400, "GROUP_NOT_ADJACENT"]);
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
      const got = await reorder(pageId, "ab", tag);
      expect([got.status, reasonOf(got)]).toEqual([409, "ETAG_MISMATCH"]);
      expect(await read(pageId)).toEqual(["ba", "ba"]);
    });
  });
}
