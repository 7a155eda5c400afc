import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect } from "vitest";
import type { PageRecord } from "../../../demo/data/dataset-records.ts";
import { PageObject, PageSchema } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import type { PageComponent } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { Code } from "../../../src/domain/base/errors.ts";
import type { OrderPlace } from "../../../src/domain/base/paging.ts";
import type { PageKey, PageVisibilityScope } from "../../../src/storage/contract/pages.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { ALPHA, BETA, createComponent, createSmallDataset } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

const { UNSPECIFIED, PUBLISHED, UNLISTED, HIDDEN } = Visibility;
const ALL: readonly Visibility[] = [UNSPECIFIED, PUBLISHED, UNLISTED, HIDDEN];
const SUBSETS = Array.from({ length: 2 ** ALL.length }, (_, bits) =>
  ALL.filter((_, index) => (bits & (1 << index)) !== 0),
);
const SCOPE: PageVisibilityScope = {
  projectId: ALPHA,
  at: undefined,
  visibilities: [PUBLISHED],
  componentVisibilities: [PUBLISHED],
};
const NOT_FOUND = { code: Code.NOT_FOUND, reason: "RESOURCE_NOT_FOUND" };

/** Holds the store of pages: by project, by the page's visibility and by its components'. */
export function pageContract(scenario: Scenario): void {
  const [whole] = DATA.pages;

  scenario("a page is found by id, slug and each component, alone", DATA, async (store) => {
    const scope = { ...SCOPE, componentVisibilities: ALL };
    for (const key of [
      { ...scope, id: "whole" },
      { ...scope, slug: "a" },
    ]) {
      expect(await store.pages.get(key)).toEqual(whole);
    }
    for (const componentId of IDS) {
      expect(await store.pages.get({ ...scope, componentId })).toEqual({
        page: whole?.page,
        components: whole?.components.filter(({ id }) => id === componentId),
      });
    }
  });

  scenario("a page is not found by what another key names", DATA, async (store) => {
    const keys: readonly PageKey[] = [
      ...["a", "Whole", "whole ", "", "%"].map((id) => ({ ...SCOPE, id })),
      ...["whole", "A", "", "beta"].map((slug) => ({ ...SCOPE, slug })),
      ...["whole", "a", "PUBLISHED", ""].map((componentId) => ({ ...SCOPE, componentId })),
    ];
    for (const key of keys) await expect(store.pages.get(key)).rejects.toMatchObject(NOT_FOUND);
  });

  scenario("a page of another project is not found", DATA, async (store) => {
    for (const projectId of [BETA, "Alpha", ""]) {
      const scope = {
        ...SCOPE,
        projectId,
        at: undefined,
        visibilities: ALL,
        componentVisibilities: ALL,
      };
      for (const key of [
        { ...scope, id: "whole" },
        { ...scope, componentId: "published" },
      ]) {
        await expect(store.pages.get(key)).rejects.toMatchObject(NOT_FOUND);
      }
      expect(await store.pages.getComponents({ ...scope, ids: IDS })).toEqual([]);
    }
    const beta = await store.pages.get({ ...SCOPE, projectId: BETA, slug: "a" });
    expect(beta.page.id).toBe("beta");
  });

  scenario("no page leaves the store with another visibility", DATA, async (store) => {
    for (const visibilities of SUBSETS) {
      for (const { page, components } of DATA.pages.filter((it) => it.page.projectId === ALPHA)) {
        const scope = { ...SCOPE, visibilities, componentVisibilities: ALL };
        const ids = components.map((it) => it.id);
        const isSeen = visibilities.includes(page.visibility);
        for (const key of [
          { ...scope, id: page.id },
          { ...scope, slug: page.slug },
          ...ids.map((componentId) => ({ ...scope, componentId })),
        ]) {
          const got = store.pages.get(key);
          if (isSeen) expect((await got).page.id).toBe(page.id);
          else await expect(got).rejects.toMatchObject(NOT_FOUND);
        }
        expect(await getIds(store, scope, ids)).toEqual(isSeen ? ids.toSorted() : []);
      }
    }
  });

  scenario("no component leaves the store with another visibility", DATA, async (store) => {
    for (const componentVisibilities of SUBSETS) {
      const scope = { ...SCOPE, componentVisibilities };
      const want = whole?.components.filter((it) => componentVisibilities.includes(it.visibility));
      const ids = want?.map((it) => it.id);
      const { page, components } = await store.pages.get({ ...scope, id: "whole" });
      expect([page, components]).toEqual([whole?.page, want]);
      expect(await getIds(store, scope, IDS)).toEqual(ids?.toSorted());
      for (const componentId of IDS) {
        const got = store.pages.get({ ...scope, componentId });
        const isOwn = ({ id }: PageComponent) => id === componentId;
        if (ids?.includes(componentId)) {
          expect((await got).components).toEqual(want?.filter(isOwn));
        } else await expect(got).rejects.toMatchObject(NOT_FOUND);
      }
    }
  });

  scenario("components are got by id, each once, from any page", DATA, async (store) => {
    const scope = { ...SCOPE, componentVisibilities: ALL, at: undefined, visibilities: ALL };
    expect(await store.pages.getComponents({ ...scope, ids: [] })).toEqual([]);
    const ids = ["hidden-page-1", "nothing", "published", "published", "PUBLISHED", "beta-1"];
    expect(await getIds(store, scope, ids)).toEqual(["hidden-page-1", "published"]);
  });

  scenario("a component that is hidden leaves its page at once", DATA, async (store) => {
    await store.in("acme").pageComponents.update("published", ({ value }) => ({
      ...value,
      visibility: HIDDEN,
    }));
    expect((await store.pages.get({ ...SCOPE, id: "whole" })).components).toEqual([]);
    const key = { ...SCOPE, componentId: "published" };
    await expect(store.pages.get(key)).rejects.toMatchObject(NOT_FOUND);
  });

  scenario("lists of every size and visibility hold all, by slug", DATA, async (store) => {
    for (const visibilities of SUBSETS) {
      const want = DATA.pages
        .filter((it) => it.page.projectId === ALPHA && visibilities.includes(it.page.visibility))
        .map((it) => it.page.slug);
      for (const limit of [1, 2, 3, 100]) {
        const lists = await readLists(store, visibilities, limit);
        expect(lists.flat()).toEqual(want);
        expect(lists.slice(0, -1).every((list) => list.length === limit)).toBe(true);
      }
    }
  });

  scenario("a list goes on behind a slug that is not there", DATA, async (store) => {
    const query = { projectId: ALPHA, at: undefined, visibilities: ALL, limit: 1 };
    const { values, next } = await store.pages.list({ ...query, after: { key: "a0", id: "" } });
    expect(values.map((it) => it.slug)).toEqual(["b"]);
    expect(next).toEqual({ key: "b", id: values[0]?.id });
  });
}

async function getIds(
  store: Store,
  scope: PageVisibilityScope,
  ids: readonly string[],
): Promise<string[]> {
  return (await store.pages.getComponents({ ...scope, ids })).map((it) => it.id).sort();
}

async function readLists(store: Store, visibilities: readonly Visibility[], limit: number) {
  const lists: string[][] = [];
  let after: OrderPlace | undefined;
  do {
    const query = {
      projectId: ALPHA,
      at: undefined,
      visibilities,
      limit,
      ...(after !== undefined && { after }),
    };
    const { values, next } = await store.pages.list(query);
    lists.push(values.map((it) => it.slug));
    after = next;
  } while (after !== undefined && lists.length < 100);
  return lists;
}

function toRecord(
  id: string,
  init: MessageInitShape<typeof PageSchema>,
  components: readonly PageComponent[] = [createComponent(`${id}-1`, { visibility: PUBLISHED })],
): PageRecord {
  return { page: create(PageSchema, { id, projectId: ALPHA, ...init }), components };
}

/** Not in the order of their ids. */
const IDS = ["unlisted", "published", "unspecified", "hidden"];

const DATA = createSmallDataset({
  pages: [
    toRecord(
      "whole",
      {
        slug: "a",
        visibility: PUBLISHED,
        title: { en: "Home", de: "Start" },
        parameters: ["id"],
        object: PageObject.EVENT,
        createTime: { seconds: 1n, nanos: 2 },
      },
      [UNLISTED, PUBLISHED, UNSPECIFIED, HIDDEN].map((visibility, index) =>
        createComponent(IDS[index] ?? "", { visibility }),
      ),
    ),
    toRecord("unlisted-page", { slug: "b", visibility: UNLISTED }),
    toRecord("hidden-page", { slug: "c", visibility: HIDDEN }),
    toRecord("unspecified-page", { slug: "d", visibility: UNSPECIFIED }),
    toRecord("z-page", { slug: "e-2", visibility: PUBLISHED }),
    toRecord("y-page", { slug: "e/1", visibility: PUBLISHED }),
    toRecord("x-page", { slug: "\uff5a", visibility: UNLISTED }),
    toRecord("w-page", { slug: "😀", visibility: PUBLISHED }),
    toRecord("beta", { slug: "a", projectId: BETA, visibility: PUBLISHED }, [
      createComponent("beta-1", { projectId: BETA, visibility: PUBLISHED }),
    ]),
  ],
});
