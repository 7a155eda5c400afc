import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { MAX_WEBHOOKS } from "../../../src/domain/actions/webhook.ts";
import { metadataOf, reasonOf } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { importText, toText } from "../../transfer/transfer.ts";
import { ReleaseCalls } from "../releases/releases.ts";

const marquee = await useMarquee();

const inProject = { project_id: "worldcup" };
const calls = new ReleaseCalls(marquee);
const revert = (id: string) => calls.send("POST", `cms/changes/v1/${id}:revert`, {});
const newestOf = async (key: string): Promise<string> => (await calls.listChanges(key))[0].id;
/** The record of an event with a title. */
type EventRecord = { readonly event: { readonly title: { readonly en: string } } };

test("later changes of other values stay; of the same value they are a conflict", async () => {
  await calls.createEvent("r2", { title: { en: "One" }, fields: { a: 1, b: 1 } });
  await calls.patchEvent("r2", { fields: { a: 2, b: 1 } });
  const change = await newestOf("event:r2");
  await calls.patchEvent("r2", { title: { en: "Two" }, fields: { a: 2, b: 2 } });
  expect((await revert(change)).json).toEqual({ resources: ["event:r2"] });
  expect(await calls.getEvent("r2")).toMatchObject({
    title: { en: "Two" },
    fields: { a: 1, b: 2 },
  });
  const before = await calls.getEvent("r2");
  await calls.patchEvent("r2", { fields: { a: 3, b: 2 } });
  const got = await revert(change);
  expect([got.status, reasonOf(got)]).toEqual([409, "RELEASE_CONFLICTS"]);
  expect(metadataOf(got)).toEqual({
    item: "event:r2",
    conflicts: "event:r2 path_changed fields.a",
  });
  expect(await calls.getEvent("r2")).toMatchObject({ title: before.title, fields: { a: 3, b: 2 } });
});

test("a change that was taken back changes nothing when it is taken back once more", async () => {
  await calls.createEvent("r3", { title: { en: "One" } });
  await calls.patchEvent("r3", { title: { en: "Two" } });
  const change = await newestOf("event:r3");
  await revert(change);
  const before = await calls.send("GET", "cms/events/v1/r3");
  expect((await revert(change)).json).toEqual({ resources: [] });
  const after = await calls.send("GET", "cms/events/v1/r3");
  expect(after.headers.get("etag")).toBe(before.headers.get("etag"));
});

test("27: a creation that others refer to is not taken back", async () => {
  await calls.call("POST", "cms/entities/v1?entity_id=r-team", {
    ...inProject,
    content_type: "team",
  });
  await calls.createEvent("r4", { entity_ids: ["r-team"] });
  const got = await revert(await newestOf("entity:r-team"));
  expect([got.status, reasonOf(got)]).toEqual([400, "STILL_REFERRED_TO"]);
});

test("26: a deletion is taken back at its place, or at the end without its predecessor", async () => {
  await calls.createPage("rq");
  for (const letter of "abcd") await calls.createComponent("rq", letter);
  await calls.call("DELETE", "ott/page_components/v2/rq-c");
  await calls.call("DELETE", "ott/page_components/v2/rq-b");
  await calls.undo("page_component:rq-c");
  expect(await calls.orderOf("rq")).toBe("adc");
  await calls.undo("page_component:rq-b");
  expect(await calls.orderOf("rq")).toBe("abdc");
});

test("25: an import that is not recorded cannot be taken back, nor the change before it", async () => {
  const importRecord = (record: object) =>
    importText(marquee.store, toText([record]), {
      announcement: { createId: randomUUID, now: new Date() },
    });
  const title = (en: string) => ({ title: { en } });
  const { event } = await calls.createEvent("r5", { ...title("One"), fields: { a: 1 } });
  await calls.createEvent("r6", title("Other"));
  await calls.patchEvent("r5", title("Two"));
  const [updated, other] = [await newestOf("event:r5"), await newestOf("event:r6")];
  await importRecord({ event: { ...event, ...title("Two"), fields: { a: 2 } } });
  expect(await newestOf("event:r5")).toBe(updated);
  const got = await revert(updated);
  expect([got.status, reasonOf(got)]).toEqual([400, "CHANGE_NOT_REVERTIBLE"]);
  const { change } = await calls.call("GET", `cms/changes/v1/${updated}`);
  expect(change.resources[0]).toMatchObject({ before: { event: title("One") } });
  expect(change.resources[0].after).toBeUndefined();
  // A change after the import is one of its own, with what was imported before it.
  await calls.patchEvent("r5", title("Three"));
  await calls.undo("event:r5");
  expect(await calls.getEvent("r5")).toMatchObject({ ...title("Two"), fields: { a: 2 } });
  expect(reasonOf(await revert(updated))).toBe("CHANGE_NOT_REVERTIBLE");
  expect((await revert(other)).status).toBe(200);
  // A deletion is taken back unless the import has created the resource again.
  await calls.call("DELETE", "cms/events/v1/r5");
  const deleted = await newestOf("event:r5");
  await importRecord({ event: { ...event, ...title("Imported") } });
  expect(reasonOf(await revert(deleted))).toBe("RELEASE_CONFLICTS");
  await importRecord({ event: { ...event, ...title("Imported") } });
  expect((await calls.call("GET", "cms/events/v1/r5")).event.title.en).toBe("Imported");
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
  await calls.call("POST", "cms/records/v1:write", { ...inProject, records });
  const title = (en: string) => ({ title: { en } });
  await calls.patchEvent("r-past", title("One"));
  // Joined changes have the revision of the last of them.
  await calls.patchEvent("r-past", title("Two"));
  await calls.patchEvent("r-past", title("Three"));
  await calls.undo("event:r-past");
  await calls.undo("event:r-past");
  const changed = await newestOf("event:r-past");
  await writePast("r-past");
  const got = await revert(changed);
  expect([got.status, reasonOf(got)]).toEqual([400, "CHANGE_NOT_REVERTIBLE"]);
  expect((await calls.getEvent("r-past")).title.en).toBe("Past");
  const { change } = await calls.call("GET", `cms/changes/v1/${changed}`);
  expect(change.resources[0].after).toBeUndefined();
  await calls.patchEvent("r-kept", title("Kept"));
  await calls.call("DELETE", "cms/events/v1/r-kept");
  const deleted = await newestOf("event:r-kept");
  expect((await revert(deleted)).status).toBe(200);
});

test("24: a change that lost a state to retention is shown without it, and not taken back", async () => {
  const ids = ["r7", "r8", "r9"];
  for (const id of ids) await calls.createEvent(id, { title: { en: "One" } });
  const records = ids.map((id) => ({ event: { id, title: { en: id } } }));
  await calls.call("POST", "cms/records/v1:write", { project_id: "worldcup", records });
  const written = await newestOf("event:r8");
  // Changes of other paths than the one before are not joined.
  for (let count = 0; count < 20; count += 1) {
    await calls.patchEvent("r8", count % 2 ? { title: { en: `${count}` } } : { fields: { count } });
  }
  const later = new Date(Date.now() + 1_000);
  const retention = { any: later, newest: new Date(0), bytes: 1e9 };
  await marquee.store.history.prune(retention, undefined, 1_000);
  const { resources } = (await calls.call("GET", `cms/changes/v1/${written}`)).change;
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
  expect((await calls.getEvent("r7")).title.en).toBe("r7");
});

test("a webhook returns without its secret: one that exists keeps its own, a deleted one gets a new one", async () => {
  const collection = "cms/webhooks/v1";
  const get = async () => (await calls.call("GET", `${collection}/hook`)).webhook;
  const { webhook: created, signing_secret } = await calls.call(
    "POST",
    `${collection}?webhook_id=hook`,
    {
      ...{ ...inProject, name: "Hook", url: "https://one.example.com/hook", kinds: ["event"] },
    },
  );
  await calls.createEvent("r6");
  const filter = encodeURIComponent('webhook_id: "hook"');
  const runs = `annotations/action_runs/v1?project_id=worldcup&filter=${filter}`;
  const [run] = (await calls.call("GET", runs)).action_runs;
  const getSecret = () => marquee.store.actionRuns.findSecret(run.id);
  expect(await getSecret()).toBe(signing_secret);
  const url = "https://two.example.com/hook";
  await calls.patch(`${collection}/hook`, "webhook", { url });
  const { signing_secret: rotated } = await calls.call(
    "POST",
    `${collection}/hook:rotateSecret`,
    {},
  );
  const updated = await get();
  expect(updated.url).toBe(url);

  await calls.call("DELETE", `${collection}/hook`);
  await calls.undo("webhook:hook");
  expect(await get()).toEqual(updated);
  const renewed = await getSecret();
  expect(renewed).toMatch(/^whsec_/);
  expect([signing_secret, rotated]).not.toContain(renewed);

  const changes = await calls.listChanges("webhook:hook");
  const texts = [];
  for (const { id } of changes)
    texts.push(JSON.stringify(await calls.call("GET", `cms/changes/v1/${id}`)));
  expect(texts.length).toBeGreaterThan(3);
  for (const text of texts) expect(text).not.toMatch(/whsec_|signing_secret/);
  const update = changes.find((it: { method: string }) => it.method.endsWith("UpdateWebhook"));
  await calls.call("POST", `cms/changes/v1/${update.id}:revert`, {});
  expect((await get()).url).toBe(created.url);
  expect(await getSecret()).toBe(renewed);
});

test("a deleted webhook returns unless the project has the most by then", async () => {
  const collection = "cms/webhooks/v1";
  const create = (id: string) =>
    calls.call("POST", `${collection}?webhook_id=${id}`, {
      ...inProject,
      name: id,
      url: "https://example.com",
    });
  const { webhooks } = await calls.call("GET", `${collection}?project_id=worldcup`);
  for (let count = webhooks.length; count < MAX_WEBHOOKS; count += 1) await create(`most-${count}`);
  await calls.call("DELETE", `${collection}/most-19`);
  const change = await newestOf("webhook:most-19");
  await create("most-20");
  const got = await revert(change);
  expect([got.status, reasonOf(got)]).toEqual([429, "WEBHOOK_LIMIT"]);
  expect((await calls.send("GET", `${collection}/most-19`)).status).toBe(404);
  await calls.call("DELETE", `${collection}/most-20`);
  expect((await revert(change)).json).toEqual({ resources: ["webhook:most-19"] });
});

test("what cannot be taken back says so", async () => {
  await calls.patch("iam/projects/v1/worldcup", "project", { name: "New" });
  const got = await revert(await newestOf("project:worldcup"));
  expect([got.status, reasonOf(got)]).toEqual([400, "CHANGE_NOT_REVERTIBLE"]);
  expect((await revert("none")).status).toBe(404);
});
