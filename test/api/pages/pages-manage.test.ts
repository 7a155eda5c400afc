import { describe, expect, test } from "vitest";
import { PageService } from "../../../gen/svc/studio/ott/page/v1/page_service_pb.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { playCases, toWriteCases } from "../play-cases.ts";
import { callStudio, errorOf } from "../studio.ts";
import { getPage, listPages } from "./pages.ts";

const marquee = await useMarquee();

let count = 0;
/** A page that nothing else has the slug of. */
const fresh = <Fields extends object>(fields: Fields = {} as Fields) => {
  count += 1;
  return { projectId: "worldcup", slug: `page-${count}`, ...fields };
};

playCases(
  marquee,
  "a page",
  toWriteCases(
    {
      ...{ service: "ott.page.v1.PageService", noun: "page", id: "page-help" },
      resource: { projectId: "worldcup", slug: "refused" },
    },
    [
      [{ slug: "" }, "FIELD_REQUIRED slug"],
      [{ slug: "Home" }, "SLUG_INVALID slug"],
      [{ parameters: ["id", "id"] }, "PARAMETER_INVALID parameters[1]"],
      [{ parameters: ["event.id"] }, "PARAMETER_INVALID parameters[0]"],
      [{ title: { "": "Home" } }, "LANGUAGE_INVALID title"],
    ],
  ),
  async () => (await getPage(marquee, { id: "page-help" }, "preview")).json,
);

const call = callStudio(marquee, PageService);
const make = async (fields: object = {}, pageId = "") => {
  const got = await call("CreatePage", { page: fresh(fields), pageId });
  expect(got.status, got.text).toBe(200);
  return got;
};

describe("a page", () => {
  test("is delivered at once, and gone at once", async () => {
    const { value } = await make({ visibility: "VISIBILITY_PUBLISHED" });
    const { id, slug } = value.page;
    const shown = async () => {
      const list = await listPages(marquee, { pageSize: 100 });
      const one = await getPage(marquee, { slug });
      return [list.json.pages.some((it: { id: string }) => it.id === id), one.status];
    };
    expect(await shown()).toEqual([true, 200]);
    const hidden = { visibility: "VISIBILITY_HIDDEN" };
    await call("UpdatePage", { pageId: id, page: hidden, updateMask: "visibility" });
    expect(await shown()).toEqual([false, 404]);
    const published = { visibility: "VISIBILITY_PUBLISHED" };
    await call("UpdatePage", { pageId: id, page: published, updateMask: "visibility" });
    expect(await shown()).toEqual([true, 200]);
    await call("DeletePage", { pageId: id });
    expect(await shown()).toEqual([false, 404]);
  });

  test("has a slug that no other page of the project has", async () => {
    const [one, other] = [await make(), await make()];
    const { slug } = one.value.page;
    const pageId = other.value.page.id;
    const rejected = [
      await call("CreatePage", { page: { projectId: "worldcup", slug } }),
      await call("UpdatePage", { pageId, page: { slug }, updateMask: "slug" }),
    ];
    for (const got of rejected) {
      expect(errorOf(got)).toEqual([409, "ALREADY_EXISTS", "page.slug"]);
    }
    const same = await call("UpdatePage", {
      pageId: one.value.page.id,
      page: { slug },
      updateMask: "slug",
    });
    expect(same.status, same.text).toBe(200);
    const elsewhere = await call("CreatePage", { page: { projectId: "sandbox", slug } });
    expect(elsewhere.status, elsewhere.text).toBe(200);
    await call("DeletePage", { pageId: one.value.page.id });
    const freed = await call("UpdatePage", { pageId, page: { slug }, updateMask: "slug" });
    expect(freed.status, freed.text).toBe(200);
  });
});
