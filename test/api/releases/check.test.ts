import { describe, expect, test } from "vitest";
import { reasonOf } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { DEMO, ReleaseCalls } from "./releases.ts";

const marquee = await useMarquee();
const calls = new ReleaseCalls(marquee);
const inProject = { project_id: DEMO.projectId };
const ORDER = { conflict_policy: "CONFLICT_POLICY_RELEASE_WINS" };

const open = async (id: string): Promise<string> => {
  const release = { ...inProject, name: id, ...ORDER };
  await calls.call("POST", `cms/releases/v1?release_id=${id}`, release);
  return id;
};
const check = (id: string) => calls.send("POST", `cms/releases/v1/${id}:check`, {});
const problemsOf = async (id: string): Promise<string[]> =>
  (await check(id)).json.problems.map(
    (it: { item_key: string; reason: string }) => `${it.item_key} ${it.reason}`,
  );
const queryOf = (place: Readonly<Record<string, string>>, releaseId: string) =>
  new URLSearchParams({ ...place, ...(releaseId && { release_id: releaseId }) });
const createPage = (id: string, releaseId = "", slug = id) => {
  const query = queryOf({ page_id: id }, releaseId);
  return calls.call("POST", `ott/pages/v1?${query}`, { ...inProject, slug });
};
const createComponent = (page: string, name: string, component: object, releaseId = "") => {
  const place = { page_component_id: `${page}-${name}`, page_id: page };
  const path = `ott/page_components/v2?${queryOf(place, releaseId)}`;
  return calls.call("POST", path, { ...inProject, ...component });
};
const text = { type: "text", text: { body: "x" } };
const createBanners = (id: string, releaseId = "") => {
  const query = queryOf({ banner_collection_id: id }, releaseId);
  return calls.call("POST", `ott/banner_collections/v2?${query}`, { ...inProject, name: "B" });
};

describe("the check of a release lists", () => {
  test("no quota that is reached only while its drafts are counted twice", async () => {
    const id = await open("ck-quota");
    await calls.createEvent("ck-large", { fields: { text: "x".repeat(100_000) } }, id);
    const { project } = await calls.call("GET", `iam/projects/v1/${DEMO.projectId}`);
    const setBytes = (bytes: number) =>
      calls.call("PATCH", `iam/projects/v1/${DEMO.projectId}`, {
        ...{ project: { quotas: { bytes: String(bytes) } }, update_mask: "quotas" },
      });
    await setBytes(Number(project.usage.bytes) + 20_000);
    expect(await problemsOf(id)).toEqual([]);
    await setBytes(Number(project.usage.bytes) - 50_000);
    expect(await problemsOf(id)).toEqual(["event:ck-large QUOTA_EXCEEDED"]);
    await setBytes(0);
  });

  test("what many passes list, each without the drafts that failed before", async () => {
    const id = await open("ck-all");
    for (const page of ["a", "b", "c"]) await createPage(`ck-${page}`);
    for (const name of ["x", "y"]) await createComponent("ck-a", name, { ...text, group_id: "g" });
    await createBanners("ck-used");
    const banners = (of: string) => ({ type: "banner_collection", banner_collection: { id: of } });
    await createComponent("ck-b", "used", banners("ck-used"));
    await createPage("ck-new", id, "ck-taken");
    await createComponent("ck-new", "part", text, id);
    await createPage("ck-taken");
    const rename = (page: string, slug: string) =>
      calls.call("PATCH", `ott/pages/v1/${page}`, {
        ...{ page: { slug }, update_mask: "slug", release_id: id },
      });
    // The first takes the slug of the second, which keeps it.
    await rename("ck-b", "ck-c");
    await rename("ck-c", "ck-taken");
    await createBanners("ck-none", id);
    await createComponent("ck-a", "z", banners("ck-none"), id);
    await calls.call("DELETE", `cms/releases/v1/${id}/items/banner_collection:ck-none`);
    await createComponent("ck-a", "filter", { type: "filter", filter: {} }, id);
    await createComponent("ck-a", "other", { type: "filter", filter: {} });
    await calls.call("DELETE", `ott/banner_collections/v2/ck-used?release_id=${id}`);
    const got = await problemsOf(id);
    expect([...got].sort()).toEqual([
      "banner_collection:ck-used STILL_REFERRED_TO",
      "page:ck-b ALREADY_EXISTS",
      "page:ck-c ALREADY_EXISTS",
      "page:ck-new ALREADY_EXISTS",
      "page_component:ck-a-filter PAGE_FILTER_LIMIT",
      "page_component:ck-a-z REFERENCE_NOT_FOUND",
      "page_component:ck-new-part RESOURCE_NOT_FOUND",
    ]);
    expect([...got].sort()).toEqual((await calls.problemsInPasses(id)).sort());
    expect(await problemsOf(id)).toEqual([]);
  });

  test("at most 100 problems, also of conflicts and writes together", async () => {
    const id = await open("ck-most");
    await calls.call("PATCH", `cms/releases/v1/${id}`, {
      ...{ release: { conflict_policy: "CONFLICT_POLICY_REJECT" }, update_mask: "conflict_policy" },
    });
    const names = Array.from({ length: 99 }, (_, n) => `ck-most-${n}`);
    for (const name of names) await calls.createEvent(name, {}, id);
    const records = names.map((name) => ({ event: { id: name, content_type: "live" } }));
    await calls.call("POST", "cms/records/v1:write", { ...inProject, records });
    expect(await problemsOf(id)).toHaveLength(99);
    await createPage("ck-most-page");
    await createPage("ck-most-p", id, "ck-most-page-2");
    await createPage("ck-most-q", id, "ck-most-page-3");
    for (const slug of ["ck-most-page-2", "ck-most-page-3"]) await createPage(slug);
    expect(await problemsOf(id)).toHaveLength(100);
  });

  test("no order of a page that names components which the release creates and does not have", async () => {
    await createPage("ck-order");
    for (const name of ["a", "b"]) await createComponent("ck-order", name, text);
    const id = await open("ck-order-release");
    await createComponent("ck-order", "c", text, id);
    await calls.call("POST", "ott/pages/v1/ck-order:reorderComponents", {
      page_component_ids: ["ck-order-a", "ck-order-c", "ck-order-b"],
      release_id: id,
    });
    await calls.call("POST", `cms/releases/v1/${id}:apply`, {});
    const { page_components } = await calls.call("GET", "ott/page_components/v2?page_id=ck-order");
    const ids = page_components.map((it: { id: string }) => it.id);
    expect(ids).toEqual(["ck-order-a", "ck-order-c", "ck-order-b"]);
  });

  test("no deletion of resources that refer to each other: referrers are deleted first", async () => {
    await calls.call("POST", "cms/entities/v1?entity_id=ck-team", {
      ...{ ...inProject, content_type: "team" },
    });
    await calls.createEvent("ck-match", { entity_ids: ["ck-team"] });
    await calls.call("POST", "streaming/video_protection/v2/rulesets?ruleset_id=ck-rules", {
      ...{ ...inProject, name: "R", target: { event_ids: ["ck-match"] } },
    });
    const id = await open("ck-deletes");
    for (const path of [
      "cms/entities/v1/ck-team",
      "cms/events/v1/ck-match",
      "streaming/video_protection/v2/rulesets/ck-rules",
    ]) {
      await calls.call("DELETE", `${path}?release_id=${id}`);
    }
    expect(await problemsOf(id)).toEqual([]);
    await calls.call("POST", `cms/releases/v1/${id}:apply`, {});
  });
});

describe("a check", () => {
  test("waits for no other one of its organization: the second is rejected", async () => {
    const id = await open("ck-one");
    await calls.createEvent("ck-one-e", {}, id);
    let begin = () => {};
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    // A write of the organization makes the first check wait.
    const writing = marquee.store.transaction(DEMO, async () => {
      begin();
      await held;
    });
    await begun;
    const checks = [check(id), check(id)];
    const rejected = await Promise.race(checks);
    expect([rejected.status, reasonOf(rejected)]).toEqual([429, "RELEASE_CHECK_LIMIT"]);
    expect(rejected.headers.get("retry-after")).toBe("1");
    release();
    await writing;
    const got = await Promise.all(checks);
    expect(got.map(({ status }) => status).sort()).toEqual([200, 429]);
    expect((await check(id)).status).toBe(200);
  });

  test("needs the permission to update the release", async () => {
    const id = await open("ck-role");
    for (const [role, status] of [
      ["viewer", 403],
      ["author", 200],
    ] as const) {
      const token = await calls.createToken(`ck-${role}`, role);
      const headers = { authorization: `Bearer ${token}` };
      const got = await calls.send("POST", `cms/releases/v1/${id}:check`, {}, headers);
      expect([role, got.status]).toEqual([role, status]);
    }
  });
});
