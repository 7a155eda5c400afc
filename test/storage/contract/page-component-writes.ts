import { expect } from "vitest";
import { Code } from "../../../src/domain/errors.ts";
import type { PagePlace } from "../../../src/domain/pages/components/layout.ts";
import type { Store } from "../../../src/storage/store.ts";
import { createComponent, createSmallDataset, IN_ALPHA } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

const NOT_FOUND = { code: Code.NOT_FOUND, reason: "RESOURCE_NOT_FOUND" };
const FAULT = new Error("no");
const refuse = () => {
  throw FAULT;
};
const allow = () => {};

/** Holds the store of page components to what creates, moves and deletes them. */
export function pageComponentWriteContract(scenario: Scenario): void {
  const data = createSmallDataset({
    pages: [
      {
        page: createPage("page-1", "home"),
        components: ["a", "b", "c"].map((id) => createComponent(id, {})),
      },
      { page: createPage("page-2", "other"), components: [createComponent("z", {})] },
    ],
  });

  for (const [position, want] of [
    [undefined, "abcx"],
    [0, "xabc"],
    [1, "axbc"],
    [3, "abcx"],
    [99, "abcx"],
  ] as const) {
    scenario(
      `a component that is created at ${position ?? "no place"} lies there`,
      data,
      async (store) => {
        const place = { pageId: "page-1", ...(position !== undefined && { position }) };
        let seen = "";
        const component = createComponent("x", { name: "New" });
        const created = await store.in("acme").pageComponents.create(component, place, (page) => {
          seen = idsOf(page);
        });
        expect(created.value).toEqual(component);
        expect(await store.in("acme").pageComponents.get("x")).toEqual(created);
        expect([seen, await readPage(store, "page-1"), await readPage(store, "page-2")]).toEqual([
          want,
          want,
          "z",
        ]);
        for (const [index, id] of [...want].entries()) {
          const located = await store.in("acme").pageComponents.locate(id);
          expect(located).toEqual({ pageId: "page-1", position: index });
        }
      },
    );
  }

  scenario("what is created where it may not be is not kept", data, async (store) => {
    const component = createComponent("x", {});
    const place = { pageId: "page-1", position: 0 };
    await expect(store.in("acme").pageComponents.create(component, place, refuse)).rejects.toBe(
      FAULT,
    );
    await expect(store.in("acme").pageComponents.get("x")).rejects.toMatchObject(NOT_FOUND);
    expect(await readPage(store, "page-1")).toBe("abc");
  });

  scenario("an id is that of one component of all pages", data, async (store) => {
    for (const id of ["a", "z"]) {
      const component = createComponent(id, {});
      await expect(
        store.in("acme").pageComponents.create(component, { pageId: "page-1" }, allow),
      ).rejects.toMatchObject({ code: Code.ALREADY_EXISTS });
    }
    expect([await readPage(store, "page-1"), await readPage(store, "page-2")]).toEqual([
      "abc",
      "z",
    ]);
  });

  scenario("those behind a deleted component move up", data, async (store) => {
    let left: readonly PagePlace[] = [];
    const before = await store.in("acme").pageComponents.get("b");
    await store.in("acme").pageComponents.delete("b", (current, page) => {
      expect(current).toEqual(before);
      left = page;
    });
    expect([idsOf(left), await readPage(store, "page-1")]).toEqual(["ac", "ac"]);
    expect(await store.in("acme").pageComponents.locate("c")).toEqual({
      pageId: "page-1",
      position: 1,
    });
    for (const ask of [
      () => store.in("acme").pageComponents.get("b"),
      () => store.in("acme").pageComponents.locate("b"),
      () => store.in("acme").pageComponents.delete("b", allow),
    ]) {
      await expect(ask()).rejects.toMatchObject(NOT_FOUND);
    }
    await store
      .in("acme")
      .pageComponents.create(createComponent("b", {}), { pageId: "page-1" }, allow);
    expect(await readPage(store, "page-1")).toBe("acb");
    expect((await store.in("acme").pageComponents.get("b")).revision).not.toBe(before.revision);
  });

  scenario("what must not be deleted stays", data, async (store) => {
    await expect(store.in("acme").pageComponents.delete("a", refuse)).rejects.toBe(FAULT);
    expect(await readPage(store, "page-1")).toBe("abc");
  });

  for (const want of ["abc", "cba", "bca", "acb"]) {
    scenario(`a page is put in the order ${want}`, data, async (store) => {
      await store.in("acme").pageComponents.reorder("page-1", (page) => {
        expect(idsOf(page)).toBe("abc");
        return [...want];
      });
      expect([await readPage(store, "page-1"), await readPage(store, "page-2")]).toEqual([
        want,
        "z",
      ]);
    });
  }

  scenario("an order that is refused changes nothing", data, async (store) => {
    await expect(store.in("acme").pageComponents.reorder("page-1", refuse)).rejects.toBe(FAULT);
    expect(await readPage(store, "page-1")).toBe("abc");
  });

  scenario("a list goes on where a page of it ended", data, async (store) => {
    const query = {
      parentIds: ["page-1"],
      order: { field: "position", direction: "asc" } as const,
      limit: 2,
      now: new Date(0),
    };
    const first = await store.in("acme").pageComponents.list(query);
    expect(idsOf(first.values)).toBe("ab");
    const after = first.next;
    if (after === undefined) throw new Error("there is no more");
    const second = await store.in("acme").pageComponents.list({ ...query, after });
    expect([idsOf(second.values), second.next]).toEqual(["c", undefined]);
  });

  scenario("what a component shows is referred to until it is gone", data, async (store) => {
    const shown = { type: "banner_collection", id: "banner_collection-1", ...IN_ALPHA };
    const referrers = () => store.referrers.list(shown, 9);
    const component = (id: string) =>
      createComponent("x", {
        type: "banner_collection_v2",
        data: { case: "bannerCollectionV2", value: { id } },
      });
    await store.in("acme").pageComponents.create(component(shown.id), { pageId: "page-1" }, allow);
    const from = [{ type: "page_component", id: "x" }];
    expect(await referrers()).toEqual(from);
    expect(await store.referrers.list({ ...shown, projectId: "beta" }, 9)).toEqual([]);
    for (const broken of ["{", "}", "{id", "{a b}", "banners-{id}", ""]) {
      await store.in("acme").pageComponents.update("x", () => component(broken));
      expect(await referrers()).toEqual([]);
    }
    await store.in("acme").pageComponents.update("x", () => component(shown.id));
    expect(await referrers()).toEqual(from);
    await store.in("acme").pageComponents.delete("x", allow);
    expect(await referrers()).toEqual([]);
  });

  scenario("a page is deleted with its components", data, async (store) => {
    await store.in("acme").documents.page.delete("page-1", allow);
    expect(await store.in("acme").pageComponents.getMany(["a", "b", "c"])).toEqual([]);
    expect(await readPage(store, "page-2")).toBe("z");
  });

  scenario("a slug is that of one page of a project", data, async (store) => {
    const taken = { code: Code.ALREADY_EXISTS, metadata: { field: "page.slug" } };
    const { page } = store.in("acme").documents;
    await expect(page.create(createPage("page-3", "home"))).rejects.toMatchObject(taken);
    await expect(
      page.update("page-2", ({ value }) => ({ ...value, slug: "home" })),
    ).rejects.toMatchObject(taken);
    await page.update("page-1", ({ value }) => ({ ...value, slug: "home" }));
    await page.create({ ...createPage("page-3", "home"), projectId: "beta" });
    await page.delete("page-1", allow);
    await page.update("page-2", ({ value }) => ({ ...value, slug: "home" }));
  });
}

function createPage(id: string, slug: string) {
  const [record] = createSmallDataset().pages;
  if (record === undefined) throw new Error("there is no page");
  return { ...record.page, id, slug };
}

function idsOf(items: readonly { readonly id: string }[]): string {
  return items.map(({ id }) => id).join("");
}

/** The ids of a page's components in page order. */
async function readPage(store: Store, pageId: string): Promise<string> {
  const order = { field: "position", direction: "asc" } as const;
  const query = { parentIds: [pageId], order, limit: 100, now: new Date(0) };
  return idsOf((await store.in("acme").pageComponents.list(query)).values);
}
