import { expect } from "vitest";
import type { PageComponent } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { Code } from "../../../src/domain/base/errors.ts";
import type { PagePlace } from "../../../src/domain/pages/components/layout.ts";
import type { Stored } from "../../../src/storage/contract/document-store.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { createEndlessBudget } from "../slow-budget.ts";
import { createComponent, createSmallDataset, IN_ALPHA } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

const NOT_FOUND = { code: Code.NOT_FOUND, reason: "RESOURCE_NOT_FOUND" };
const ERROR = new Error("no");
const reject = () => {
  throw ERROR;
};
const allow = () => {};
const END = { pageId: "page-1" };
const FILTER = { type: "filter", data: { case: "filter", value: {} } } as const;

/** The page `page-1` with the components `a` and `b` of one group and the filter `f`, and others. */
const DATA = createSmallDataset({
  pages: [
    {
      page: createPage("page-1", "home"),
      components: [
        createComponent("a", { groupId: "g" }),
        createComponent("b", { groupId: "g" }),
        createComponent("f", FILTER),
      ],
    },
    {
      page: createPage("page-2", "other"),
      components: [createComponent("z", {}), createComponent("y", {})],
    },
    {
      page: createPage("page-3", "long"),
      components: Array.from({ length: 100 }, (_, index) => createComponent(`c-${index}`, {})),
    },
  ],
});

/** Holds the store of page components: what reads, creates, changes, moves and deletes them. */
export function pageComponentContract(scenario: Scenario): void {
  const stored = (store: Store) => store.in("acme").pageComponents;

  scenario("ids that exist are found once, others are left out", DATA, async (store) => {
    expect(await stored(store).getMany([])).toEqual([]);
    const found = await stored(store).getMany(["f", "nothing", "A", "a", "", "a"]);
    expect(found.map((it) => it.value.id).sort()).toEqual(["a", "f"]);
    const filter = found.find((it) => it.value.id === "f");
    expect(filter?.value).toEqual(DATA.pages[0]?.components[2]);
    const ids = Array.from({ length: 100 }, (_, index) => `c-${index}`);
    const many = await stored(store).getMany(ids);
    expect(many.map((it) => it.value.id).sort()).toEqual([...ids].sort());
  });

  scenario("a page of much less than 64 MiB takes a large component", DATA, async (store) => {
    const name = "x".repeat(100_000);
    await stored(store).update("a", ({ value }) => ({ ...value, name }), allow);
    const [found] = await stored(store).getMany(["a"]);
    expect(found?.value.name).toBe(name);
  });

  /** Moves a component to another group and returns the places that are checked. */
  const changeGroup = async (store: Store, id: string, groupId: string) => {
    let seen: readonly PagePlace[] = [];
    const change = ({ value }: Stored<PageComponent>) => ({ ...value, groupId });
    await stored(store).update(id, change, (page) => {
      seen = page;
    });
    return seen;
  };

  scenario("a change of a place sees its page in order, as it becomes", DATA, async (store) => {
    expect(await changeGroup(store, "b", "h")).toEqual([
      { id: "a", groupId: "g", isFilter: false },
      { id: "b", groupId: "h", isFilter: false },
      { id: "f", groupId: "", isFilter: true },
    ]);
    expect(idsOf(await changeGroup(store, "y", "h"))).toBe("zy");
    await stored(store).update("a", () => createComponent("a", FILTER));
    await stored(store).update("f", () => createComponent("f", { groupId: "h" }));
    const seen = await changeGroup(store, "b", "i");
    expect(seen.map((it) => [it.groupId, it.isFilter])).toEqual([
      ["", true],
      ["i", false],
      ["h", false],
    ]);
  });

  scenario("what rejects a page as it becomes undoes the change", DATA, async (store) => {
    const components = stored(store);
    const before = await components.get("b");
    for (const change of [
      () => createComponent("b", { ...FILTER, groupId: "g" }),
      ({ value }: Stored<PageComponent>) => ({ ...value, groupId: "h" }),
    ]) {
      await expect(components.update("b", change, reject)).rejects.toBe(ERROR);
    }
    await expect(components.update("b", reject)).rejects.toBe(ERROR);
    expect(await components.get("b")).toEqual(before);
    // A change that moves nothing is not checked.
    await components.update("b", ({ value }) => ({ ...value, name: "New" }), reject);
    expect((await components.get("b")).value.name).toBe("New");
  });

  scenario("an update is returned as it is then read", DATA, async (store) => {
    const want = createComponent("a", { name: "Häuptling 😀", cssClasses: ["a"], groupId: "g" });
    const returned = await stored(store).update("a", () => want);
    expect(returned.value).toEqual(want);
    expect(await stored(store).getMany(["a"])).toEqual([returned]);
    await expect(stored(store).update("no", ({ value }) => value)).rejects.toMatchObject(NOT_FOUND);
  });

  scenario("revisions differ after every change", DATA, async (store) => {
    const seen = new Set<number>([1]);
    for (let round = 0; round < 3; round += 1) {
      for (const id of ["a", "b"]) {
        const groupId = `group-${round}`;
        const updated = await stored(store).update(id, ({ value }) => ({ ...value, groupId }));
        expect(seen.has(updated.revision)).toBe(false);
        seen.add(updated.revision);
        expect(await stored(store).update(id, ({ value }) => ({ ...value }))).toEqual(updated);
      }
    }
  });

  for (const [position, want] of [
    [undefined, "abfx"],
    [0, "xabf"],
    [1, "axbf"],
    [3, "abfx"],
    [99, "abfx"],
  ] as const) {
    const where = position ?? "no place";
    scenario(`a component that is created at ${where} lies there`, DATA, async (store) => {
      const place = { ...END, ...(position !== undefined && { position }) };
      let seen = "";
      const component = createComponent("x", { name: "New" });
      const created = await stored(store).create(component, place, (page) => {
        seen = idsOf(page);
      });
      expect(created.value).toEqual(component);
      expect(await stored(store).get("x")).toEqual(created);
      expect([seen, ...(await readPages(store))]).toEqual([want, want, "zy"]);
      for (const [index, id] of [...want].entries()) {
        expect(await stored(store).locate(id)).toEqual({ pageId: "page-1", position: index });
      }
    });
  }

  scenario("what may not be created is not kept", DATA, async (store) => {
    const place = { ...END, position: 0 };
    const component = createComponent("x", {});
    await expect(stored(store).create(component, place, reject)).rejects.toBe(ERROR);
    await expect(stored(store).get("x")).rejects.toMatchObject(NOT_FOUND);
    // An id is that of one component of all pages.
    for (const id of ["a", "z"]) {
      await expect(stored(store).create(createComponent(id, {}), END, allow)).rejects.toMatchObject(
        { code: Code.ALREADY_EXISTS },
      );
    }
    expect(await readPages(store)).toEqual(["abf", "zy"]);
  });

  scenario("those behind a deleted component move up", DATA, async (store) => {
    let left: readonly PagePlace[] = [];
    const before = await stored(store).get("a");
    await expect(stored(store).delete("a", reject)).rejects.toBe(ERROR);
    await stored(store).delete("a", (current, page) => {
      expect(current).toEqual(before);
      left = page;
    });
    expect([idsOf(left), ...(await readPages(store))]).toEqual(["bf", "bf", "zy"]);
    expect(await stored(store).locate("f")).toEqual({ pageId: "page-1", position: 1 });
    for (const ask of [
      () => stored(store).get("a"),
      () => stored(store).locate("a"),
      () => stored(store).delete("a", allow),
    ]) {
      await expect(ask()).rejects.toMatchObject(NOT_FOUND);
    }
    await stored(store).create(createComponent("a", {}), END, allow);
    expect(await readPages(store)).toEqual(["bfa", "zy"]);
    expect((await stored(store).get("a")).revision).not.toBe(before.revision);
  });

  for (const want of ["abf", "fba", "bfa", "afb"]) {
    scenario(`a page is put in the order ${want}`, DATA, async (store) => {
      await expect(stored(store).reorder("page-1", reject)).rejects.toBe(ERROR);
      expect(await readPages(store)).toEqual(["abf", "zy"]);
      await stored(store).reorder("page-1", (page) => {
        expect(idsOf(page)).toBe("abf");
        return [...want];
      });
      expect(await readPages(store)).toEqual([want, "zy"]);
    });
  }

  scenario("a list goes on where a page of it ended", DATA, async (store) => {
    const order = { field: "position", direction: "asc" } as const;
    const budget = createEndlessBudget();
    const query = { parentIds: ["page-1"], order, limit: 2, now: new Date(0), budget };
    const { values, next } = await stored(store).list(query);
    expect(idsOf(values)).toBe("ab");
    const second = await stored(store).list({ ...query, ...(next && { after: next }) });
    expect([idsOf(second.values), second.next]).toEqual(["f", undefined]);
  });

  for (const [direction, first, rest] of [
    ["asc", ["c-0", "c-1", "c-2"], "c-3"],
    ["desc", ["c-99", "c-98", "c-97"], "c-96"],
  ] as const) {
    scenario(
      `a list goes on behind its last component, ${direction}, whatever comes and goes`,
      DATA,
      async (store) => {
        const order = { field: "position", direction };
        const budget = createEndlessBudget();
        const query = { parentIds: ["page-3"], order, limit: 3, now: new Date(0), budget };
        const { values, next } = await stored(store).list(query);
        expect(values.map(({ id }) => id)).toEqual(first);
        const readNext = async () => {
          const { values } = await stored(store).list({ ...query, ...(next && { after: next }) });
          return values[0]?.id;
        };
        await stored(store).delete("c-50", allow);
        await stored(store).create(
          createComponent("new", {}),
          { pageId: "page-3", position: 0 },
          allow,
        );
        expect(await readNext()).toBe(rest);
        for (const id of ["new", first[0]]) await stored(store).delete(id, allow);
        expect(await readNext()).toBe(rest);
        const last = first[2];
        await stored(store).create(
          createComponent("other", {}),
          { pageId: "page-3", position: 0 },
          allow,
        );
        await stored(store).delete(last, allow);
        expect(await readNext()).toBe(rest);
      },
    );
  }

  scenario("what a component shows is referred to until it is gone", DATA, async (store) => {
    const shown = { kind: "banner_collection", id: "banner_collection-1", ...IN_ALPHA };
    const referrers = () => store.referrers.list(shown, 9);
    const component = (id: string) =>
      createComponent("x", {
        type: "banner_collection_v2",
        data: { case: "bannerCollectionV2", value: { id } },
      });
    await stored(store).create(component(shown.id), END, allow);
    const from = [{ kind: "page_component", id: "x" }];
    expect(await referrers()).toEqual(from);
    expect(await store.referrers.list({ ...shown, projectId: "beta" }, 9)).toEqual([]);
    for (const broken of ["{", "}", "{id", "{a b}", "banners-{id}", ""]) {
      await stored(store).update("x", () => component(broken));
      expect(await referrers()).toEqual([]);
    }
    await stored(store).update("x", () => component(shown.id));
    expect(await referrers()).toEqual(from);
    await stored(store).delete("x", allow);
    expect(await referrers()).toEqual([]);
  });

  scenario("a slug is that of one page of a project", DATA, async (store) => {
    const taken = { code: Code.ALREADY_EXISTS, metadata: { field: "page.slug" } };
    const { page } = store.in("acme").documents;
    const rename = (id: string) => page.update(id, ({ value }) => ({ ...value, slug: "home" }));
    await expect(page.create(createPage("page-4", "home"))).rejects.toMatchObject(taken);
    await expect(rename("page-2")).rejects.toMatchObject(taken);
    await rename("page-1");
    await page.create({ ...createPage("page-4", "home"), projectId: "beta" });
    await page.delete("page-1", allow);
    await rename("page-2");
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

/** The ids of the components of the first two pages in page order. */
function readPages(store: Store): Promise<string[]> {
  const order = { field: "position", direction: "asc" } as const;
  const list = async (pageId: string) => {
    const query = { parentIds: [pageId], order, limit: 100, now: new Date(0) };
    const budget = createEndlessBudget();
    return idsOf((await store.in("acme").pageComponents.list({ ...query, budget })).values);
  };
  return Promise.all(["page-1", "page-2"].map(list));
}
