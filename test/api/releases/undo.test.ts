import { expect, test } from "vitest";
import { metadataOf, reasonOf } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { DEMO, ReleaseCalls } from "./releases.ts";

const marquee = await useMarquee();
const calls = new ReleaseCalls(marquee);
const inProject = { project_id: DEMO.projectId };

const newestOf = async (key: string): Promise<string> => (await calls.listChanges(key))[0].id;
const revertInto = (release_id: string, change: string, fields = {}) =>
  calls.send("POST", `cms/changes/v1/${change}:revert`, { release_id, ...fields });

test("a change is taken back by a release: the current version stays until it is applied", async () => {
  await calls.createEvent("u1", { title: { en: "One" }, fields: { a: 1, b: 1 } });
  await calls.patchEvent("u1", { title: { en: "Two" }, fields: { a: 2, b: 1 } });
  const change = await newestOf("event:u1");
  await calls.createRelease("u1");
  const dry = await revertInto("u1", change, { validate_only: true });
  expect([dry.json, await calls.keysOf("u1")]).toEqual([{ resources: ["event:u1"] }, []]);
  expect((await revertInto("u1", change)).json).toEqual({ resources: ["event:u1"] });
  expect(await calls.getRelease("u1")).toMatchObject({ item_count: 1, reverts_change_id: change });
  await calls.patchEvent("u1", { fields: { a: 2, b: 3 } });
  expect(await calls.getEvent("u1")).toMatchObject({ title: { en: "Two" } });
  const want = { title: { en: "One" }, fields: { a: 1, b: 3 } };
  expect(await calls.getEvent("u1", "u1")).toMatchObject(want);
  await calls.applied("u1");
  expect(await calls.getEvent("u1")).toMatchObject(want);
});

test("a creation and a deletion are taken back by a release", async () => {
  await calls.createEvent("u2");
  await calls.createEvent("u3");
  const created = await newestOf("event:u2");
  await calls.call("DELETE", "cms/events/v1/u3");
  await calls.createRelease("u2");
  await revertInto("u2", created);
  await revertInto("u2", await newestOf("event:u3"));
  expect(await calls.keysOf("u2")).toEqual(["-event:u2", "+event:u3"]);
  await calls.applied("u2");
  expect((await calls.send("GET", "cms/events/v1/u2")).status).toBe(404);
  expect((await calls.send("GET", "cms/events/v1/u3")).status).toBe(200);
});

test("a change that the current version has changed again is a conflict of the release", async () => {
  await calls.createEvent("u4", { title: { en: "One" } });
  await calls.patchEvent("u4", { title: { en: "Two" } });
  const change = await newestOf("event:u4");
  // Updates of the same paths would be one change.
  await calls.patchEvent("u4", { title: { en: "One" }, fields: { a: 1 } });
  await calls.createRelease("u4-same");
  expect((await revertInto("u4-same", change)).json).toEqual({ resources: [] });
  await calls.patchEvent("u4", { title: { en: "Three" } });
  await calls.createRelease("u4");
  await revertInto("u4", change);
  expect(await calls.getRelease("u4")).toMatchObject({ item_count: 1, conflict_count: 1 });
});

test("a draft of the release keeps its other values, and wins over the same ones", async () => {
  await calls.createEvent("u5", { title: { en: "One" }, fields: { a: 1, b: 1 } });
  await calls.patchEvent("u5", { fields: { a: 2, b: 1 } });
  const change = await newestOf("event:u5");
  await calls.createRelease("u5");
  await calls.patchEvent("u5", { title: { en: "Draft" } }, "u5");
  await revertInto("u5", change);
  const want = { title: { en: "Draft" }, fields: { a: 1, b: 1 } };
  expect(await calls.getEvent("u5", "u5")).toMatchObject(want);
  expect((await calls.getRelease("u5")).reverts_change_id).toBe("");
  await calls.createRelease("u5-same");
  await calls.patchEvent("u5", { fields: { a: 9, b: 1 } }, "u5-same");
  const got = await revertInto("u5-same", change);
  expect([got.status, reasonOf(got), metadataOf(got)]).toEqual([
    409,
    "RELEASE_CONFLICTS",
    { item: "event:u5", conflicts: "event:u5 path_changed fields.a" },
  ]);
});

test("a draft stays based on what was current when it was written, and keeps its conflicts", async () => {
  await calls.createEvent("u10", { fields: { a: 1, b: 1, c: 1 } });
  await calls.patchEvent("u10", { fields: { a: 2, b: 1, c: 1 } });
  const change = await newestOf("event:u10");
  await calls.patchEvent("u10", { title: { en: "Later" } });
  await calls.createRelease("u10");
  await calls.patchEvent("u10", { fields: { a: 2, b: 2, c: 1 } }, "u10");
  const [before] = await calls.itemsOf("u10");
  await calls.patchEvent("u10", { fields: { a: 2, b: 3, c: 2 } });
  await revertInto("u10", change);
  const [after] = await calls.itemsOf("u10");
  expect(after?.base).toEqual(before?.base);
  expect(await calls.getRelease("u10")).toMatchObject({ item_count: 1, conflict_count: 1 });
  const want = { fields: { a: 1, b: 2, c: 2 } };
  expect(await calls.getEvent("u10", "u10")).toMatchObject(want);
});

test("a release with drafts of other resources does not become the undo of a change", async () => {
  for (const id of ["u11", "u12"]) await calls.createEvent(id, { title: { en: "One" } });
  await calls.patchEvent("u11", { title: { en: "Two" } });
  const change = await newestOf("event:u11");
  await calls.createRelease("u11");
  await calls.patchEvent("u12", { title: { en: "Draft" } }, "u11");
  await revertInto("u11", change);
  expect(await calls.keysOf("u11")).toEqual(["event:u11", "event:u12"]);
  expect((await calls.getRelease("u11")).reverts_change_id).toBe("");
});

test("28: a release that is applied is taken back, and that undo, too", async () => {
  await calls.createEvent("u6", { title: { en: "One" } });
  await calls.createRelease("u6");
  await calls.patchEvent("u6", { title: { en: "Two" } }, "u6");
  await calls.createEvent("u7", {}, "u6");
  const before = await calls.getEvent("u6");
  const release = await calls.applied("u6");
  const after = [await calls.getEvent("u6"), await calls.getEvent("u7")];
  await calls.call("POST", `cms/changes/v1/${release.change_id}:revert`, {});
  expect(await calls.getEvent("u6")).toEqual(before);
  expect((await calls.send("GET", "cms/events/v1/u7")).status).toBe(404);
  await calls.undo("event:u6");
  expect([await calls.getEvent("u6"), await calls.getEvent("u7")]).toEqual(after);
});

test("a kind without drafts, and an unknown or locked release are rejected", async () => {
  const video = { ...inProject, name: "V" };
  await calls.call("POST", "streaming/videos/v1?video_id=u8", video);
  await calls.createRelease("u8");
  const got = await revertInto("u8", await newestOf("video:u8"));
  expect([got.status, reasonOf(got)]).toEqual([400, "CHANGE_NOT_REVERTIBLE"]);
  await calls.createEvent("u9");
  const change = await newestOf("event:u9");
  expect((await revertInto("none", change)).status).toBe(404);
  await calls.applied("u8");
  expect(reasonOf(await revertInto("u8", change))).toBe("RELEASE_STATE_FORBIDS");
});
