import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ConflictPolicy } from "../../../gen/svc/type/v1/release_pb.ts";
import { LONGEST_SCHEDULE } from "../../../src/domain/releases/release.ts";
import { captureLog } from "../../harness/captured-log.ts";
import { metadataOf, reasonOf, send } from "../../harness/http.ts";
import { startMarquee, startOver } from "../../harness/marquee.ts";
import { override } from "../../harness/override.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { startReceiver } from "../../outbox/receiver.ts";
import { DEMO, ReleaseCalls } from "./releases.ts";

/** A clock that tests set ahead. */
let ahead = 0;
const clock = () => new Date(Date.now() + ahead);
const HOUR = 3_600_000;

const receiver = await startReceiver((_request, response) => response.end());
afterAll(() => receiver.close());
const { log, lines } = captureLog();
const marquee = await useMarquee({ runsActions: true, actionsAllowPrivate: true, clock, log });
const calls = new ReleaseCalls(marquee);
const inProject = { project_id: DEMO.projectId };
const inAnHour = () => new Date(clock().getTime() + HOUR).toISOString();

const patch = (
  id: string,
  release: object,
  update_mask = Object.keys(release).join(),
  token = "",
) =>
  send("PATCH", `${marquee.url}/cms/releases/v1/${id}`, {
    token: token || marquee.tokens.owner,
    body: { release, update_mask },
  });
const schedule = async (id: string, apply_time = inAnHour(), token = "") => {
  const { status, json } = await patch(id, { apply_time }, "apply_time", token);
  expect([status, json]).toEqual([200, expect.anything()]);
  return json.release;
};
const stateOf = async (id: string) =>
  (await calls.getRelease(id)).state.replace("RELEASE_STATE_", "");
/** Waits until a release has left the state SCHEDULED, and returns it. */
const settle = async (id: string) => {
  await expect.poll(() => stateOf(id)).not.toBe("SCHEDULED");
  return calls.getRelease(id);
};

describe("a release is scheduled by its time", () => {
  beforeAll(async () => {
    await calls.createRelease("st");
    await calls.createEvent("st-e", {}, "st");
  });

  test.each([
    ["19: a moment ago", -1_000],
    ["a minute past five years", LONGEST_SCHEDULE + 60_000],
  ])("%s: rejected", async (_name, offset) => {
    const apply_time = new Date(clock().getTime() + offset).toISOString();
    const got = await patch("st", { apply_time });
    expect([got.status, reasonOf(got), metadataOf(got)]).toEqual([
      400,
      "APPLY_TIME_INVALID",
      { field: "release.apply_time" },
    ]);
    const sent = { ...inProject, name: "x", apply_time };
    const created = await calls.send("POST", "cms/releases/v1?release_id=never", sent);
    expect(reasonOf(created)).toBe("APPLY_TIME_INVALID");
    expect(await stateOf("st")).toBe("OPEN");
  });

  test("a minute within five years: accepted, and opened again by clearing it", async () => {
    const time = new Date(clock().getTime() + LONGEST_SCHEDULE - 60_000).toISOString();
    const release = await schedule("st", time);
    expect(release).toMatchObject({
      ...{ state: "RELEASE_STATE_SCHEDULED", apply_time: time, item_count: 1 },
      ...{ account_id: "account-owner", account_organization_id: DEMO.organizationId },
    });
    const { status, json } = await patch("st", {}, "apply_time");
    expect([status, json.release]).toMatchObject([
      200,
      { state: "RELEASE_STATE_OPEN", account_id: "", account_organization_id: "" },
    ]);
    expect(json.release.apply_time).toBeUndefined();
  });

  test("its drafts cannot change then, and it cannot be deleted; its name can", async () => {
    await schedule("st");
    for (const [method, path, body] of [
      ["DELETE", "cms/releases/v1/st", undefined],
      ["DELETE", "cms/releases/v1/st/items/event:st-e", undefined],
      ["PATCH", "cms/events/v1/st-e", { event: {}, update_mask: "title", release_id: "st" }],
    ] as const) {
      const got = await calls.send(method, path, body);
      expect([path, got.status, reasonOf(got)]).toEqual([path, 400, "RELEASE_SCHEDULED"]);
    }
    const { json } = await patch("st", { name: "New" });
    expect(json.release).toMatchObject({ name: "New", state: "RELEASE_STATE_SCHEDULED" });
    await patch("st", {}, "apply_time");
  });

  test("with a problem it is not", async () => {
    await calls.createEvent("st-f", { title: { en: "A" } });
    await calls.createRelease("st-not");
    await calls.patchEvent("st-f", { title: { en: "B" } }, "st-not");
    await calls.patchEvent("st-f", { title: { en: "C" } });
    const got = await patch("st-not", { apply_time: inAnHour() });
    expect([got.status, reasonOf(got)]).toEqual([400, "RELEASE_NOT_READY"]);
    expect(metadataOf(got)).toEqual({
      release_id: "st-not",
      problems: "event:st-f RELEASE_CONFLICTS",
    });
    expect(await stateOf("st-not")).toBe("OPEN");
    const wins = { apply_time: inAnHour(), conflict_policy: "CONFLICT_POLICY_RELEASE_WINS" };
    expect((await patch("st-not", wins)).status).toBe(200);
    const rejects = await patch("st-not", { conflict_policy: "CONFLICT_POLICY_REJECT" });
    expect(reasonOf(rejects)).toBe("RELEASE_NOT_READY");
    await patch("st-not", {}, "apply_time");
  });

  test("by an account that may apply it", async () => {
    await calls.call("POST", "iam/roles/v1?role_id=writes-releases", {
      organization_id: DEMO.organizationId,
      name: "x",
      permissions: ["cms.releases.create", "cms.releases.get", "cms.releases.update"],
    });
    const token = await calls.createToken("st-author", "writes-releases");
    const got = await patch("st", { apply_time: inAnHour() }, "apply_time", token);
    expect([got.status, reasonOf(got), metadataOf(got)?.permission]).toEqual([
      403,
      "PERMISSION_DENIED",
      "cms.releases.apply",
    ]);
    const sent = { ...inProject, name: "x", apply_time: inAnHour() };
    const created = await send("POST", `${marquee.url}/cms/releases/v1?release_id=never`, {
      ...{ token, body: sent },
    });
    expect(metadataOf(created)?.permission).toBe("cms.releases.apply");
    await schedule("st");
    expect(reasonOf(await patch("st", {}, "apply_time", token))).toBe("PERMISSION_DENIED");
    expect(await stateOf("st")).toBe("SCHEDULED");
    await patch("st", {}, "apply_time");
  });
});

describe("a release that is due", () => {
  test("is applied by itself, for the account that scheduled it, and announced", async () => {
    await calls.call("POST", "cms/webhooks/v1?webhook_id=releases", {
      ...{ ...inProject, name: "x", url: `${receiver.url}/due`, kinds: ["release", "event"] },
    });
    await calls.createRelease("due");
    await calls.createEvent("due-e", { title: { en: "secret" } }, "due");
    const { apply_time } = await schedule("due");
    ahead += HOUR + 1_000;
    const release = await settle("due");
    expect(release).toMatchObject({ state: "RELEASE_STATE_APPLIED", apply_time, item_count: 0 });
    const { change } = await calls.call("GET", `cms/changes/v1/${release.change_id}`);
    expect(change).toMatchObject({ release_id: "due", account_id: "account-owner" });
    expect(await calls.getEvent("due-e")).toMatchObject({ title: { en: "secret" } });
    expect(lines.find((it) => it.release === "due")).toMatchObject({
      ...{ level: 30, project: "worldcup", delay_seconds: expect.any(Number) },
      msg: "scheduled release was applied",
    });

    await calls.createRelease("due-fails");
    await calls.createEvent("due-f", { title: { en: "secret" } }, "due-fails");
    await schedule("due-fails");
    await calls.createEvent("due-f", {});
    ahead += HOUR + 1_000;
    await settle("due-fails");
    // The clock leaps over the leases of runs, which are sent again.
    const listBodies = () => [...new Set(receiver.requests.map(({ body }) => body))];
    await expect.poll(() => listBodies().length).toBe(6);
    const bodies = listBodies().map((body) => JSON.parse(body));
    bodies.sort((a, b) => Number(a.data.revision) - Number(b.data.revision));
    expect(bodies.map(({ type, data }) => [type, data.id])).toEqual([
      ["release.scheduled", "due"],
      ["event.created", "due-e"],
      ["release.applied", "due"],
      ["release.scheduled", "due-fails"],
      ["event.created", "due-f"],
      ["release.failed", "due-fails"],
    ]);
    expect(bodies[0].data).toMatchObject({ kind: "release", changes: ["scheduled"], apply_time });
    expect(bodies[2].data).toMatchObject({ change_id: release.change_id, surrogate_keys: [] });
    const failure = { reason: "RELEASE_CONFLICTS", item_key: "event:due-f" };
    expect(bodies[5].data).toMatchObject({ failure });
    expect(bodies.map(({ data }) => JSON.stringify(data)).join()).not.toContain("secret");
    await calls.call("DELETE", "cms/webhooks/v1/releases");
  });

  test("12: fails if the current version has changed, and nothing is written; its drafts can change again", async () => {
    const filter = { type: "filter", filter: {} };
    await calls.createPage("sf");
    await calls.createRelease("sf-12");
    await calls.createComponent("sf", "a", filter, { releaseId: "sf-12" });
    await calls.createEvent("sf-e", {}, "sf-12");
    await schedule("sf-12");
    await calls.createComponent("sf", "b", filter);
    ahead += HOUR + 1_000;
    const release = await settle("sf-12");
    expect(release).toMatchObject({
      ...{ state: "RELEASE_STATE_FAILED", item_count: 2, change_id: "" },
      failure: { reason: "PAGE_FILTER_LIMIT", item_key: "page_component:sf-a" },
    });
    expect(release.apply_time).toBeUndefined();
    expect((await calls.send("GET", "cms/events/v1/sf-e")).status).toBe(404);
    const metrics = await send("GET", `${marquee.url}/metrics`);
    expect(metrics.text).toMatch(/^marquee_release_failures_total [1-9]/m);
    const named = { release: "sf-12", project: "worldcup" };
    expect(lines.find((it) => it.release === "sf-12")).toMatchObject({
      ...{ ...named, level: 50, reason: "PAGE_FILTER_LIMIT" },
      msg: "scheduled release could not be applied",
    });
    await calls.call("DELETE", "ott/page_components/v2/sf-b");
    const applied = await calls.applied("sf-12");
    expect(applied).toMatchObject({ state: "RELEASE_STATE_APPLIED" });
    expect(applied.failure).toBeUndefined();
  });

  test("fails if the account that scheduled it has lost its permission, or is gone", async () => {
    for (const [id, path] of [
      ["sr-a", "bindings/v1/sr-a"],
      ["sr-b", "accounts/v1/sr-b"],
    ] as const) {
      const token = await calls.createToken(id, "editor");
      await calls.createRelease(id);
      await calls.createEvent(`${id}-e`, {}, id);
      await schedule(id, inAnHour(), token);
      await calls.call("DELETE", `iam/${path}${path.startsWith("acc") ? "?force=true" : ""}`);
      ahead += HOUR + 1_000;
      expect((await settle(id)).failure).toMatchObject({ reason: "PERMISSION_DENIED" });
      expect((await calls.send("GET", `cms/events/v1/${id}-e`)).status).toBe(404);
    }
  });

  test("18: is applied before another of the same time with a greater id, and a later one", async () => {
    const [soon, later] = [1, 2].map((it) => new Date(clock().getTime() + it * HOUR).toISOString());
    await calls.createEvent("so", { fields: {} });
    for (const [id, time] of [
      ["so-3", later],
      ["so-2", soon],
      ["so-1", soon],
    ] as const) {
      await calls.createRelease(id, { conflictPolicy: ConflictPolicy.RELEASE_WINS });
      await calls.patchEvent("so", { fields: { by: id } }, id);
      await schedule(id, time);
    }
    ahead += 2 * HOUR + 1_000;
    for (const id of ["so-3", "so-2", "so-1"]) expect((await settle(id)).failure).toBeUndefined();
    const changes = await calls.listChanges("event:so");
    const order = changes.map(({ release_id }: { release_id: string }) => release_id);
    expect(order).toEqual(["so-3", "so-2", "so-1", ""]);
    expect(await calls.getEvent("so")).toMatchObject({ fields: { by: "so-3" } });
  });

  test("is applied at once by :apply, and not again", async () => {
    await calls.createRelease("sa");
    await calls.createEvent("sa-e", {}, "sa");
    await schedule("sa");
    const { change_id } = await calls.applied("sa");
    ahead += HOUR + 1_000;
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(await calls.getRelease("sa")).toMatchObject({
      state: "RELEASE_STATE_APPLIED",
      change_id,
    });
  });
});

test("a release that is opened at the moment when it is due stays open", async () => {
  const quiet = await startMarquee({ clock });
  const own = new ReleaseCalls(quiet);
  await own.createRelease("race");
  await own.createEvent("race-e", {}, "race");
  const set = (release: object) =>
    own.call("PATCH", "cms/releases/v1/race", { release, update_mask: "apply_time" });
  await set({ apply_time: inAnHour() });
  ahead += HOUR + 1_000;
  const store = await quiet.openAnother();
  const { releaseItems } = store;
  let reads = 0;
  const racing = override(store, {
    releaseItems: override(releaseItems, {
      async findDue(...args) {
        const due = await releaseItems.findDue(...args);
        reads += 1;
        if (due !== undefined) await set({});
        return due;
      },
    }),
  });
  const server = await startOver(racing, { clock, runsActions: true });
  await expect.poll(() => reads).toBeGreaterThan(1);
  const release = await own.getRelease("race");
  expect(release).toMatchObject({ state: "RELEASE_STATE_OPEN", item_count: 1 });
  expect(release.failure).toBeUndefined();
  await server.close(1_000);
  await store.close();
  await quiet.close();
});

test("20: a process that was down applies late at its start, and logs it", async () => {
  const quiet = await startMarquee({ clock });
  const own = new ReleaseCalls(quiet);
  await own.createRelease("down");
  await own.createEvent("down-e", {}, "down");
  await own.patch("cms/releases/v1/down", "release", { apply_time: inAnHour() });
  const metrics = async () => (await send("GET", `${quiet.url}/metrics`)).text;
  expect(await metrics()).toMatch(/^marquee_releases\{state="scheduled"\} 1$/m);
  expect(await metrics()).toMatch(/^marquee_release_overdue_seconds 0$/m);
  ahead += 2 * HOUR;
  expect(await metrics()).toMatch(/^marquee_release_overdue_seconds 3[56]\d\d/m);
  const { log, lines } = captureLog();
  const store = await quiet.openAnother();
  const server = await startOver(store, { clock, runsActions: true, log });
  const readState = async () => (await own.getRelease("down")).state;
  await expect.poll(readState).toBe("RELEASE_STATE_APPLIED");
  await server.close(1_000);
  await store.close();
  await quiet.close();
  const line = lines.find(({ msg }) => msg === "scheduled release was applied late");
  expect(line).toMatchObject({ level: 40, release: "down", project: "worldcup" });
  expect(Number(line?.delay_seconds)).toBeGreaterThanOrEqual(3_590);
});
