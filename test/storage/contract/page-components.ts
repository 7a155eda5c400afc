import { expect } from "vitest";
import type { PageComponent } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { Code } from "../../../src/domain/errors.ts";
import type { PagePlace } from "../../../src/domain/pages/components/layout.ts";
import type { Store } from "../../../src/storage/store.ts";
import type { Stored } from "../../../src/storage/stored.ts";
import { createComponent, createSmallDataset } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

/** Holds the store of page components. */
export function pageComponentContract(scenario: Scenario): void {
  const data = createSmallDataset();

  scenario("no ids find nothing", data, async (store) => {
    expect(await store.in("acme").pageComponents.getMany([])).toEqual([]);
  });

  scenario("ids that exist are found once, others are left out", data, async (store) => {
    const ids = ["page_component-3", "nothing", "Page_component-1", "page_component-1", ""];
    const found = await store.in("acme").pageComponents.getMany([...ids, "page_component-1"]);
    expect(found.map((it) => it.value.id).sort()).toEqual(["page_component-1", "page_component-3"]);
    const whole = found.find((it) => it.value.id === "page_component-3");
    expect(whole?.value).toEqual(data.pages[0]?.components[2]);
  });

  scenario("a hundred ids in a list are found", MANY, async (store) => {
    const ids = Array.from({ length: 100 }, (_, index) => `c-${index}`);
    const found = await store.in("acme").pageComponents.getMany(ids);
    expect(found.map((it) => it.value.id).sort()).toEqual([...ids].sort());
  });

  /** Moves a component to another group and returns the places that are checked. */
  const changeGroup = async (store: Store, id: string, groupId: string) => {
    let seen: readonly PagePlace[] = [];
    await store.in("acme").pageComponents.update(
      id,
      ({ value }) => ({ ...value, groupId }),
      (page) => {
        seen = page;
      },
    );
    return seen;
  };

  scenario("a change of a place sees its page in order, as it becomes", data, async (store) => {
    expect(await changeGroup(store, "page_component-2", "h")).toEqual([
      { id: "page_component-1", groupId: "g", isFilter: false },
      { id: "page_component-2", groupId: "h", isFilter: false },
      { id: "page_component-3", groupId: "", isFilter: true },
    ]);
  });

  scenario("the page follows what is changed", data, async (store) => {
    await store.in("acme").pageComponents.update("page_component-1", () =>
      createComponent("page_component-1", {
        type: "filter",
        data: { case: "filter", value: {} },
        groupId: "",
      }),
    );
    await store
      .in("acme")
      .pageComponents.update("page_component-3", () =>
        createComponent("page_component-3", { groupId: "h" }),
      );
    const seen = await changeGroup(store, "page_component-2", "i");
    expect(seen.map((it) => [it.groupId, it.isFilter])).toEqual([
      ["", true],
      ["i", false],
      ["h", false],
    ]);
  });

  scenario(
    "a page is checked when a place changes, and what refuses it undoes it",
    data,
    async (store) => {
      const { pageComponents } = store.in("acme");
      const before = await pageComponents.getMany(["page_component-2"]);
      const fault = new Error("no");
      const refuse = () => {
        throw fault;
      };
      const toFilter = createComponent("page_component-2", {
        ...{ type: "filter", data: { case: "filter", value: {} }, groupId: "g" },
      });
      for (const change of [
        () => toFilter,
        ({ value }: Stored<PageComponent>) => ({ ...value, groupId: "h" }),
      ]) {
        await expect(pageComponents.update("page_component-2", change, refuse)).rejects.toBe(fault);
        expect(await pageComponents.getMany(["page_component-2"])).toEqual(before);
      }
      await pageComponents.update(
        "page_component-2",
        ({ value }) => ({ ...value, name: "New" }),
        refuse,
      );
      expect((await pageComponents.get("page_component-2")).value.name).toBe("New");
    },
  );

  scenario("a page of another component stays out", TWO_PAGES, async (store) => {
    const seen = await changeGroup(store, "second-2", "h");
    expect(seen.map((it) => it.id)).toEqual(["second-2", "second-1"]);
  });

  scenario("an update is answered as it is then read", data, async (store) => {
    const want = createComponent("page_component-1", { name: "Häuptling 😀", cssClasses: ["a"] });
    const answered = await store.in("acme").pageComponents.update("page_component-1", () => want);
    const [read] = await store.in("acme").pageComponents.getMany(["page_component-1"]);
    expect(answered.value).toEqual(want);
    expect(read).toEqual(answered);
  });

  scenario("an update of nothing is NOT_FOUND", data, async (store) => {
    await expect(
      store.in("acme").pageComponents.update("page_component-4", ({ value }) => value),
    ).rejects.toMatchObject({ code: Code.NOT_FOUND, reason: "RESOURCE_NOT_FOUND" });
  });

  scenario("what a change throws undoes it", data, async (store) => {
    const fault = new Error("no");
    const before = await store.in("acme").pageComponents.getMany(["page_component-1"]);
    await expect(
      store.in("acme").pageComponents.update("page_component-1", () => {
        throw fault;
      }),
    ).rejects.toBe(fault);
    expect(await store.in("acme").pageComponents.getMany(["page_component-1"])).toEqual(before);
  });

  scenario("revisions differ after every change", data, async (store) => {
    const seen = new Set<number>([1]);
    for (let round = 0; round < 3; round += 1) {
      for (const id of ["page_component-1", "page_component-2"]) {
        const updated = await store.in("acme").pageComponents.update(id, ({ value }) => ({
          ...value,
          groupId: `group-${round}`,
        }));
        expect(seen.has(updated.revision)).toBe(false);
        seen.add(updated.revision);
        const same = await store
          .in("acme")
          .pageComponents.update(id, ({ value }) => ({ ...value }));
        expect(same).toEqual(updated);
      }
    }
  });
}

const [PAGE] = createSmallDataset().pages;

const MANY = createSmallDataset({
  pages: PAGE
    ? [
        {
          page: PAGE.page,
          components: Array.from({ length: 100 }, (_, index) => createComponent(`c-${index}`, {})),
        },
      ]
    : [],
});

const TWO_PAGES = createSmallDataset({
  pages: PAGE
    ? [
        PAGE,
        {
          page: { ...PAGE.page, id: "page-2", slug: "second" },
          components: [createComponent("second-2", {}), createComponent("second-1", {})],
        },
      ]
    : [],
});
