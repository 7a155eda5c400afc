import { beforeAll, describe, expect, test } from "vitest";
import { reasonOf } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { inRelease, ReleaseCalls } from "./releases.ts";

const marquee = await useMarquee();
const calls = new ReleaseCalls(marquee);

/** Creates a page with components named by letters, current. */
async function createPage(id: string, letters: string) {
  await calls.createPage(id);
  for (const letter of letters) await createComponent(id, letter);
}

const createComponent = (page: string, letter: string, releaseId = "", position?: number) =>
  calls.createComponent(page, letter, undefined, { releaseId, position });
const deleteComponent = (page: string, letter: string, release: string) =>
  calls.call("DELETE", `ott/page_components/v2/${page}-${letter}?release_id=${release}`);

/** Returns the letters of a page in the order of a release, by the positions that its components report. */
async function orderOf(page: string, release: string, letters: string): Promise<string> {
  const placed = await Promise.all(
    [...letters].map(async (letter) => {
      const path = `ott/page_components/v2/${page}-${letter}?${new URLSearchParams(inRelease(release))}`;
      const { position, page_id } = await calls.call("GET", path);
      expect(page_id).toBe(page);
      return [position, letter] as const;
    }),
  );
  placed.sort(([a], [b]) => a - b);
  expect(placed.map(([position]) => position)).toEqual(placed.map((_, at) => at));
  return placed.map(([, letter]) => letter).join("");
}

describe("components of a page in a release", () => {
  beforeAll(() => createPage("dp", "abc"));

  test.each([
    ["at the end", { x: undefined }, "abcx"],
    ["at a position", { x: 1 }, "axbc"],
    ["one before the other", { x: 1, y: 1 }, "ayxbc"],
    ["one behind the other", { x: 1, y: 2 }, "axybc"],
    ["first, with ids in another order", { y: 0, x: 0 }, "xyabc"],
  ])("are created %s", async (name, created, want) => {
    const release = await calls.createRelease(`at ${name}`.replace(/\W+/g, "-"));
    for (const [letter, at] of Object.entries(created)) {
      await createComponent("dp", letter, release, at);
    }
    expect(await orderOf("dp", release, want)).toBe(want);
    expect(await orderOf("dp", "", "abc")).toBe("abc");
  });

  test("follow those that were created since", async () => {
    await createPage("dl", "ab");
    const release = await calls.createRelease("follow");
    await createComponent("dl", "x", release, 1);
    await createComponent("dl", "n", "", 0);
    expect(await orderOf("dl", release, "naxb")).toBe("naxb");
  });

  test("are deleted, and a new one keeps its place", async () => {
    const release = await calls.createRelease("delete");
    await createComponent("dp", "x", release, 2);
    await createComponent("dp", "y", release, 3);
    await deleteComponent("dp", "b", release);
    expect(await orderOf("dp", release, "axyc")).toBe("axyc");
    await deleteComponent("dp", "x", release);
    expect(await orderOf("dp", release, "ayc")).toBe("ayc");
    expect(await calls.keysOf(release)).toEqual(["-page_component:dp-b", "+page_component:dp-y"]);
  });

  test("are reordered, and a current order needs no draft", async () => {
    const release = await calls.createRelease("order");
    const got = await calls.reorder("dp", "cab", release);
    expect(got.status).toBe(200);
    expect(await orderOf("dp", release, "cab")).toBe("cab");
    expect(await orderOf("dp", "", "abc")).toBe("abc");
    const tag = got.headers.get("etag") ?? "";
    const body = { page: { slug: "dp2" }, update_mask: "slug", release_id: release };
    expect((await calls.send("PATCH", "ott/pages/v1/dp", body, { "if-match": tag })).status).toBe(
      200,
    );
    await createComponent("dp", "x", release, 1);
    expect(await orderOf("dp", release, "cxab")).toBe("cxab");
    await deleteComponent("dp", "x", release);
    await calls.call("PATCH", "ott/pages/v1/dp", { ...body, page: { slug: "dp" } });
    expect(await calls.keysOf(release)).toEqual(["page:dp"]);
    await calls.reorder("dp", "abc", release);
    expect(await calls.keysOf(release)).toEqual([]);
  });

  test("are all named by an order, with those of the release", async () => {
    const release = await calls.createRelease("incomplete");
    await createComponent("dp", "x", release);
    expect(reasonOf(await calls.reorder("dp", "cab", release))).toBe("ORDER_INCOMPLETE");
    expect((await calls.reorder("dp", "xcab", release)).status).toBe(200);
  });
});

test("9: a page that is deleted in a release takes its components with it", async () => {
  await createPage("d9", "ab");
  const release = await calls.createRelease("case-9");
  await createComponent("d9", "x", release);
  await calls.call("DELETE", `ott/pages/v1/d9?force=true&release_id=${release}`);
  expect(await calls.keysOf(release)).toEqual([
    "-page:d9",
    "-page_component:d9-a",
    "-page_component:d9-b",
  ]);
  const query = `page_id=d9&page_component_id=d9-z&release_id=${release}`;
  const body = { project_id: "worldcup", type: "text", text: { body: "z" } };
  const got = await calls.send("POST", `ott/page_components/v2?${query}`, body);
  expect([got.status, got.json.message]).toEqual([404, "page d9 does not exist"]);
});

test("a page and its components are created in one release", async () => {
  const release = await calls.createRelease("new-page");
  await calls.createPage("dn", { releaseId: release });
  for (const letter of "ba") await createComponent("dn", letter, release);
  expect(await orderOf("dn", release, "ba")).toBe("ba");
  const item = await calls.itemsOf(release);
  expect(item.every(({ base }) => base === undefined)).toBe(true);
});
