import { randomUUID } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { MAX_WEBHOOKS } from "../../../src/domain/actions/webhook.ts";
import { metadataOf, reasonOf } from "../../harness/http.ts";
import { startMarquee } from "../../harness/marquee.ts";
import { importText, toText } from "../../transfer/transfer.ts";
import { callRest } from "../studio.ts";

const marquee = await startMarquee();
afterAll(() => marquee.close());

const inProject = { project_id: "worldcup" };
const send = (method: string, path: string, body?: unknown) =>
  callRest(marquee, method, path, body);
const call = async (method: string, path: string, body?: unknown) => {
  const { status, json } = await send(method, path, body);
  if (status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(json)}`);
  return json;
};
const createEvent = (id: string, fields: object = {}) =>
  call("POST", `cms/events/v1?event_id=${id}`, { ...inProject, content_type: "match", ...fields });
const patchEvent = (id: string, event: object) =>
  call("PATCH", `cms/events/v1/${id}`, { event, update_mask: Object.keys(event).join() });
const getEvent = async (id: string) => (await call("GET", `cms/events/v1/${id}`)).event;
const revert = (id: string) => send("POST", `cms/changes/v1/${id}:revert`, {});
const newestOf = async (key: string): Promise<string> => {
  const query = new URLSearchParams({ project_id: "worldcup", filter: `resource: "${key}"` });
  return (await call("GET", `cms/changes/v1?${query}`)).changes[0].id;
};
/** The record of an event with a title. */
type EventRecord = { readonly event: { readonly title: { readonly en: string } } };
const undo = async (key: string) => {
  const got = await revert(await newestOf(key));
  expect([got.status, got.json]).toEqual([200, expect.anything()]);
  return got.json.resources;
};

test("an update, a creation and a deletion are taken back, and taken back again", async () => {
  const { event: created } = await createEvent("r1", { title: { en: "One" }, fields: { a: 1 } });
  const { event: updated } = await patchEvent("r1", { title: { en: "Two" } });
  expect(await undo("event:r1")).toEqual(["event:r1"]);
  expect(await getEvent("r1")).toEqual(created);
  expect(await undo("event:r1")).toEqual(["event:r1"]);
  expect(await getEvent("r1")).toEqual(updated);
  await call("DELETE", "cms/events/v1/r1");
  await undo("event:r1");
  expect(await getEvent("r1")).toEqual(updated);
  await undo("event:r1");
  expect((await send("GET", "cms/events/v1/r1")).status).toBe(404);
});

test("later changes of other values stay; of the same value they are a conflict", async () => {
  await createEvent("r2", { title: { en: "One" }, fields: { a: 1, b: 1 } });
  await patchEvent("r2", { fields: { a: 2, b: 1 } });
  const change = await newestOf("event:r2");
  await patchEvent("r2", { title: { en: "Two" }, fields: { a: 2, b: 2 } });
  expect((await revert(change)).json).toEqual({ resources: ["event:r2"] });
  expect(await getEvent("r2")).toMatchObject({ title: { en: "Two" }, fields: { a: 1, b: 2 } });
  const before = await getEvent("r2");
  await patchEvent("r2", { fields: { a: 3, b: 2 } });
  const got = await revert(change);
  expect([got.status, reasonOf(got)]).toEqual([409, "RELEASE_CONFLICTS"]);
  expect(metadataOf(got)).toEqual({
    item: "event:r2",
    conflicts: "event:r2 path_changed fields.a",
  });
  expect(await getEvent("r2")).toMatchObject({ title: before.title, fields: { a: 3, b: 2 } });
});

test("a change that was taken back changes nothing when it is taken back once more", async () => {
  await createEvent("r3", { title: { en: "One" } });
  await patchEvent("r3", { title: { en: "Two" } });
  const change = await newestOf("event:r3");
  await revert(change);
  const before = await send("GET", "cms/events/v1/r3");
  expect((await revert(change)).json).toEqual({ resources: [] });
  const after = await send("GET", "cms/events/v1/r3");
  expect(after.headers.get("etag")).toBe(before.headers.get("etag"));
});

test("27: a creation that others refer to is not taken back", async () => {
  await call("POST", "cms/entities/v1?entity_id=r-team", { ...inProject, content_type: "team" });
  await createEvent("r4", { entity_ids: ["r-team"] });
  const got = await revert(await newestOf("entity:r-team"));
  expect([got.status, reasonOf(got)]).toEqual([400, "STILL_REFERRED_TO"]);
});

test("26: a deletion is taken back at its place, or at the end without its predecessor", async () => {
  await call("POST", "ott/pages/v1?page_id=rq", { ...inProject, slug: "rq" });
  const text = { ...inProject, type: "text", text: { html: "x" } };
  for (const id of ["rq1", "rq2", "rq3", "rq4"]) {
    await call("POST", `ott/page_components/v2?page_id=rq&page_component_id=${id}`, text);
  }
  const listIds = async () => {
    const { page_components } = await call("GET", "ott/page_components/v2?page_id=rq");
    return page_components.map(({ id }: { id: string }) => id);
  };
  await call("DELETE", "ott/page_components/v2/rq3");
  await call("DELETE", "ott/page_components/v2/rq2");
  await undo("page_component:rq3");
  expect(await listIds()).toEqual(["rq1", "rq4", "rq3"]);
  await undo("page_component:rq2");
  expect(await listIds()).toEqual(["rq1", "rq2", "rq4", "rq3"]);
});

test("a page returns with its components, at their places", async () => {
  await call("POST", "ott/pages/v1?page_id=rp", { ...inProject, slug: "rp" });
  const path = (id: string) => `ott/page_components/v2?page_id=rp&page_component_id=${id}`;
  const text = { ...inProject, type: "text", text: { html: "x" } };
  for (const id of ["rc1", "rc2", "rc3"]) await call("POST", path(id), text);
  const listIds = async () => {
    const { page_components } = await call("GET", "ott/page_components/v2?page_id=rp");
    return page_components.map(({ id }: { id: string }) => id);
  };
  for (const id of ["rc1", "rc2", "rc3"]) {
    await call("DELETE", `ott/page_components/v2/${id}`);
    await undo(`page_component:${id}`);
    expect(await listIds()).toEqual(["rc1", "rc2", "rc3"]);
  }
  const order = ["rc3", "rc1", "rc2"];
  await call("POST", "ott/pages/v1/rp:reorderComponents", { page_component_ids: order });
  await undo("page:rp");
  expect(await listIds()).toEqual(["rc1", "rc2", "rc3"]);
  const component = { page_component_update: { text: { html: "y" } }, update_mask: "text" };
  await call("PATCH", "ott/page_components/v2/rc2", component);
  await undo("page_component:rc2");
  expect((await call("GET", "ott/page_components/v2/rc2")).page_component.text.html).toBe("x");
  await call("DELETE", "ott/pages/v1/rp?force=true");
  await undo("page:rp");
  expect(await listIds()).toEqual(["rc1", "rc2", "rc3"]);
});

test("25: an import that is not recorded cannot be taken back, nor the change before it", async () => {
  const importRecord = (record: object) =>
    importText(marquee.store, toText([record]), {
      announcement: { createId: randomUUID, now: new Date() },
    });
  const title = (en: string) => ({ title: { en } });
  const { event } = await createEvent("r5", { ...title("One"), fields: { a: 1 } });
  await createEvent("r6", title("Other"));
  await patchEvent("r5", title("Two"));
  const [updated, other] = [await newestOf("event:r5"), await newestOf("event:r6")];
  await importRecord({ event: { ...event, ...title("Two"), fields: { a: 2 } } });
  expect(await newestOf("event:r5")).toBe(updated);
  const got = await revert(updated);
  expect([got.status, reasonOf(got)]).toEqual([400, "CHANGE_NOT_REVERTIBLE"]);
  const { change } = await call("GET", `cms/changes/v1/${updated}`);
  expect(change.resources[0]).toMatchObject({ before: { event: title("One") } });
  expect(change.resources[0].after).toBeUndefined();
  // A change after the import is one of its own, with what was imported before it.
  await patchEvent("r5", title("Three"));
  await undo("event:r5");
  expect(await getEvent("r5")).toMatchObject({ ...title("Two"), fields: { a: 2 } });
  expect(reasonOf(await revert(updated))).toBe("CHANGE_NOT_REVERTIBLE");
  expect((await revert(other)).status).toBe(200);
  // A deletion is taken back unless the import has created the resource again.
  await call("DELETE", "cms/events/v1/r5");
  const deleted = await newestOf("event:r5");
  await importRecord({ event: { ...event, ...title("Imported") } });
  expect(reasonOf(await revert(deleted))).toBe("RELEASE_CONFLICTS");
  await importRecord({ event: { ...event, ...title("Imported") } });
  expect((await call("GET", "cms/events/v1/r5")).event.title.en).toBe("Imported");
});

test("a change before a write past the history is not taken back", async () => {
  // A process without history writes the document and its revision.
  const writePast = async (id: string) => {
    await marquee.store.transaction({ organizationId: "org-worldcup" }, async (unit) => {
      await unit.in("org-worldcup").documents.event.update(id, ({ value }) => ({
        ...value,
        title: { en: "Past" },
      }));
    });
  };
  const records = ["r-past", "r-kept"].map((id) => ({ event: { id, content_type: "match" } }));
  await call("POST", "cms/records/v1:write", { ...inProject, records });
  const title = (en: string) => ({ title: { en } });
  await patchEvent("r-past", title("One"));
  // Joined changes have the revision of the last of them.
  await patchEvent("r-past", title("Two"));
  await patchEvent("r-past", title("Three"));
  await undo("event:r-past");
  await undo("event:r-past");
  const changed = await newestOf("event:r-past");
  await writePast("r-past");
  const got = await revert(changed);
  expect([got.status, reasonOf(got)]).toEqual([400, "CHANGE_NOT_REVERTIBLE"]);
  expect((await getEvent("r-past")).title.en).toBe("Past");
  const { change } = await call("GET", `cms/changes/v1/${changed}`);
  expect(change.resources[0].after).toBeUndefined();
  await patchEvent("r-kept", title("Kept"));
  await call("DELETE", "cms/events/v1/r-kept");
  const deleted = await newestOf("event:r-kept");
  expect((await revert(deleted)).status).toBe(200);
});

test("24: a change that lost a state to retention is shown without it, and not taken back", async () => {
  const ids = ["r7", "r8", "r9"];
  for (const id of ids) await createEvent(id, { title: { en: "One" } });
  const records = ids.map((id) => ({ event: { id, title: { en: id } } }));
  await call("POST", "cms/records/v1:write", { project_id: "worldcup", records });
  const written = await newestOf("event:r8");
  // Changes of other paths than the one before are not joined.
  for (let count = 0; count < 20; count += 1) {
    await patchEvent("r8", count % 2 ? { title: { en: `${count}` } } : { fields: { count } });
  }
  const later = new Date(Date.now() + 1_000);
  const retention = { any: later, newest: new Date(0), bytes: 1e9 };
  await marquee.store.history.prune(retention, undefined, 1_000);
  const { resources } = (await call("GET", `cms/changes/v1/${written}`)).change;
  const titles = resources.map(({ before, after }: Record<string, EventRecord>) =>
    [before, after].map((record) => record?.event.title.en),
  );
  expect(titles).toEqual([
    ["One", "r7"],
    [undefined, undefined],
    ["One", "r9"],
  ]);
  const got = await revert(written);
  expect([got.status, reasonOf(got)]).toEqual([400, "HISTORY_GONE"]);
  expect((await getEvent("r7")).title.en).toBe("r7");
});

test("a webhook returns without its secret: one that exists keeps its own, a deleted one gets a new one", async () => {
  const collection = "cms/webhooks/v1";
  const get = async () => (await call("GET", `${collection}/hook`)).webhook;
  const { webhook: created, signing_secret } = await call("POST", `${collection}?webhook_id=hook`, {
    ...{ ...inProject, name: "Hook", url: "https://one.example.com/hook", kinds: ["event"] },
  });
  await createEvent("r6");
  const filter = encodeURIComponent('webhook_id: "hook"');
  const runs = `annotations/action_runs/v1?project_id=worldcup&filter=${filter}`;
  const [run] = (await call("GET", runs)).action_runs;
  const getSecret = () => marquee.store.actionRuns.findSecret(run.id);
  expect(await getSecret()).toBe(signing_secret);
  const url = "https://two.example.com/hook";
  await call("PATCH", `${collection}/hook`, { webhook: { url }, update_mask: "url" });
  const { signing_secret: rotated } = await call("POST", `${collection}/hook:rotateSecret`, {});
  const updated = await get();
  expect(updated.url).toBe(url);

  await call("DELETE", `${collection}/hook`);
  await undo("webhook:hook");
  expect(await get()).toEqual(updated);
  const renewed = await getSecret();
  expect(renewed).toMatch(/^whsec_/);
  expect([signing_secret, rotated]).not.toContain(renewed);

  const query = new URLSearchParams({ ...inProject, filter: 'resource: "webhook:hook"' });
  const { changes } = await call("GET", `cms/changes/v1?${query}`);
  const texts = [];
  for (const { id } of changes)
    texts.push(JSON.stringify(await call("GET", `cms/changes/v1/${id}`)));
  expect(texts.length).toBeGreaterThan(3);
  for (const text of texts) expect(text).not.toMatch(/whsec_|signing_secret/);
  const update = changes.find((it: { method: string }) => it.method.endsWith("UpdateWebhook"));
  await call("POST", `cms/changes/v1/${update.id}:revert`, {});
  expect((await get()).url).toBe(created.url);
  expect(await getSecret()).toBe(renewed);
});

test("a deleted webhook returns unless the project has the most by then", async () => {
  const collection = "cms/webhooks/v1";
  const create = (id: string) =>
    call("POST", `${collection}?webhook_id=${id}`, {
      ...inProject,
      name: id,
      url: "https://example.com",
    });
  const { webhooks } = await call("GET", `${collection}?project_id=worldcup`);
  for (let count = webhooks.length; count < MAX_WEBHOOKS; count += 1) await create(`most-${count}`);
  await call("DELETE", `${collection}/most-19`);
  const change = await newestOf("webhook:most-19");
  await create("most-20");
  const got = await revert(change);
  expect([got.status, reasonOf(got)]).toEqual([429, "WEBHOOK_LIMIT"]);
  expect((await send("GET", `${collection}/most-19`)).status).toBe(404);
  await call("DELETE", `${collection}/most-20`);
  expect((await revert(change)).json).toEqual({ resources: ["webhook:most-19"] });
});

test("what cannot be taken back says so", async () => {
  await call("PATCH", "iam/projects/v1/worldcup", {
    project: { name: "New" },
    update_mask: "name",
  });
  const got = await revert(await newestOf("project:worldcup"));
  expect([got.status, reasonOf(got)]).toEqual([400, "CHANGE_NOT_REVERTIBLE"]);
  expect((await revert("none")).status).toBe(404);
});
