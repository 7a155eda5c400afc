import { beforeAll, describe, expect, test } from "vitest";
import { getUrl } from "../../harness/calls.ts";
import { rejection, send } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { idsOf } from "../delivery.ts";
import type { JsonMessage } from "../methods.ts";
import { componentsOf, itemIds } from "../pages/pages.ts";
import { DEMO, ReleaseCalls } from "./releases.ts";

const marquee = await useMarquee();
const releases = new ReleaseCalls(marquee);
const inProject = { project_id: DEMO.projectId, visibility: "VISIBILITY_PUBLISHED" };
const PAGES = "svc.cda.ott.page.v1.PageService";
const COMPONENTS = "svc.cda.ott.page_component.v2.PageComponentService";
const BANNERS = "svc.cda.ott.banner_collection.v2.BannerCollectionService";
const OFFERS = "svc.cda.monetization.offer.v1.OfferService";

/** Reads through releases with the preview key. */
const read = (procedure: string, message: JsonMessage, ...ids: string[]) =>
  send("GET", `${marquee.url}/${getUrl(procedure, message)}`, {
    token: marquee.keys.preview,
    headers: ids.length === 0 ? {} : { "x-release-id": ids.join() },
  });
const getPage = (key: JsonMessage, ...ids: string[]) => read(`${PAGES}/GetPage`, key, ...ids);
const idOf = async (slug: string, ...ids: string[]) => {
  const got = await getPage({ slug }, ...ids);
  return got.status === 200 ? got.json.page.id : rejection(got)[1];
};
const lettersOf = async (id: string, ...ids: string[]) =>
  [...componentsOf(await getPage({ id }, ...ids)).keys()].map((it) => it.slice(-1)).join("");

const createPage = (id: string, slug: string, releaseId = "") =>
  releases.createPage(id, { slug, releaseId });
const patchPage = (id: string, page: object, release: string) =>
  releases.patch(`ott/pages/v1/${id}`, "page", page, release);
const createComponent = (page: string, letter: string, releaseId = "", position?: number) =>
  releases.createComponent(page, letter, undefined, { releaseId, position });
const deleteComponent = (id: string, release: string) =>
  releases.call("DELETE", `ott/page_components/v2/${id}?release_id=${release}`);

let number = 0;
/** Creates a page with components named by letters, current, and a release. */
async function createCase(letters: string): Promise<{ page: string; release: string }> {
  number += 1;
  const page = `pp${number}`;
  await createPage(page, page);
  for (const letter of letters) await createComponent(page, letter);
  return { page, release: await releases.createRelease(`pr${number}`) };
}

describe("components", () => {
  test.each<readonly [string, string, (page: string, release: string) => Promise<unknown>, string]>(
    [
      ["moved", "abc", (page, release) => releases.reorder(page, "cab", release), "cab"],
      ["created at the end", "abc", (page, release) => createComponent(page, "x", release), "abcx"],
      [
        "created in between",
        "abc",
        (page, release) => createComponent(page, "x", release, 1),
        "axbc",
      ],
      ["deleted", "abc", (page, release) => deleteComponent(`${page}-b`, release), "ac"],
      [
        "created, deleted and moved",
        "abc",
        async (page, release) => {
          await createComponent(page, "x", release, 0);
          await deleteComponent(`${page}-c`, release);
          await releases.reorder(page, "bxa", release);
        },
        "bxa",
      ],
    ],
  )("%s", async (_, letters, write, want) => {
    const { page, release } = await createCase(letters);
    await write(page, release);
    expect(await lettersOf(page, release)).toBe(want);
    expect(await lettersOf(page)).toBe(letters);
  });

  test("created since keep their places among those of a release", async () => {
    const { page, release } = await createCase("abc");
    await releases.reorder(page, "cba", release);
    await createComponent(page, "n", "", 1);
    expect(await lettersOf(page)).toBe("anbc");
    expect([...(await lettersOf(page, release))].filter((it) => it !== "n").join("")).toBe("cba");
    expect(await lettersOf(page, release)).toHaveLength(4);
  });

  test("of two releases are arranged one after the other", async () => {
    const { page, release } = await createCase("abc");
    const second = await releases.createRelease(`${release}-second`);
    await createComponent(page, "x", release, 1);
    await deleteComponent(`${page}-a`, second);
    await createComponent(page, "y", second, 1);
    expect(await lettersOf(page, release, second)).toBe("xbyc");
  });

  test("created by a release, and since then on another page, are where the release creates them", async () => {
    const { page, release } = await createCase("ab");
    const { page: other } = await createCase("c");
    const wins = { conflict_policy: "CONFLICT_POLICY_RELEASE_WINS" };
    await releases.patch(`cms/releases/v1/${release}`, "release", wins);
    await createComponent(page, "x", release, 0);
    const query = `page_component_id=${page}-x&page_id=${other}`;
    const body = { ...inProject, type: "text", text: { body: "live" } };
    await releases.call("POST", `ott/page_components/v2?${query}`, body);
    const read = () => Promise.all([lettersOf(page, release), lettersOf(other, release)]);
    expect(await read()).toEqual(["xab", "c"]);
    await releases.applied(release);
    expect(await read()).toEqual(["xab", "c"]);
    expect(await lettersOf(page)).toBe("xab");
  });

  test("are read by their id, and mirrored by grids", async () => {
    const { page, release } = await createCase("a");
    const get = (id: string, ...ids: string[]) =>
      read(`${COMPONENTS}/GetPageComponent`, { id, includeItems: true }, ...ids);
    const rail = {
      type: "rail",
      rail: { type: "BASE_TYPE_EVENT", filter: "id: match-2026-1" },
    };
    const reference = { page_component_id: `${page}-r` };
    const grid = { type: "content_grid", content_grid: { reference } };
    for (const [letter, component] of Object.entries({ r: rail, g: grid })) {
      await releases.createComponent(page, letter, component, { releaseId: release });
    }
    await deleteComponent(`${page}-a`, release);
    for (const letter of "rg") {
      const got = await get(`${page}-${letter}`, release);
      expect(got.status, got.text).toBe(200);
      expect(itemIds(got.json.component.items)).toEqual(["match-2026-1"]);
      expect((await get(`${page}-${letter}`)).status).toBe(404);
    }
    expect(rejection(await get(`${page}-a`, release))).toEqual([404, "RESOURCE_NOT_FOUND"]);
    expect((await get(`${page}-a`)).status).toBe(200);
  });

  test("hidden by a release are not shown to the public", async () => {
    const { page, release } = await createCase("ab");
    const hidden = { visibility: "VISIBILITY_HIDDEN" };
    const path = `ott/page_components/v2/${page}-a`;
    await releases.patch(path, "page_component_update", hidden, release);
    const url = `${marquee.url}/${getUrl(`${PAGES}/GetPage`, { id: page })}`;
    const headers = { "x-release-id": release, "x-preview-audience": "public" };
    const got = await send("GET", url, { token: marquee.keys.preview, headers });
    expect([...componentsOf(got).keys()]).toEqual([`${page}-b`]);
    expect(await lettersOf(page, release)).toBe("ab");
  });
});

describe("pages", () => {
  test("created and deleted by a release", async () => {
    const { page, release } = await createCase("ab");
    await createPage(`${page}-new`, `${page}-new`, release);
    await createComponent(`${page}-new`, "z", release);
    await releases.call("DELETE", `ott/pages/v1/${page}?force=true&release_id=${release}`);
    expect(await lettersOf(`${page}-new`, release)).toBe("z");
    expect(await idOf(page, release)).toBe("RESOURCE_NOT_FOUND");
    expect(await idOf(page)).toBe(page);
    const want = await getPage({ id: "missing" }, release);
    expect((await getPage({ id: page }, release)).json.message).toBe(
      want.json.message.replace("missing", page),
    );
  });

  test("11: two pages swap slugs in a release", async () => {
    const { page: a, release } = await createCase("a");
    const { page: b } = await createCase("b");
    await patchPage(a, { slug: b }, release);
    await patchPage(b, { slug: a }, release);
    expect([await idOf(a, release), await idOf(b, release)]).toEqual([b, a]);
    expect([await idOf(a), await idOf(b)]).toEqual([a, b]);
  });

  test("a slug finds the page of a release first, and no page that has another slug there", async () => {
    const { page, release } = await createCase("a");
    await patchPage(page, { slug: `${page}-moved` }, release);
    expect(await idOf(`${page}-moved`, release)).toBe(page);
    const other = await releases.createRelease(`${release}-other`);
    await patchPage("page-help", { slug: page }, other);
    expect(await idOf(page, other)).toBe("page-help");
    expect(await idOf("help", other)).toBe("RESOURCE_NOT_FOUND");
  });

  test.each([1, 2, 3, 100])("are listed by slug, %i a page", async (pageSize) => {
    const release = `listed-${pageSize}`;
    await releases.createRelease(release);
    await createPage(`aa-${pageSize}`, "aa", release);
    await createPage(`zz-${pageSize}`, "zz", release);
    await patchPage("page-help", { slug: "mm" }, release);
    await releases.call("DELETE", `ott/pages/v1/page-highlights?force=true&release_id=${release}`);
    const list = async (size: number, ...ids: string[]) => {
      const slugs: string[] = [];
      let pageToken = "";
      do {
        const message = { pageSize: size, pageToken };
        const { json } = await read(`${PAGES}/ListPages`, message, ...ids);
        expect(json.pages.length).toBeLessThanOrEqual(size);
        slugs.push(...json.pages.map((it: { slug: string }) => it.slug));
        pageToken = json.nextPageToken ?? "";
      } while (pageToken !== "");
      return slugs;
    };
    const current = await list(100);
    const want = current.filter((it) => it !== "help" && it !== "highlights");
    expect(await list(pageSize, release)).toEqual([...want, "aa", "mm", "zz"].sort());
  });

  test("a page of a list is full, however many pages before it are deleted", async () => {
    const release = await releases.createRelease("many");
    for (let index = 10; index < 40; index += 1) {
      await createPage(`many-${index}`, `0-${index}`);
      const path = `ott/pages/v1/many-${index}?force=true&release_id=${release}`;
      await releases.call("DELETE", path);
    }
    const list = (...ids: string[]) => read(`${PAGES}/ListPages`, { pageSize: 2 }, ...ids);
    expect(idsOf(await list(), "pages")).toEqual(["many-10", "many-11"]);
    const [first] = idsOf(await list(release), "pages");
    expect(idsOf(await list(release), "pages")).toHaveLength(2);
    expect(first).not.toMatch(/^many-/);
  });
});

describe("banners and offers", () => {
  beforeAll(() => releases.createRelease("shop"));

  test("14: a banner collection that the release of its component creates", async () => {
    const { page, release } = await createCase("a");
    const path = `ott/banner_collections/v2?banner_collection_id=b14&release_id=${release}`;
    await releases.call("POST", path, { ...inProject, name: "B" });
    const component = { type: "banner_collection_v2", banner_collection_v2: { id: "b14" } };
    await releases.createComponent(page, "b", component, { releaseId: release });
    const got = componentsOf(await getPage({ id: page, includeItems: true }, release));
    expect(got.get(`${page}-b`)?.bannerCollection?.id).toBe("b14");
    const get = (...ids: string[]) => read(`${BANNERS}/GetBannerCollection`, { id: "b14" }, ...ids);
    expect([(await get(release)).status, (await get()).status]).toEqual([200, 404]);
  });

  test.each([1, 2, 100])("offers are listed by position, %i a page", async (pageSize) => {
    const current = idsOf(await read(`${OFFERS}/ListOffers`, { pageSize: 100 }), "offers");
    const release = await releases.createRelease(`offers-${pageSize}`);
    const path = `monetization/offers/v1?offer_id=o-${pageSize}&release_id=${release}`;
    await releases.call("POST", path, { ...inProject, name: "O", position: -1 });
    const [deleted = ""] = current;
    await releases.call(
      "DELETE",
      `monetization/offers/v1/${deleted}?release_id=${release}&force=true`,
    );
    const ids: string[] = [];
    let pageToken = "";
    do {
      const got = await read(`${OFFERS}/ListOffers`, { pageSize, pageToken }, release);
      ids.push(...idsOf(got, "offers"));
      pageToken = got.json.nextPageToken ?? "";
    } while (pageToken !== "");
    expect(ids).toEqual([`o-${pageSize}`, ...current.slice(1)]);
  });
});
