import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ConflictPolicy } from "../../../gen/svc/type/v1/release_pb.ts";
import { recordCalls, type StoreCall } from "../../harness/counted-store.ts";
import { metadataOf, reasonOf, send } from "../../harness/http.ts";
import { startOver } from "../../harness/marquee.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { DEMO, ReleaseCalls } from "./releases.ts";

const marquee = await useMarquee();
const calls = new ReleaseCalls(marquee);
const inProject = { project_id: DEMO.projectId };

const listItems = async (id: string, query = "") =>
  calls.call("GET", `cms/releases/v1/${id}/items?${query}`);
const text = { type: "text", text: { body: "x" } };
const filter = { type: "filter", filter: {} };
const RELEASE_WINS = { conflictPolicy: ConflictPolicy.RELEASE_WINS };

describe("a release that is applied", () => {
  test("writes its drafts together, with one audit entry and one change", async () => {
    await calls.createEvent("ap-a", { title: { en: "A" }, fields: { score: 0 } });
    await calls.createEvent("ap-c", {});
    const id = await calls.createRelease("ap");
    await calls.patchEvent("ap-a", { title: { en: "B" } }, id);
    await calls.createEvent("ap-b", { title: { en: "New" } }, id);
    await calls.call("DELETE", `cms/events/v1/ap-c?release_id=${id}`);
    await calls.patchEvent("ap-a", { fields: { score: 1 } });
    expect(await calls.getRelease(id)).toMatchObject({ item_count: 3, conflict_count: 0 });

    const release = await calls.applied(id);
    expect(release).toMatchObject({
      ...{ state: "RELEASE_STATE_APPLIED", change_id: expect.stringMatching(/.+/) },
      ...{ applied_time: expect.any(String), item_count: 0 },
    });
    const a = await calls.getEvent("ap-a");
    expect(a).toMatchObject({ title: { en: "B" }, fields: { score: 1 } });
    expect(a.update_time).toBe(release.applied_time);
    expect(await calls.getEvent("ap-b")).toMatchObject({ title: { en: "New" } });
    expect((await calls.send("GET", "cms/events/v1/ap-c")).status).toBe(404);
    expect(await calls.itemsOf(id)).toEqual([]);

    const change = (await calls.call("GET", `cms/changes/v1/${release.change_id}`)).change;
    expect(change).toMatchObject({
      release_id: id,
      method: expect.stringMatching(/ApplyRelease$/),
    });
    const resources = change.resources.map(({ key, verb }: { key: string; verb: string }) => [
      key,
      verb,
    ]);
    expect(resources).toEqual([
      ["event:ap-a", "CHANGE_VERB_UPDATED"],
      ["event:ap-b", "CHANGE_VERB_CREATED"],
      ["event:ap-c", "CHANGE_VERB_DELETED"],
    ]);
    const query = new URLSearchParams({ organization_id: DEMO.organizationId, page_size: "1000" });
    const { entries } = await calls.call("GET", `iam/audit/v1/entries?${query}`);
    const own = entries.filter((it: { method: string }) => it.method.endsWith("/ApplyRelease"));
    expect(own).toMatchObject([
      { id: release.change_id, resource_type: "release", resource_id: id },
    ]);
  });

  test("cannot change, and is deleted", async () => {
    const id = await calls.createRelease("ap-over");
    await calls.applied(id);
    const patch = { release: { name: "x" }, update_mask: "name" };
    for (const [method, path, body] of [
      ["PATCH", "", patch],
      ["POST", ":apply", {}],
      ["POST", ":check", {}],
      ["DELETE", "/items/event:x", undefined],
    ] as const) {
      const got = await calls.send(method, `cms/releases/v1/${id}${path}`, body);
      expect([path, got.status, reasonOf(got)]).toEqual([path, 400, "RELEASE_STATE_FORBIDS"]);
    }
    await calls.call("DELETE", `cms/releases/v1/${id}`);
    expect((await calls.send("GET", `cms/releases/v1/${id}`)).status).toBe(404);
  });

  test("2: without drafts changes nothing, as does one whose drafts have current values", async () => {
    expect(await calls.applied(await calls.createRelease("ap-empty"))).toMatchObject({
      change_id: "",
    });
    await calls.createEvent("ap-d", { title: { en: "A" } });
    const id = await calls.createRelease("ap-same");
    await calls.patchEvent("ap-d", { title: { en: "B" } }, id);
    await calls.patchEvent("ap-d", { title: { en: "B" } });
    const current = await calls.getEvent("ap-d");
    expect(await calls.applied(id)).toMatchObject({
      state: "RELEASE_STATE_APPLIED",
      change_id: "",
    });
    expect(await calls.getEvent("ap-d")).toEqual(current);
  });

  test("with the ETag of its state also deletes resources, whose ETags are others", async () => {
    await calls.createEvent("ap-tag-e");
    const id = await calls.createRelease("ap-tag");
    await calls.call("DELETE", `cms/events/v1/ap-tag-e?release_id=${id}`);
    const { headers } = await calls.send("GET", `cms/releases/v1/${id}`);
    expect((await calls.apply(id, { "if-match": headers.get("etag") ?? "" })).status).toBe(200);
  });
});

describe("a conflict", () => {
  beforeAll(async () => {
    for (const id of ["ac-a", "ac-b", "ac-c"]) await calls.createEvent(id, { title: { en: "A" } });
    await calls.createRelease("ac");
    await calls.patchEvent("ac-a", { title: { en: "B" } }, "ac");
    await calls.patchEvent("ac-b", { title: { en: "B" } }, "ac");
    await calls.call("DELETE", "cms/events/v1/ac-c?release_id=ac");
    await calls.createEvent("ac-d", {}, "ac");
    await calls.createEvent("ac-d", { title: { en: "Live" } });
    await calls.patchEvent("ac-a", { title: { en: "C" } });
    await calls.patchEvent("ac-c", { title: { en: "C" } });
    await calls.call("DELETE", "cms/events/v1/ac-b");
  });

  test("is listed by path, with its values", async () => {
    const { items } = await listItems("ac");
    expect(items.map((it: { key: string; conflicts: unknown }) => [it.key, it.conflicts])).toEqual([
      [
        "event:ac-a",
        [
          {
            kind: "CONFLICT_KIND_PATH_CHANGED",
            path: "title.en",
            base: "A",
            current: "C",
            draft: "B",
          },
        ],
      ],
      [
        "event:ac-b",
        [expect.objectContaining({ kind: "CONFLICT_KIND_CURRENT_DELETED", path: "" })],
      ],
      [
        "event:ac-c",
        [expect.objectContaining({ kind: "CONFLICT_KIND_CURRENT_CHANGED", path: "" })],
      ],
      ["event:ac-d", [expect.objectContaining({ kind: "CONFLICT_KIND_CURRENT_EXISTS", path: "" })]],
    ]);
    expect(items[0]).toMatchObject({
      ...{ current: { event: { title: { en: "C" } } }, draft: { event: { title: { en: "B" } } } },
      ...{ merged: { event: { title: { en: "B" } } }, changed_paths: ["title.en"] },
      account_id: "account-owner",
    });
    expect(items[2].draft).toBeUndefined();
    expect(await calls.getRelease("ac")).toMatchObject({ item_count: 4, conflict_count: 4 });
  });

  test("is a problem, and nothing is written: each is named", async () => {
    const keys = ["a", "b", "c", "d"].map((it) => `event:ac-${it} RELEASE_CONFLICTS`);
    expect(await calls.listProblems("ac")).toEqual(keys);
    const got = await calls.apply("ac");
    expect([got.status, reasonOf(got)]).toEqual([409, "RELEASE_CONFLICTS"]);
    expect(metadataOf(got)).toEqual({
      item: "event:ac-a",
      conflicts:
        "event:ac-a path_changed title.en, event:ac-b current_deleted, event:ac-c current_changed, event:ac-d current_exists",
    });
    expect(await calls.getRelease("ac")).toMatchObject({
      state: "RELEASE_STATE_OPEN",
      item_count: 4,
    });
    expect(await calls.getEvent("ac-a")).toMatchObject({ title: { en: "C" } });
  });

  test("is settled by its draft being removed", async () => {
    await calls.call("DELETE", "cms/releases/v1/ac/items/event:ac-d");
    const got = await calls.send("DELETE", "cms/releases/v1/ac/items/event:ac-d");
    expect([got.status, reasonOf(got)]).toEqual([404, "RESOURCE_NOT_FOUND"]);
    expect(metadataOf(got)?.resource).toBe("release_item/event:ac-d");
    expect(await calls.getRelease("ac")).toMatchObject({ item_count: 3, conflict_count: 3 });
  });

  test("is won by the release with its policy, and the undo of the change gives the former version back", async () => {
    const policy = { conflict_policy: "CONFLICT_POLICY_RELEASE_WINS" };
    await calls.patch("cms/releases/v1/ac", "release", policy);
    expect(await calls.listProblems("ac")).toEqual([]);
    const current = [await calls.getEvent("ac-a"), await calls.getEvent("ac-c")];
    const { change_id } = await calls.applied("ac");
    expect(await calls.getEvent("ac-a")).toMatchObject({ title: { en: "B" } });
    expect(await calls.getEvent("ac-b")).toMatchObject({ title: { en: "B" } });
    expect((await calls.send("GET", "cms/events/v1/ac-c")).status).toBe(404);
    await calls.call("POST", `cms/changes/v1/${change_id}:revert`, {});
    expect([await calls.getEvent("ac-a"), await calls.getEvent("ac-c")]).toEqual(current);
    expect((await calls.send("GET", "cms/events/v1/ac-b")).status).toBe(404);
  });

  test("8: two releases create one id, and the second one conflicts", async () => {
    for (const id of ["ac-8a", "ac-8b"]) {
      await calls.createRelease(id);
      await calls.createEvent("ac-e", { title: { en: id } }, id);
    }
    await calls.applied("ac-8a");
    expect(await calls.listProblems("ac-8b")).toEqual(["event:ac-e RELEASE_CONFLICTS"]);
    expect(reasonOf(await calls.apply("ac-8b"))).toBe("RELEASE_CONFLICTS");
  });

  test("of the type of a component is settled by its type and data, written again", async () => {
    await calls.createPage("ac-q");
    await calls.createComponent("ac-q", "a");
    const path = "ott/page_components/v2/ac-q-a";
    const update = (component: object, release?: string) =>
      calls.patch(path, "page_component_update", component, release);
    await calls.createRelease("ac-type", RELEASE_WINS);
    await update({ text: { body: "y" } }, "ac-type");
    await update({ type: "html", html: { html: "live" } });
    const { items } = await listItems("ac-type");
    expect(items[0].conflicts).toMatchObject([{ path: "text", draft: { body: "y" } }]);
    expect(items[0].merged.page_component.page_component).toMatchObject({ text: { body: "y" } });
    expect(await calls.listProblems("ac-type")).toEqual(["page_component:ac-q-a TYPE_MISMATCH"]);
    const headers = { "x-release-id": "ac-type" };
    const query = new URLSearchParams({ encoding: "json", message: '{"id":"ac-q"}' });
    const previewed = await send(
      "GET",
      `${marquee.url}/svc.cda.ott.page.v1.PageService/GetPage?${query}`,
      { token: marquee.keys.preview, headers },
    );
    expect([previewed.status, previewed.text]).toEqual([200, expect.anything()]);
    await update({ type: "text", text: { body: "z" } }, "ac-type");
    expect(await calls.listProblems("ac-type")).toEqual([]);
    await calls.applied("ac-type");
    const { page_component } = await calls.call("GET", path);
    expect(page_component).toMatchObject({ type: "text", text: { body: "z" } });
  });

  test("10: a component is changed, and its page has been deleted since", async () => {
    await calls.createPage("ac-p");
    await calls.createComponent("ac-p", "a");
    await calls.createRelease("ac-10");
    const changed = { text: { body: "y" } };
    const path = "ott/page_components/v2/ac-p-a";
    await calls.patch(path, "page_component_update", changed, "ac-10");
    await calls.call("DELETE", "ott/pages/v1/ac-p?force=true");
    const { items } = await listItems("ac-10");
    expect(items).toMatchObject([{ conflicts: [{ kind: "CONFLICT_KIND_CURRENT_DELETED" }] }]);
    expect(await calls.listProblems("ac-10")).toEqual([
      "page_component:ac-p-a RELEASE_CONFLICTS",
      "page_component:ac-p-a RESOURCE_NOT_FOUND",
    ]);
  });
});

describe("a rule between resources", () => {
  const rename = (page: string, slug: string, release: string) =>
    calls.patch(`ott/pages/v1/${page}`, "page", { slug }, release);

  test("11: two pages swap slugs in one release, not over two", async () => {
    await calls.createPage("ar-a");
    await calls.createPage("ar-b");
    await calls.createRelease("ar-11");
    await rename("ar-a", "ar-b", "ar-11");
    await rename("ar-b", "ar-a", "ar-11");
    for (const [page, slug] of [
      ["ar-a", "ar-b"],
      ["ar-b", "ar-a"],
    ] as const) {
      await calls.createRelease(`ar-11${page}`);
      await rename(page, slug, `ar-11${page}`);
    }
    expect(await calls.listProblems("ar-11ar-a")).toEqual(["page:ar-a ALREADY_EXISTS"]);
    const got = await calls.apply("ar-11ar-a");
    expect([got.status, reasonOf(got), metadataOf(got)?.item]).toEqual([
      409,
      "ALREADY_EXISTS",
      "page:ar-a",
    ]);
    expect(await calls.listProblems("ar-11")).toEqual([]);
    await calls.applied("ar-11");
    expect((await calls.call("GET", "ott/pages/v1/ar-a")).page.slug).toBe("ar-b");
  });

  test("a page takes the slug, and a component the place, of one that is deleted", async () => {
    await calls.createPage("ar-c");
    await calls.createPage("ar-d");
    await calls.createComponent("ar-d", "f", filter);
    await calls.createRelease("ar-slug");
    await calls.call("DELETE", "ott/pages/v1/ar-c?release_id=ar-slug");
    await rename("ar-d", "ar-c", "ar-slug");
    await calls.call("DELETE", "ott/page_components/v2/ar-d-f?release_id=ar-slug");
    await calls.createComponent("ar-d", "g", filter, { releaseId: "ar-slug" });
    expect(await calls.listProblems("ar-slug")).toEqual([]);
    await calls.applied("ar-slug");
    expect(await calls.orderOf("ar-d")).toBe("g");
  });

  test("12: a second filter has been created since", async () => {
    await calls.createPage("ar-f");
    await calls.createRelease("ar-12");
    await calls.createComponent("ar-f", "a", filter, { releaseId: "ar-12" });
    expect(await calls.listProblems("ar-12")).toEqual([]);
    await calls.createComponent("ar-f", "b", filter);
    expect(await calls.listProblems("ar-12")).toEqual(["page_component:ar-f-a PAGE_FILTER_LIMIT"]);
    expect(reasonOf(await calls.apply("ar-12"))).toBe("PAGE_FILTER_LIMIT");
  });

  test("13: a component between those of a group has been created since", async () => {
    await calls.createPage("ar-g");
    const grouped = { ...text, group_id: "g" };
    await calls.createComponent("ar-g", "a", grouped);
    await calls.createRelease("ar-13");
    await calls.createComponent("ar-g", "b", grouped, { releaseId: "ar-13" });
    await calls.createComponent("ar-g", "c", { ...text, group_id: "g" });
    await calls.createComponent("ar-g", "d");
    expect(await calls.listProblems("ar-13")).toEqual([]);
    await calls.reorder("ar-g", "dac");
    expect(await calls.listProblems("ar-13")).toEqual([]);
    const regrouped = { group_id: "h" };
    await calls.patch("ott/page_components/v2/ar-g-a", "page_component_update", regrouped);
    expect(await calls.listProblems("ar-13")).toEqual([]);
    await calls.applied("ar-13");
    expect(await calls.orderOf("ar-g")).toBe("dabc");
  });

  test("14: a banner collection by a literal id is created in the release, or dropped from it", async () => {
    await calls.createPage("ar-h");
    await calls.createRelease("ar-14");
    const query = "banner_collection_id=ar-banners&release_id=ar-14";
    await calls.call("POST", `ott/banner_collections/v2?${query}`, { ...inProject, name: "B" });
    const banners = { type: "banner_collection", banner_collection: { id: "ar-banners" } };
    await calls.createComponent("ar-h", "a", banners, { releaseId: "ar-14" });
    expect(await calls.listProblems("ar-14")).toEqual([]);
    await calls.call("DELETE", "cms/releases/v1/ar-14/items/banner_collection:ar-banners");
    expect(await calls.listProblems("ar-14")).toEqual([
      "page_component:ar-h-a REFERENCE_NOT_FOUND",
    ]);
    expect(reasonOf(await calls.apply("ar-14"))).toBe("REFERENCE_NOT_FOUND");
  });

  test("15: an entity that current content refers to is deleted by force only", async () => {
    await calls.call("POST", "cms/entities/v1?entity_id=ar-e", {
      ...inProject,
      content_type: "team",
    });
    await calls.createEvent("ar-15e", { entity_ids: ["ar-e"] });
    await calls.createRelease("ar-15");
    await calls.call("DELETE", "cms/entities/v1/ar-e?release_id=ar-15");
    expect(await calls.listProblems("ar-15")).toEqual(["entity:ar-e STILL_REFERRED_TO"]);
    const got = await calls.apply("ar-15");
    expect([reasonOf(got), metadataOf(got)?.item]).toEqual(["STILL_REFERRED_TO", "entity:ar-e"]);
    await calls.call("DELETE", "cms/releases/v1/ar-15/items/entity:ar-e");
    await calls.call("DELETE", "cms/entities/v1/ar-e?release_id=ar-15&force=true");
    expect(await calls.listProblems("ar-15")).toEqual([]);
    await calls.applied("ar-15");
    expect((await calls.send("GET", "cms/entities/v1/ar-e")).status).toBe(404);
  });

  test("16: a quota that is reached only when it is applied: nothing is written", async () => {
    const setQuotas = (quotas: object) =>
      calls.patch(`iam/projects/v1/${DEMO.projectId}`, "project", { quotas });
    await calls.createRelease("ar-16");
    await calls.createEvent("ar-16a", {}, "ar-16");
    await calls.createEvent("ar-16b", {}, "ar-16");
    const { project } = await calls.call("GET", `iam/projects/v1/${DEMO.projectId}`);
    await setQuotas({ items: String(Number(project.usage.items) + 1) });
    expect(await calls.listProblems("ar-16")).toHaveLength(1);
    const got = await calls.apply("ar-16");
    expect([got.status, reasonOf(got)]).toEqual([429, "QUOTA_EXCEEDED"]);
    expect((await calls.send("GET", "cms/events/v1/ar-16a")).status).toBe(404);
    await setQuotas({ items: String(Number(project.usage.items) + 2) });
    await calls.applied("ar-16");
    await setQuotas({});
  });
});

describe("the components of a page", () => {
  test("are deleted, and return to their places", async () => {
    await calls.createPage("aq");
    for (const name of "abcd") await calls.createComponent("aq", name);
    await calls.createRelease("aq-release");
    for (const name of "bc") {
      await calls.call("DELETE", `ott/page_components/v2/aq-${name}?release_id=aq-release`);
    }
    const { change_id } = await calls.applied("aq-release");
    expect(await calls.orderOf("aq")).toBe("ad");
    await calls.call("POST", `cms/changes/v1/${change_id}:revert`, {});
    expect(await calls.orderOf("aq")).toBe("abcd");
  });

  test("2: in the order of a draft that the current page has by then change nothing", async () => {
    await calls.createPage("as");
    for (const name of "abc") await calls.createComponent("as", name);
    await calls.createRelease("as-release");
    await calls.reorder("as", "cba", "as-release");
    await calls.reorder("as", "cba");
    const { release } = await calls.call("GET", "cms/releases/v1/as-release");
    expect(release).toMatchObject({ item_count: 0, conflict_count: 0 });
    expect(await calls.applied("as-release")).toMatchObject({ change_id: "" });
  });

  test("are created, deleted and reordered at once, and all of it is taken back", async () => {
    await calls.createPage("ao");
    for (const name of "abcdef") await calls.createComponent("ao", name);
    await calls.createRelease("ao-release");
    for (const name of "bc") {
      await calls.call("DELETE", `ott/page_components/v2/ao-${name}?release_id=ao-release`);
    }
    await calls.createComponent("ao", "x", text, { releaseId: "ao-release" });
    await calls.reorder("ao", "xfeda", "ao-release");
    const { headers: before } = await calls.send("GET", "ott/pages/v1/ao");
    const { change_id } = await calls.applied("ao-release");
    expect(await calls.orderOf("ao")).toBe("xfeda");
    const { headers: after } = await calls.send("GET", "ott/pages/v1/ao");
    expect(after.get("etag")).not.toBe(before.get("etag"));
    await calls.call("POST", `cms/changes/v1/${change_id}:revert`, {});
    expect(await calls.orderOf("ao")).toBe("abcdef");
    await calls.undo("page:ao");
    expect(await calls.orderOf("ao")).toBe("xfeda");
  });
});

describe("the drafts of a release", () => {
  test("read the same again, merged with a later change of the current version", async () => {
    await calls.createEvent("al-m", { title: { en: "A" } });
    const id = await calls.createRelease("al-merged");
    await calls.patchEvent("al-m", { title: { en: "B" } }, id);
    await calls.patchEvent("al-m", { content_type: "final" });
    const got = await listItems(id);
    const [{ merged, update_time }] = got.items;
    expect(merged.event).toMatchObject({ title: { en: "B" }, content_type: "final", update_time });
    expect(await listItems(id)).toEqual(got);
  });

  test("are listed in pages", async () => {
    const id = await calls.createRelease("al");
    for (const name of ["a", "b", "c"]) await calls.createEvent(`al-${name}`, {}, id);
    await calls.call("POST", `cms/entities/v1?entity_id=al-z&release_id=${id}`, {
      ...inProject,
      content_type: "team",
    });
    const keys: string[] = [];
    let token = "";
    do {
      const query = new URLSearchParams({ page_size: "3", page_token: token });
      const { items, next_page_token } = await listItems(id, String(query));
      keys.push(...items.map(({ key }: { key: string }) => key));
      token = next_page_token;
    } while (token !== "");
    expect(keys).toEqual(["entity:al-z", "event:al-a", "event:al-b", "event:al-c"]);
    const got = await calls.send("GET", `cms/releases/v1/${id}/items?page_token=x`);
    expect(reasonOf(got)).toBe("PAGE_TOKEN_INVALID");
  });

  test("are counted in the list of releases", async () => {
    const query = new URLSearchParams({ project_id: DEMO.projectId, filter: "name: al" });
    const { releases } = await calls.call("GET", `cms/releases/v1?${query}`);
    expect(releases).toMatchObject([{ id: "al", item_count: 4, conflict_count: 0 }]);
  });
});

test("checking and applying a release exclude only the writes of its project", async () => {
  const made: StoreCall[] = [];
  const server = await startOver(recordCalls(marquee.store, made), { runsActions: false });
  onTestFinished(() => server.close(1_000));
  const id = await calls.createRelease("ap-scope");
  for (const verb of ["check", "apply"]) {
    const url = `${server.studioUrl}/cms/releases/v1/${id}:${verb}`;
    expect((await send("POST", url, { token: marquee.tokens.owner, body: {} })).status).toBe(200);
  }
  const scopes = made
    .filter(({ name }) => name === "transaction")
    .map(({ args: [scope] }) => scope);
  const { projectId, organizationId: owner } = DEMO;
  expect(scopes).toEqual([1, 2].map(() => ({ projectIds: [projectId], owner, isLong: true })));
});

test("resources that have grown beyond 16 MiB since their drafts are merged in several releases", async () => {
  const ids = Array.from({ length: 75 }, (_, it) => `grown-${it}`);
  const write = (some: readonly string[], fields: object) =>
    calls.call("POST", "cms/records/v1:write", {
      ...inProject,
      records: some.map((id) => ({ event: { id, fields } })),
    });
  await write(ids, { score: 0 });
  await Promise.all([calls.createRelease("grown"), calls.createRelease("grown-less")]);
  for (const id of ids) await calls.patchEvent(id, { title: { en: "Draft" } }, "grown");
  for (const id of ids.slice(0, 5)) {
    await calls.patchEvent(id, { title: { en: "Draft" } }, "grown-less");
  }
  const texts = Array.from({ length: 60 }, () => "x ".repeat(2_000));
  for (let from = 0; from < ids.length; from += 15)
    await write(ids.slice(from, from + 15), { texts });
  for (const verb of ["apply", "check"]) {
    const got = await calls.send("POST", `cms/releases/v1/grown:${verb}`, {});
    expect([verb, got.status, reasonOf(got)]).toEqual([verb, 429, "RELEASE_ITEM_LIMIT"]);
  }
  await calls.applied("grown-less");
});
