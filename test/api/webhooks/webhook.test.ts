import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import { afterAll, describe, expect, test } from "vitest";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { WebhookSchema } from "../../../gen/svc/studio/cms/webhook/v1/webhook_pb.ts";
import { MAX_WEBHOOKS } from "../../../src/domain/actions/webhook.ts";
import { verifyWebhook } from "../../../src/outbox/signature.ts";
import { getUrl, PROCEDURES } from "../../harness/calls.ts";
import { reasonOf, rejection, send } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { SECRET } from "../../outbox/outbox.ts";
import { startReceiver } from "../../outbox/receiver.ts";
import { playCases, toWriteCases } from "../play-cases.ts";
import { callRest } from "../studio.ts";

const receiver = await startReceiver((request, response) =>
  response.writeHead(request.url === "/gone" ? 410 : 200).end(),
);
afterAll(() => receiver.close());
const marquee = await useMarquee({ runsActions: true, actionsAllowPrivate: true });

const call = (method: string, path: string, body?: unknown) =>
  callRest(marquee, method, path.slice(1), body);
const inProject = { project_id: "worldcup" };
const createHook = (id: string, fields: object = {}) =>
  call("POST", `/cms/webhooks/v1?webhook_id=${id}`, {
    ...{ ...inProject, name: id, url: `${receiver.url}/${id}`, ...fields },
  });
const deleteHook = (id: string) => call("DELETE", `/cms/webhooks/v1/${id}`);
const createEvent = (id: string, fields: object = {}, query = "") =>
  call("POST", `/cms/events/v1?event_id=${id}${query}`, {
    ...{ ...inProject, content_type: "match", ...fields },
  });
const patchEvent = (id: string, event: object) =>
  call("PATCH", `/cms/events/v1/${id}`, { event, update_mask: Object.keys(event).join() });
const listRuns = async (id: string) => {
  const filter = encodeURIComponent(`webhook_id: "${id}"`);
  const path = `/annotations/action_runs/v1?project_id=worldcup&filter=${filter}`;
  return (await call("GET", path)).json.action_runs;
};
/** Lists what a webhook was sent, in the order of the changes. */
const listBodies = (path: string) =>
  receiver.requests
    .filter((it) => it.path === `/${path}`)
    .map(({ body }) => JSON.parse(body))
    .sort((a, b) => Number(a.data.revision) - Number(b.data.revision));
const waitForBodies = async (path: string, count: number) => {
  await expect.poll(() => listBodies(path).length).toBe(count);
  return listBodies(path);
};

test("a webhook announces every change of an event, signed, with the keys of its responses", async () => {
  const { signing_secret } = (await createHook("all", { kinds: ["event"] })).json;
  await createEvent("life");
  await patchEvent("life", { visibility: "VISIBILITY_PUBLISHED" });
  expect((await patchEvent("life", { visibility: "VISIBILITY_PUBLISHED" })).status).toBe(200);
  await patchEvent("life", { content_type: "show" });
  const response = await send(
    "GET",
    marquee.url + getUrl(PROCEDURES.listEvents, { filter: "id: life" }),
    { token: marquee.keys.public },
  );
  await patchEvent("life", { visibility: "VISIBILITY_HIDDEN" });
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  await send("DELETE", `${marquee.url}/cms/events/v1/life`, {
    token: marquee.tokens.owner,
    headers: { traceparent },
  });
  const bodies = await waitForBodies("all", 5);
  const keys = ["worldcup/events/life", "worldcup/events"];
  expect(bodies.map(({ type, data }) => [type, data.changes, data.visibility])).toEqual([
    ["event.created", ["created"], "VISIBILITY_UNSPECIFIED"],
    ["event.published", ["published", "updated"], "VISIBILITY_PUBLISHED"],
    ["event.updated", ["updated"], "VISIBILITY_PUBLISHED"],
    ["event.unpublished", ["unpublished", "updated"], "VISIBILITY_HIDDEN"],
    ["event.deleted", ["deleted"], "VISIBILITY_HIDDEN"],
  ]);
  const types = [["match"], ["match"], ["match", "show"], ["show"], ["show"]];
  for (const [index, { data }] of bodies.entries()) {
    const surrogate_keys = [
      ...keys,
      ...(types[index] ?? []).map((type) => `worldcup/events/type:${type}`),
    ];
    expect(data).toMatchObject({ ...inProject, kind: "event", id: "life", surrogate_keys });
  }
  // Every key of the response that showed the event is purged.
  const shown = (response.headers.get("surrogate-key") ?? "").split(" ");
  expect(shown.toSorted()).toEqual(["worldcup", ...keys].sort());

  const requests = receiver.requests.filter(({ path }) => path === "/all");
  expect(requests.map(({ headers }) => headers.traceparent).filter(Boolean)).toEqual([traceparent]);
  const [request] = requests;
  const sent = verifyWebhook({
    secrets: [signing_secret],
    headers: new Headers(Object.entries(request?.headers ?? {}) as [string, string][]),
    body: request?.body ?? "",
    now: new Date(),
  });
  const runs = await listRuns("all");
  expect(runs.map((it: { type: string }) => it.type)).toContain("event.deleted");
  expect(runs.find((it: { id: string }) => it.id === sent.id)).toMatchObject({
    ...{ ...inProject, webhook_id: "all", action_id: "", annotation_id: "" },
    ...{ resource_type: "event", resource_id: "life", attempt_count: 1 },
    state: "ACTION_RUN_STATE_SUCCEEDED",
  });
  await deleteHook("all");
});

describe("announces only", () => {
  test("its events, kinds, and what its filter matched before or matches after", async () => {
    await createHook("some", { events: ["WEBHOOK_EVENT_PUBLISHED"], kinds: ["event", "entity"] });
    await createHook("shows", { filter: "content_type: show" });
    await createHook("off", { disabled: true });
    await createEvent("other", { visibility: "VISIBILITY_PUBLISHED" });
    await patchEvent("other", { content_type: "show" });
    await patchEvent("other", { content_type: "talk" });
    await patchEvent("other", { content_type: "chat" });
    await call("POST", "/cms/entities/v1?entity_id=hidden", inProject);
    await call("POST", "/cms/creative_works/v1?creative_work_id=x", {
      ...{ ...inProject, visibility: "VISIBILITY_PUBLISHED" },
    });
    const [some] = await waitForBodies("some", 1);
    expect([some.type, some.data.changes]).toEqual(["event.published", ["published", "created"]]);
    const updated = (await waitForBodies("shows", 2)).map(({ type }) => type);
    expect(updated).toEqual(["event.updated", "event.updated"]);
    for (const [id, count] of Object.entries({ some: 1, shows: 2, off: 0 })) {
      expect([id, (await listRuns(id)).length]).toEqual([id, count]);
      await deleteHook(id);
    }
  });

  test("what is written: no dry run, no repeated call, no other project", async () => {
    await createHook("real");
    await createEvent("rehearsed", {}, "&validate_only=true");
    await createEvent("twice", {}, "&request_id=r1");
    await createEvent("twice", {}, "&request_id=r1");
    expect((await createEvent("twice")).status).toBe(409);
    await createEvent("elsewhere", { project_id: "sandbox" });
    expect((await listRuns("real")).length).toBe(1);
    await deleteHook("real");
  });
});

test("pages and components come with what a site revalidates", async () => {
  await createHook("site", { kinds: ["page", "page_component"] });
  const page = { ...inProject, title: { en: "P" }, slug: "old" };
  await call("POST", "/ott/pages/v1?page_id=p", page);
  await call("PATCH", "/ott/pages/v1/p", { page: { slug: "new" }, update_mask: "slug" });
  await call("POST", "/ott/page_components/v2?page_id=p&page_component_id=c", {
    ...{ ...inProject, name: "C", visibility: "VISIBILITY_PUBLISHED" },
    ...{ type: "text", text: { body: "Hello" } },
  });
  await call("PATCH", "/ott/page_components/v2/c", {
    ...{ page_component_update: { name: "D" }, update_mask: "name" },
  });
  await call("DELETE", "/ott/page_components/v2/c");
  await call("DELETE", "/ott/pages/v1/p");
  const bodies = await waitForBodies("site", 6);
  const component = ["worldcup/page_components/c", "worldcup/page_components", "worldcup/pages/p"];
  const own = ["worldcup/pages/p", "worldcup/pages"];
  expect(bodies.map(({ type, data }) => [type, data.slug, data.page, data.surrogate_keys])).toEqual(
    [
      ["page.created", "old", undefined, own],
      ["page.updated", "new", undefined, own],
      ["page_component.published", undefined, { id: "p", slug: "new" }, component],
      ["page_component.updated", undefined, { id: "p", slug: "new" }, component],
      ["page_component.unpublished", undefined, { id: "p", slug: "new" }, component],
      ["page.deleted", "new", undefined, [...own, "worldcup/page_components"]],
    ],
  );
  expect(bodies[1].data.previous_slug).toBe("old");
  await deleteHook("site");
});

test("a new order of components is a change of their page; what changes nothing is none", async () => {
  await call("POST", "/ott/pages/v1?page_id=ordered", { ...inProject, slug: "ordered" });
  for (const id of ["first", "second"]) {
    await call("POST", `/ott/page_components/v2?page_id=ordered&page_component_id=${id}`, {
      ...{ ...inProject, name: id, type: "text", text: { body: "Hello" } },
    });
  }
  await createHook("order", { kinds: ["page", "page_component"] });
  const rename = (name: string) =>
    call("PATCH", "/ott/page_components/v2/first", {
      ...{ page_component_update: { name }, update_mask: "name" },
    });
  await rename("first");
  await call("PATCH", "/ott/pages/v1/ordered", { page: {}, update_mask: "title" });
  const page_component_ids = ["second", "first"];
  await call("POST", "/ott/pages/v1/ordered:reorderComponents", { page_component_ids });
  await rename("other");
  const bodies = await waitForBodies("order", 2);
  expect(bodies.map(({ type }) => type)).toEqual(["page.updated", "page_component.updated"]);
  expect(bodies[0].data.surrogate_keys).toEqual(["worldcup/pages/ordered", "worldcup/pages"]);
  await deleteHook("order");
});

test("runs are sent at once, without waiting for the next poll", async () => {
  await createHook("at-once", { kinds: ["entity"] });
  const url = `${receiver.url}/goal`;
  const action = { ...inProject, name: "at once", webhook: { url } };
  await call("POST", "/annotations/actions/v1?action_id=at-once", action);
  const type = { ...inProject, name: "at once" };
  await call("POST", "/annotations/types/v1?annotation_type_id=at-once", type);
  const configuration = { "at-once": {} };
  await call("PATCH", "/annotations/types/v1/at-once/action_configuration", { configuration });
  const goal = { ...inProject, type_id: "at-once" };
  const writes = {
    goal: () => call("POST", "/annotations/annotations/v1", goal),
    "at-once": () => call("POST", "/cms/entities/v1", inProject),
  };
  for (const [path, write] of Object.entries(writes)) {
    const count = () => receiver.requests.filter((it) => it.path === `/${path}`).length;
    const delays: number[] = [];
    for (let index = 1; index <= 5; index += 1) {
      expect((await write()).status).toBe(200);
      const start = performance.now();
      await expect.poll(count, { interval: 5 }).toBe(index);
      delays.push(performance.now() - start);
      // The worker has recorded the outcome, and waits.
      await setTimeout(200);
    }
    // Of a worker that only polls, each run but the first waits 800 ms.
    expect(Math.min(...delays.slice(1))).toBeLessThan(500);
  }
  await deleteHook("at-once");
});

test("an import is one delivery for each webhook, whatever it wants", async () => {
  await createHook("imports", { kinds: ["page"], filter: "id: nothing" });
  const events = [1, 2, 3].map((line) => ({
    ...({ kind: "event", line } as const),
    message: create(EventSchema, { id: `imported-${line}`, projectId: "worldcup" }),
  }));
  const announcement = { createId: randomUUID, now: new Date() };
  const { store } = marquee;
  await store.importRecords([events], { announcement, isDryRun: true });
  await store.importRecords([events], { announcement });
  // Nothing changes.
  await store.importRecords([events], { announcement });
  const [body] = await waitForBodies("imports", 1);
  expect([body.type, body.data.surrogate_keys]).toEqual(["project.imported", ["worldcup"]]);
  expect((await listRuns("imports")).length).toBe(1);
  await deleteHook("imports");
});

test("a run that was given up is replayed, until its webhook is deleted", async () => {
  await createHook("gone", { kinds: ["event"] });
  await createEvent("late");
  const run = async () => (await listRuns("gone"))[0];
  await expect.poll(async () => (await run()).state).toBe("ACTION_RUN_STATE_FAILED");
  const { id, reason } = await run();
  expect(reason).toBe("STATUS_410");
  const replay = () => call("POST", `/annotations/action_runs/v1/${id}:replay`, {});
  const update = { webhook: { url: `${receiver.url}/moved` }, update_mask: "url" };
  expect((await call("PATCH", "/cms/webhooks/v1/gone", update)).status).toBe(200);
  expect((await replay()).json.action_run.state).toBe("ACTION_RUN_STATE_PENDING");
  expect((await waitForBodies("moved", 1))[0]).toEqual(listBodies("gone")[0]);
  await expect.poll(async () => (await run()).state).toBe("ACTION_RUN_STATE_SUCCEEDED");

  const off = { webhook: { disabled: true }, update_mask: "disabled" };
  await call("PATCH", "/cms/webhooks/v1/gone", off);
  await replay();
  await expect.poll(async () => (await run()).reason).toBe("DISABLED");
  await deleteHook("gone");
  expect(reasonOf(await replay())).toBe("WEBHOOK_NOT_FOUND");
});

test("an action and a webhook of the same id have their own runs", async () => {
  const action = { ...inProject, name: "same", webhook: { url: `${receiver.url}/action` } };
  await call("POST", "/annotations/actions/v1?action_id=same", action);
  await createHook("same", { kinds: ["event"] });
  await createEvent("of-same");
  await waitForBodies("same", 1);
  expect(listBodies("action")).toEqual([]);
  const path = "/annotations/action_runs/v1?project_id=worldcup&filter=action_id:same";
  expect((await call("GET", path)).json.action_runs).toEqual([]);
  await deleteHook("same");
});

test("a process sees a webhook that another has written within a second", async () => {
  const other = await marquee.openAnother();
  await createEvent("watched");
  const webhook = create(WebhookSchema, {
    ...{ id: "written", projectId: "worldcup", name: "w", url: `${receiver.url}/written` },
  });
  await other.in("org-worldcup").documents.webhook.create(webhook, { secret: SECRET });
  const changeOnce = async () => {
    await patchEvent("watched", { content_type: randomUUID() });
    return (await listRuns("written")).length;
  };
  await expect.poll(changeOnce).toBeGreaterThan(0);
  await other.close();
  await deleteHook("written");
});

playCases(
  marquee,
  "a webhook",
  toWriteCases(
    {
      ...{ service: "cms.webhook.v1.WebhookService", noun: "webhook" },
      resource: { projectId: "worldcup", name: "refused", url: "https://site.example.com/" },
    },
    [
      [{ name: "" }, "FIELD_REQUIRED name"],
      [{ url: "nowhere" }, "TARGET_INVALID url"],
      [{ kinds: ["event", "account"] }, "KIND_UNKNOWN"],
      [{ events: ["WEBHOOK_EVENT_UNSPECIFIED"] }, "VALUE_INVALID"],
      [{ filter: "content_type:" }, "KQL_SYNTAX filter"],
    ],
  ),
);

describe("a webhook is rejected", () => {
  test(`past the ${MAX_WEBHOOKS}th of its project`, async () => {
    const ids = Array.from({ length: MAX_WEBHOOKS }, (_, index) => `many-${index}`);
    for (const id of ids) expect((await createHook(id, { disabled: true })).status).toBe(200);
    expect(rejection(await createHook("one-too-many"))).toEqual([429, "WEBHOOK_LIMIT"]);
    // The last one may be changed, and makes room when it is deleted.
    const rename = { webhook: { name: "renamed" }, update_mask: "name" };
    expect((await call("PATCH", "/cms/webhooks/v1/many-0", rename)).status).toBe(200);
    await deleteHook("many-0");
    expect((await createHook("fits", { disabled: true })).status).toBe(200);
  });
});
