import { describe, expect, test } from "vitest";
import { connectHeaders } from "../../harness/calls.ts";
import { metadataOf, rejection, send } from "../../harness/http.ts";
import { ok, useIam } from "../iam/iam.ts";
import type { JsonMessage } from "../methods.ts";
import { ReleaseCalls } from "../releases/releases.ts";
import { blamedField } from "../studio.ts";

const { marquee, call, make } = await useIam();
const releases = new ReleaseCalls(marquee);
const { keys, tokens, url } = marquee;
const RENDER = "svc.studio.ott.rendering.v1.RenderingService/RenderPageComponent";
const GET = "svc.cda.ott.page_component.v2.PageComponentService/GetPageComponent";
const PATH = "ott/page_components/v2:render";

type Headers = Readonly<Record<string, string>>;

/** Renders over Connect, whose JSON is that of the Delivery API. */
const render = (body: JsonMessage, headers: Headers = {}, token = tokens.viewer) =>
  send("POST", `${url}/${RENDER}`, { headers: { ...connectHeaders(token), ...headers }, body });

/** Gets a stored component with the preview key. */
const get = (body: JsonMessage, headers: Headers = {}) =>
  send("POST", `${url}/${GET}`, { headers: { ...connectHeaders(keys.preview), ...headers }, body });

/** Returns a rail for the home page of the demo. */
const rail = (fields: JsonMessage = {}) => ({
  pageComponent: {
    projectId: "worldcup",
    type: "rail",
    rail: { type: "BASE_TYPE_EVENT", filter: "content_type: match", ...fields },
  },
  pageId: "page-home",
  includeItems: true,
});

/** Returns every component of the demo with its page. */
async function listComponents(): Promise<{ pageId: string; component: JsonMessage }[]> {
  const { pages } = ok(await call("GET /ott/pages/v1?project_id=worldcup"));
  const lists = pages.map(async ({ id }: { id: string }) => {
    const list = "svc.studio.ott.page_component.v2.PageComponentService/ListPageComponents";
    const headers = connectHeaders(tokens.viewer);
    const got = await send("POST", `${url}/${list}`, { headers, body: { pageId: id } });
    return ok(got).pageComponents?.map((component: JsonMessage) => ({ pageId: id, component }));
  });
  return (await Promise.all(lists)).flatMap((it) => it ?? []);
}

describe("a component that is rendered without being stored", () => {
  test("is as GetPageComponent returns it with a preview key, for every component of the demo", async () => {
    const components = await listComponents();
    expect(components.length).toBeGreaterThan(20);
    const state = {
      parameters: { id: "match-2026-104", q: "final" },
      session: { stage: "final" },
      ...{ includeItems: true, itemsPageSize: 3 },
    };
    for (const { pageId, component } of components) {
      const { id, ...pageComponent } = component;
      const want = await get({ id, pageId, ...state });
      const got = await render({ pageComponent, pageComponentId: id, pageId, ...state });
      expect([id, got.status, got.json]).toEqual([id, want.status, want.json]);
    }
  });

  test("follows what is typed, with warnings about the filter", async () => {
    const typed = ok(await render(rail({ filter: "fields.stage: final" })));
    expect(typed.component.filter).toBe("fields.stage: final");
    const got = await render(rail({ filter: "contentType: film" }));
    expect(ok(got).component.items).toBeUndefined();
    expect(got.headers.get("marquee-warnings")).toContain("page_component.rail.filter");
    expect(got.headers.get("cache-control")).toBe("private, no-store");
  });

  test("may be as deep as a stored one", async () => {
    let text: JsonMessage = { end: "deep" };
    for (let level = 0; level < 94; level += 1) text = { text };
    const pageComponent = { projectId: "worldcup", type: "text", text };
    const message = { pageComponent, pageId: "page-home" };
    expect(JSON.stringify(ok(await render(message)))).toContain('"end":"deep"');
  });

  test("is of the release, the time and the audience that the request names", async () => {
    await releases.createRelease("rendered");
    await releases.createEvent("rendered-1", { title: { en: "Drafted" } }, "rendered");
    const message = rail({ filter: "id: rendered-1" });
    const idsOf = async (body: JsonMessage, headers: Headers = {}) => {
      const { component } = ok(await render(body, headers));
      return (component.items ?? []).map(({ event }: { event: { id: string } }) => event.id);
    };
    expect(await idsOf(message)).toEqual([]);
    expect(await idsOf({ ...message, releaseId: "rendered" })).toEqual(["rendered-1"]);
    const asPublic = { "x-preview-audience": "public" };
    expect(await idsOf({ ...message, releaseId: "rendered" }, asPublic)).toEqual([]);
    const applyTime = new Date(Date.now() + 3_600_000);
    await releases.call("PATCH", "cms/releases/v1/rendered", {
      release: { apply_time: applyTime.toISOString() },
      update_mask: "apply_time",
    });
    const time = new Date(applyTime.getTime() + 60_000).toISOString();
    expect(await idsOf(message, { "x-preview-time": time })).toEqual(["rendered-1"]);
  });

  test("can be on a page that only the release has", async () => {
    await releases.createRelease("paged");
    const page = { project_id: "worldcup", slug: "paged" };
    await releases.call("POST", "ott/pages/v1?page_id=paged&release_id=paged", page);
    const message = { ...rail(), pageId: "paged" };
    expect(rejection(await render(message))).toEqual([404, "RESOURCE_NOT_FOUND"]);
    ok(await render({ ...message, releaseId: "paged" }));
  });
});

test("nothing is written", async () => {
  await releases.createRelease("unwritten");
  const read = async () => {
    const state = [
      await call("GET /iam/audit/v1/entries?organization_id=org-worldcup&page_size=5"),
      await call("GET /cms/changes/v1?project_id=worldcup&page_size=5"),
      await call("GET /cms/releases/v1?project_id=worldcup"),
      await call("GET /ott/page_components/v2?page_id=page-home"),
      await get({ id: "rail-home-matches" }),
    ];
    return [...state.map(ok), await releases.itemsOf("unwritten")];
  };
  const before = await read();
  for (const releaseId of ["", "unwritten"]) ok(await render({ ...rail(), releaseId }));
  expect(await read()).toEqual(before);
});

test("the component is checked as a new one, by the paths of its fields", async () => {
  const { pageComponent } = rail();
  for (const [change, reason, field] of [
    [{ rail: { filter: "content_type:" } }, "KQL_SYNTAX", "page_component.rail.filter"],
    [{ rail: { order: "rating" } }, "ORDER_INVALID", "page_component.rail.order"],
    [{ rail: { limit: -1 } }, "VALUE_OUT_OF_RANGE", "page_component.rail.limit"],
    [{ environments: ["toaster"] }, "ENVIRONMENT_UNKNOWN", "page_component.environments"],
    [{ type: "text" }, "TYPE_MISMATCH", "page_component.type"],
    [{ rail: undefined }, "DATA_MEMBER_REQUIRED", undefined],
    [{ id: "rail-x" }, "FIELD_OUTPUT_ONLY", "page_component.id"],
    [
      { type: "banner_collection_v2", rail: undefined, bannerCollectionV2: { id: "nobody" } },
      "REFERENCE_NOT_FOUND",
      "page_component.banner_collection_v2.id",
    ],
  ] as const) {
    const got = await render({ ...rail(), pageComponent: { ...pageComponent, ...change } });
    expect([...rejection(got), metadataOf(got)?.field ?? blamedField(got)]).toEqual([
      ...[400, reason, field],
    ]);
  }
  const variable = { ...rail({ filter: "id: {id}" }) };
  expect(rejection(await render(variable))).toEqual([400, "COMPONENT_DROPPED"]);
  const wide = { ...rail(), itemsPageSize: -1 };
  expect(rejection(await render(wide))).toEqual([400, "PAGE_SIZE_INVALID"]);
});

test("the account needs to preview the whole project", async () => {
  const { token: onPage } = await make.caller(
    ["iam.projects.preview", "ott.pages.get"],
    "page-home/worldcup/page",
  );
  const { token: without } = await make.caller(["ott.pages.get"]);
  expect(rejection(await render(rail(), {}, onPage))).toEqual([403, "PERMISSION_DENIED"]);
  expect(rejection(await render(rail(), {}, without))).toEqual([403, "PERMISSION_DENIED"]);
  expect(rejection(await render(rail(), {}, tokens.outsider))).toEqual([404, "RESOURCE_NOT_FOUND"]);
  const { token: foreign } = await make.caller(["iam.projects.preview"], "sandbox/sandbox/project");
  expect(rejection(await render(rail(), {}, foreign))).toEqual([404, "RESOURCE_NOT_FOUND"]);
  const { pageComponent } = rail();
  const elsewhere = { ...rail(), pageComponent: { ...pageComponent, projectId: "sandbox" } };
  expect(rejection(await render(elsewhere, {}, foreign))).toEqual([404, "RESOURCE_NOT_FOUND"]);
  const header = { "x-release-id": "match-day" };
  expect(rejection(await render(rail(), header))).toEqual([400, "VALUE_INVALID"]);
});

test("its path is no component's", async () => {
  const body = { page_component: { project_id: "worldcup", type: "rail", rail: {} } };
  const got = await releases.send("POST", PATH, { ...body, page_id: "page-home" });
  expect(ok(got).component.component.rail).toBeDefined();
  expect(rejection(await releases.send("GET", PATH))).toEqual([405, "METHOD_NOT_ALLOWED"]);
  const other = await releases.send("POST", "ott/page_components/v2/rail-home-matches", {});
  expect(rejection(other)).toEqual([405, "METHOD_NOT_ALLOWED"]);
});
