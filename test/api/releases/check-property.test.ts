import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { useMarquee } from "../../harness/use-marquee.ts";
import { DEMO, ReleaseCalls } from "./releases.ts";

const marquee = await useMarquee();
const calls = new ReleaseCalls(marquee);
const inProject = { project_id: DEMO.projectId };
const text = { type: "text", text: { body: "x" } };
const filter = { type: "filter", filter: {} };
const banners = (id: string) => ({ type: "banner_collection", banner_collection: { id } });

/** A call that writes a draft. */
type Step = readonly [method: string, path: string, body?: object];

const createPage = (id: string, slug: string): Step => [
  ...(["POST", `ott/pages/v1?page_id=${id}`] as const),
  { ...inProject, slug },
];
const createComponent = (page: string, id: string, component: object): Step => [
  ...(["POST", `ott/page_components/v2?page_id=${page}&page_component_id=${id}`] as const),
  { ...inProject, ...component },
];
const createBanners = (id: string): Step => [
  ...(["POST", `ott/banner_collections/v2?banner_collection_id=${id}`] as const),
  { ...inProject, name: "B" },
];

/** The content: three pages, one of them with components that refer to banners, and one that may have no other filter. */
const LIVE: readonly Step[] = [
  ...["a", "b", "c"].map((it) => createPage(`cp-${it}`, `cp-${it}`)),
  ...["used", "free"].map((it) => createBanners(`cp-${it}`)),
  createComponent("cp-a", "cp-a-used", banners("cp-used")),
  createComponent("cp-b", "cp-b-filter", filter),
];

/** Writes that succeed as drafts; many of them cannot be applied together, or at all. */
const WRITES: readonly Step[] = [
  ...["a", "b"].flatMap((page) =>
    ["a", "b", "c", "new"].map(
      (slug): Step => [
        ...(["PATCH", `ott/pages/v1/cp-${page}`] as const),
        { page: { slug: `cp-${slug}` }, update_mask: "slug" },
      ],
    ),
  ),
  createPage("cp-new", "cp-new"),
  createPage("cp-other", "cp-c"),
  createComponent("cp-new", "cp-new-text", text),
  createComponent("cp-b", "cp-b-other", filter),
  createComponent("cp-a", "cp-a-free", banners("cp-free")),
  createComponent("cp-a", "cp-a-none", banners("cp-none")),
  createBanners("cp-none"),
  ...["cp-used", "cp-free"].map((it): Step => ["DELETE", `ott/banner_collections/v2/${it}`]),
  ...["cp-a-used", "cp-b-filter"].map((it): Step => ["DELETE", `ott/page_components/v2/${it}`]),
  ...["a", "b", "c"].map((it): Step => ["DELETE", `ott/pages/v1/cp-${it}`]),
];

beforeAll(async () => {
  for (const step of LIVE) await calls.call(...step);
});

let count = 0;

/** Opens a release with drafts; a write that does not fit the ones before is omitted. */
async function openDrafts(steps: readonly Step[]): Promise<string> {
  count += 1;
  const id = await calls.createRelease(`cp-${count}`);
  for (const [method, path, body] of steps) {
    const inRelease = { release_id: id };
    if (method === "PATCH") await calls.send(method, path, { ...body, ...inRelease });
    else await calls.send(method, `${path}${path.includes("?") ? "&" : "?"}release_id=${id}`, body);
  }
  return id;
}

test("the check of any drafts lists what many passes list", async () => {
  const found = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.subarray([...WRITES], { minLength: 5, maxLength: 12 }), async (steps) => {
      const id = await openDrafts(steps);
      const problems = await calls.listProblems(id);
      for (const problem of problems) found.add(problem.replace(/.* /, ""));
      expect(problems.sort()).toEqual((await calls.problemsInPasses(id)).sort());
    }),
    { numRuns: 12, seed: 16 },
  );
  expect([...found].sort()).toEqual([
    "ALREADY_EXISTS",
    "PAGE_FILTER_LIMIT",
    "REFERENCE_NOT_FOUND",
    "RESOURCE_NOT_FOUND",
    "STILL_REFERRED_TO",
  ]);
});
