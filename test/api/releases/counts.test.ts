import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, describe, expect, test, vi } from "vitest";
import { metadataOf, reasonOf, send } from "../../harness/http.ts";
import { startMarquee } from "../../harness/marquee.ts";
import { exportText, importText, WITH_RELEASES } from "../../transfer/transfer.ts";
import { DEMO, ReleaseCalls } from "./releases.ts";

const marquee = await startMarquee();
afterAll(() => marquee.close());
const calls = new ReleaseCalls(marquee);

/** Returns the counts of a release, which its get and its list agree on. */
async function countsOf(id: string): Promise<readonly number[]> {
  const release = await calls.getRelease(id);
  const query = new URLSearchParams({ project_id: DEMO.projectId, filter: `name: ${id}` });
  const { releases } = await calls.call("GET", `cms/releases/v1?${query}`);
  expect(releases).toEqual([release]);
  return [release.item_count, release.conflict_count];
}

/** Creates current events, and a draft of each in a new release. */
async function createDrafts(releaseId: string, ids: readonly string[]): Promise<void> {
  await calls.createRelease(releaseId);
  for (const id of ids) {
    await calls.createEvent(id, { title: { en: "A" } });
    await calls.patchEvent(id, { title: { en: "B" } }, releaseId);
  }
}

describe("a release counts", () => {
  test("the drafts that change the current version, and the conflicts among them", async () => {
    await createDrafts("cn", ["cn-a", "cn-b", "cn-c", "cn-d"]);
    expect(await countsOf("cn")).toEqual([4, 0]);
    await calls.patchEvent("cn-a", { title: { en: "B" } });
    expect(await countsOf("cn")).toEqual([3, 0]);
    const { items } = await calls.call("GET", "cms/releases/v1/cn/items");
    expect(items.map(({ key }: { key: string }) => key)).toEqual(
      ["cn-b", "cn-c", "cn-d"].map((id) => `event:${id}`),
    );
    await calls.patchEvent("cn-b", { title: { en: "C" } });
    await calls.patchEvent("cn-c", { content_type: "other" });
    expect(await countsOf("cn")).toEqual([3, 1]);
    await calls.call("DELETE", "cms/events/v1/cn-c?force=true");
    expect(await countsOf("cn")).toEqual([3, 2]);
    await calls.patchEvent("cn-b", { title: { en: "D" } }, "cn");
    expect(await countsOf("cn")).toEqual([3, 1]);
  });

  test("the items that a list has, behind any number of drafts that are current by then", async () => {
    const ids = Array.from({ length: 12 }, (_, index) => `cv-${String.fromCharCode(97 + index)}`);
    await createDrafts("cv", ids);
    for (const id of ids.slice(0, -1)) await calls.patchEvent(id, { title: { en: "B" } });
    expect(await countsOf("cv")).toEqual([1, 0]);
    const { items } = await calls.call("GET", "cms/releases/v1/cv/items?page_size=1");
    expect(items.map(({ key }: { key: string }) => key)).toEqual(["event:cv-l"]);
  });

  test("a deletion of what is gone, and a creation of what exists with its values, as none", async () => {
    await calls.createRelease("cg");
    await calls.createEvent("cg-gone");
    await calls.call("DELETE", "cms/events/v1/cg-gone?release_id=cg");
    await calls.createEvent("cg-new", { title: { en: "A" } }, "cg");
    expect(await countsOf("cg")).toEqual([2, 0]);
    await calls.call("DELETE", "cms/events/v1/cg-gone");
    await calls.createEvent("cg-new", { title: { en: "A" } });
    const release = await calls.getRelease("cg");
    // The times of their creations differ.
    expect([release.item_count, release.conflict_count]).toEqual([1, 1]);
  });

  test("the order of a page until it is the current one", async () => {
    await calls.createRelease("co");
    const before = (await calls.call("GET", "ott/page_components/v2?page_id=page-home"))
      .page_components;
    const ids = before.map(({ id }: { id: string }) => id);
    const [first, ...rest] = ids;
    const reordered = { page_component_ids: [...rest, first] };
    const path = "ott/pages/v1/page-home:reorderComponents";
    await calls.call("POST", path, { ...reordered, release_id: "co" });
    expect(await countsOf("co")).toEqual([1, 0]);
    await calls.call("POST", path, reordered);
    expect(await countsOf("co")).toEqual([0, 0]);
    await calls.call("POST", path, { page_component_ids: ids });
    expect(await countsOf("co")).toEqual([1, 0]);
  });

  test("without reading drafts of what has not changed, and reads the others once", async () => {
    await createDrafts("cr", ["cr-a", "cr-b", "cr-c"]);
    await calls.patchEvent("cr-b", { title: { en: "C" } });
    const list = vi.spyOn(marquee.store.releaseItems, "list");
    try {
      expect(await countsOf("cr")).toEqual([3, 1]);
      expect(list.mock.calls.map(([, among]) => among?.ids)).toEqual([["cr-b"]]);
      expect(await countsOf("cr")).toEqual([3, 1]);
      expect(list).toHaveBeenCalledTimes(1);
    } finally {
      list.mockRestore();
    }
  });

  test("drafts as items without conflicts when merging others has taken its time, and further ones the next time", async () => {
    const ids = ["cl-a", "cl-b", "cl-c"];
    await createDrafts("cl", ids);
    for (const id of ids) await calls.patchEvent(id, { title: { en: "C" } });
    const { releaseItems } = marquee.store;
    const read = releaseItems.list.bind(releaseItems);
    const slow = vi.spyOn(releaseItems, "list").mockImplementation(async (...selection) => {
      await exceedTime();
      return read(...selection);
    });
    const counted: number[][] = [];
    try {
      for (const _ of ids) {
        const release = await calls.getRelease("cl");
        counted.push([release.item_count, release.conflict_count]);
      }
    } finally {
      slow.mockRestore();
    }
    expect(counted).toEqual([1, 2, 3].map((conflicts) => [3, conflicts]));
  });

  test("a page of releases ends when counting has taken its time", async () => {
    const ids = ["ct-a", "ct-b", "ct-c"];
    for (const id of ids) await createDrafts(id, [`${id}-draft`]);
    const { releaseItems } = marquee.store;
    const read = releaseItems.listRevisions.bind(releaseItems);
    const slow = vi.spyOn(releaseItems, "listRevisions").mockImplementation(async (place) => {
      await exceedTime();
      return read(place);
    });
    const pages = await listPages(ids).finally(() => slow.mockRestore());
    expect(pages).toEqual(ids.map((id) => [id]));
  });

  test("a page of releases ends when reading the orders of pages has taken its time", async () => {
    const ids = ["cp-a", "cp-b", "cp-c"];
    await calls.createPage("cp");
    for (const id of ids) {
      await calls.createRelease(id);
      await calls.patch("ott/pages/v1/cp", "page", { title: { en: id } }, id);
    }
    await calls.patch("ott/pages/v1/cp", "page", { slug: "cp-now" });
    const { pageComponents } = marquee.store.in(DEMO.organizationId);
    const slow = vi
      .spyOn(Object.getPrototypeOf(pageComponents), "listPlaces")
      .mockImplementation(async () => {
        await exceedTime();
        return [];
      });
    const pages = await listPages(ids).finally(() => slow.mockRestore());
    expect(pages).toEqual(ids.map((id) => [id]));
  });

  /** Takes longer than all reads of a request. */
  const exceedTime = () => new Promise((resolve) => setTimeout(resolve, 600));

  /** Lists releases, and returns the ids of each page. */
  async function listPages(ids: readonly string[]): Promise<string[][]> {
    const pages: string[][] = [];
    let page_token = "";
    do {
      const filter = ids.map((id) => `name: ${id}`).join(" or ");
      const query = new URLSearchParams({ project_id: DEMO.projectId, filter, page_token });
      const { releases, next_page_token } = await calls.call("GET", `cms/releases/v1?${query}`);
      pages.push(releases.map(({ id }: { id: string }) => id));
      page_token = next_page_token;
    } while (page_token !== "");
    return pages;
  }
});

describe("the pending releases of a resource", () => {
  test("are at most 20, the soonest first, with the number of the others", async () => {
    await calls.createEvent("pe");
    const read = async () => {
      const { headers } = await calls.send("GET", "cms/events/v1/pe");
      const names = headers.get("x-pending-releases")?.split(", ") ?? [];
      return [names.length, names[0], headers.get("x-pending-releases-more")];
    };
    for (let number = 10; number < 30; number += 1) {
      const id = await calls.createRelease(`pe-${number}`);
      await calls.patchEvent("pe", { content_type: `in ${id}` }, id);
    }
    expect(await read()).toEqual([20, "pe-10", null]);
    const soon = await calls.createRelease("pe-soon", {
      applyTime: timestampFromDate(new Date("2030-01-01T00:00:00Z")),
    });
    await calls.patchEvent("pe", { content_type: "soon" }, soon);
    expect(await read()).toEqual([20, "pe-soon;2030-01-01T00:00:00Z", "1"]);
  });

  test("have at most 2 KiB", async () => {
    await calls.createEvent("pl");
    for (let number = 0; number < 20; number += 1) {
      const id = await calls.createRelease(`${number}`.padEnd(128, "x"));
      await calls.patchEvent("pl", { content_type: "draft" }, id);
    }
    const { headers } = await calls.send("GET", "cms/events/v1/pl");
    const text = headers.get("x-pending-releases") ?? "";
    // Each name has 128 characters, and 2 before the next.
    expect(text.length).toBe(15 * 130 - 2);
    expect(headers.get("x-pending-releases-more")).toBe("5");
  });

  test("of an import have percent escapes, because their ids may have any character", async () => {
    await createDrafts("ps-r", ["ps"]);
    const text = await exportText(marquee.store, DEMO.projectId, WITH_RELEASES);
    const lines = text.split("\n").filter((line) => line.includes('"ps-r"'));
    const imported = lines.join("\n").replaceAll('"ps-r"', JSON.stringify("sale ä\r\nx, y;z"));
    await importText(marquee.store, imported);
    const { status, headers } = await calls.send("GET", "cms/events/v1/ps");
    const want = "ps-r, sale%20%C3%A4%0D%0Ax%2C%20y%3Bz";
    expect([status, headers.get("x-pending-releases")]).toEqual([200, want]);
  });

  test("are those that the account may see", async () => {
    await createDrafts("pv-a", ["pv"]);
    await calls.createRelease("pv-b");
    await calls.patchEvent("pv", { title: { en: "C" } }, "pv-b");
    await calls.call("POST", "iam/roles/v1?role_id=reads-events", {
      organization_id: DEMO.organizationId,
      ...{ name: "x", permissions: ["cms.events.get"] },
    });
    const token = await calls.createToken("pv", "reads-events");
    const read = async () => {
      const { headers } = await send("GET", `${marquee.url}/cms/events/v1/pv`, { token });
      return headers.get("x-pending-releases");
    };
    expect(await read()).toBeNull();
    await calls.call("POST", "iam/bindings/v1?binding_id=pv-b", {
      ...{ organization_id: DEMO.organizationId, account_id: "pv", role_id: "viewer" },
      resource_key: `pv-b/${DEMO.projectId}/release`,
    });
    expect(await read()).toBe("pv-b");
  });
});

describe("a release is deleted", () => {
  test("by an author only if the author has created it", async () => {
    const token = await calls.createToken("de-author", "author");
    const other = await calls.createToken("de-other", "author");
    const editor = await calls.createToken("de-editor", "editor");
    const url = `${marquee.url}/cms/releases/v1`;
    const create = async (id: string, by: string) => {
      const body = { project_id: DEMO.projectId, name: id };
      const got = await send("POST", `${url}?release_id=${id}`, { token: by, body });
      expect(got.status).toBe(200);
      return got.json.release;
    };
    const remove = async (id: string, by: string) => {
      const got = await send("DELETE", `${url}/${id}`, { token: by });
      return [got.status, reasonOf(got), metadataOf(got)?.permission];
    };
    const denied = [403, "PERMISSION_DENIED", "cms.releases.apply"];
    expect(await create("de-own", token)).toMatchObject({
      ...{ creator_id: "de-author", creator_organization_id: DEMO.organizationId },
    });
    expect(await remove("de-own", other)).toEqual(denied);
    expect(await remove("de-own", token)).toEqual([200, undefined, undefined]);
    await create("de-edited", token);
    expect(await remove("de-edited", editor)).toEqual([200, undefined, undefined]);
    // Nobody is known to have created it.
    await calls.createRelease("de-old");
    expect(await remove("de-old", token)).toEqual(denied);
    expect(await remove("de-old", editor)).toEqual([200, undefined, undefined]);
  });
});
