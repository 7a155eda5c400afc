import { afterAll, describe, expect, test } from "vitest";
import { verifyWebhook } from "../../../src/outbox/signature.ts";
import { rejection } from "../../harness/http.ts";
import { revisionOf } from "../../harness/revision.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { startReceiver } from "../../outbox/receiver.ts";
import { callRest } from "../studio.ts";

const receiver = await startReceiver((_request, response) => response.end());
afterAll(() => receiver.close());
const marquee = await useMarquee({ runsActions: true, actionsAllowPrivate: true });

const call = (method: string, path: string, body?: unknown, headers = {}) =>
  callRest(marquee, method, `annotations/${path}`, body, headers);
const created = await call("POST", "actions/v1?action_id=hook", {
  ...{ project_id: "worldcup", name: "hook", webhook: { url: `${receiver.url}/hook` } },
});
const secret = created.json.signing_secret;
await createType("corner", { configuration: { hook: { level: 1 } } });
const createAnnotation = (annotation: object, query = "") =>
  call("POST", `annotations/v1${query}`, { project_id: "worldcup", ...annotation });

async function createType(id: string, configuration: object): Promise<void> {
  const path = `types/v1?annotation_type_id=${id}`;
  await call("POST", path, { project_id: "worldcup", name: id });
  const got = await call("PATCH", `types/v1/${id}/action_configuration`, configuration);
  expect(got.status, got.text).toBe(200);
}

const receivedFor = (id: string) =>
  receiver.requests.filter(({ headers }) => headers["webhook-id"] === id);
const getRun = async (id: string) => (await call("GET", `action_runs/v1/${id}`)).json.action_run;

test("a new annotation is published and made by hand, until it is hidden", async () => {
  const query = "?annotation_id=life";
  const { json } = await createAnnotation({ offset: "75.5s", entity_ids: ["team-esp"] }, query);
  expect(json.action_runs).toEqual([]);
  expect(json.annotation).toMatchObject({
    ...{ visibility: "VISIBILITY_PUBLISHED", source_type: "SOURCE_TYPE_MANUAL" },
    ...{ id: "life", project_id: "worldcup", offset: "75.500s" },
  });
  const visibility = "VISIBILITY_HIDDEN";
  const hidden = await call("POST", "annotations/v1/life:setVisibility", { visibility });
  expect(hidden.json.annotation).toEqual({ ...json.annotation, visibility });
});

test("an offset after the end of the video is saved with a warning, on create and update", async () => {
  const warningsOf = ({ headers }: { readonly headers: Headers }) =>
    JSON.parse(headers.get("marquee-warnings") ?? "[]");
  const [video_id, query] = ["video-match-2018-1", "?annotation_id=past-end"];
  const created = await createAnnotation({ video_id, offset: "7800s", end_offset: "7801s" }, query);
  expect(warningsOf(created)).toEqual([
    {
      code: "OFFSET_PAST_END",
      message: "annotation.end_offset: must not be after the end of the video, at 7800 s",
      fields: ["annotation.end_offset"],
    },
  ]);
  for (const [offset, want] of [
    ["7800.5s", ["annotation.offset", "annotation.end_offset"]],
    ["1s", ["annotation.end_offset"]],
  ] as const) {
    const body = { annotation: { offset }, update_mask: "offset" };
    const updated = await call("PATCH", "annotations/v1/past-end", body);
    expect(warningsOf(updated).flatMap((it: { fields: string[] }) => it.fields)).toEqual(want);
  }
  const live = await createAnnotation({ video_id: "video-live-clip", offset: "90000s" });
  expect(warningsOf(live).map((it: { code: string }) => it.code)).not.toContain("OFFSET_PAST_END");
});

test("source and visibility come from the query", async () => {
  const query = "?source_type=SOURCE_TYPE_AUTOMATIC&visibility=VISIBILITY_UNLISTED";
  const { json } = await createAnnotation({}, query);
  expect(json.annotation).toMatchObject({
    source_type: "SOURCE_TYPE_AUTOMATIC",
    visibility: "VISIBILITY_UNLISTED",
  });
  for (const field of ["source_type", "visibility"]) {
    const value = field === "visibility" ? "VISIBILITY_HIDDEN" : "SOURCE_TYPE_IMPORT";
    expect(rejection(await createAnnotation({ [field]: value }))).toEqual([
      400,
      "FIELD_OUTPUT_ONLY",
    ]);
  }
});

test("a visibility must be said to be set", async () => {
  const { annotation } = (await createAnnotation({})).json;
  const rejected = await call("POST", `annotations/v1/${annotation.id}:setVisibility`, {});
  expect(rejection(rejected)).toEqual([400, "FIELD_REQUIRED"]);
});

test("what it refers to may not be there yet, but its type", async () => {
  const names = { video_id: "v", event_id: "e", creative_work_id: "c", entity_ids: ["x"] };
  const got = await createAnnotation(names);
  expect([got.status, got.json.annotation]).toEqual([200, expect.objectContaining(names)]);
});

test("the actions of the type are sent, signed, with the annotation as it was returned", async () => {
  const { json } = await createAnnotation({
    type_id: "corner",
    action_overrides: { hook: { more: true } },
  });
  const [run] = json.action_runs;
  expect(json.action_runs).toHaveLength(1);
  expect(run).toMatchObject({
    project_id: "worldcup",
    annotation_id: json.annotation.id,
    annotation_type_id: "corner",
    action_id: "hook",
    state: "ACTION_RUN_STATE_PENDING",
    attempt_count: 0,
  });
  await expect.poll(() => receivedFor(run.id).length).toBe(1);
  const [{ headers, body, path } = { headers: {}, body: "", path: "" }] = receivedFor(run.id);
  expect(path).toBe("/hook");
  expect(JSON.parse(body)).toEqual({
    type: "annotation.created",
    timestamp: run.create_time,
    data: { annotation: json.annotation, settings: { level: 1, more: true } },
  });
  verifyWebhook({
    secrets: [secret],
    headers: new Headers(headers as Record<string, string>),
    body,
    now: new Date(),
  });
  await expect
    .poll(() => getRun(run.id))
    .toMatchObject({ state: "ACTION_RUN_STATE_SUCCEEDED", attempt_count: 1 });
});

test("what does not meet the conditions is skipped, and sent by a replay", async () => {
  await createType("sure", {
    configuration: { hook: {} },
    conditions: [{ confidence_threshold: 0.9 }],
  });
  const [run] = (await createAnnotation({ type_id: "sure", confidence: 0.5 })).json.action_runs;
  expect(run).toMatchObject({ state: "ACTION_RUN_STATE_SKIPPED", reason: "CONFIDENCE_TOO_LOW" });
  expect(run.end_time).toBe(run.create_time);
  const tag = (await call("GET", `action_runs/v1/${run.id}`)).headers.get("etag");
  const path = `action_runs/v1/${run.id}:replay`;
  const rehearsed = await call("POST", path, { validate_only: true });
  expect(rehearsed.json.action_run.state).toBe("ACTION_RUN_STATE_PENDING");
  expect((await getRun(run.id)).state).toBe("ACTION_RUN_STATE_SKIPPED");
  expect((await call("POST", path, {}, { "if-match": tag })).status).toBe(200);
  await expect.poll(() => getRun(run.id)).toMatchObject({ state: "ACTION_RUN_STATE_SUCCEEDED" });
  // And once more, though it succeeded, under the same id.
  await call("POST", path, {});
  await expect.poll(() => receivedFor(run.id).length).toBe(2);
});

test("neither an update nor a visibility runs anything", async () => {
  const { annotation } = (await createAnnotation({})).json;
  const path = `annotations/v1/${annotation.id}`;
  await call("PATCH", path, {
    annotation: { type_id: "corner", offset: "1s" },
    update_mask: "type_id,offset",
  });
  await call("POST", `${path}:setVisibility`, { visibility: "VISIBILITY_HIDDEN" });
  const query = new URLSearchParams({ project_id: "worldcup" });
  query.set("filter", `annotation_id: "${annotation.id}"`);
  expect((await call("GET", `action_runs/v1?${query}`)).json.action_runs).toEqual([]);
});

test("what is only tried is not sent; what is repeated is sent once", async () => {
  const query = "?annotation_id=tried&validate_only=true";
  const tried = await createAnnotation({ type_id: "corner" }, query);
  expect(tried.json.action_runs).toHaveLength(1);
  expect((await call("GET", `action_runs/v1/${tried.json.action_runs[0].id}`)).status).toBe(404);
  const once = await createAnnotation({ type_id: "corner" }, "?request_id=corner-1");
  const again = await createAnnotation({ type_id: "corner" }, "?request_id=corner-1");
  expect(again.json).toEqual(once.json);
  const [run] = once.json.action_runs;
  await expect.poll(() => getRun(run.id)).toMatchObject({ state: "ACTION_RUN_STATE_SUCCEEDED" });
  expect(receivedFor(run.id)).toHaveLength(1);
  expect(receivedFor(tried.json.action_runs[0].id)).toHaveLength(0);
});

test("what becomes of a run changes nothing that the Delivery API returns", async () => {
  const { json } = await createAnnotation({ type_id: "corner" });
  const revision = await revisionOf(marquee.store, "worldcup");
  const [run] = json.action_runs;
  await expect.poll(() => getRun(run.id)).toMatchObject({ state: "ACTION_RUN_STATE_SUCCEEDED" });
  await call("POST", `action_runs/v1/${run.id}:replay`, {});
  await expect.poll(() => receivedFor(run.id).length).toBe(2);
  expect(await revisionOf(marquee.store, "worldcup")).toBe(revision);
});

describe("an action configuration", () => {
  const patch = (body: object, headers = {}) =>
    call("PATCH", "types/v1/configured/action_configuration", body, headers);

  test("is replaced, and returns what a GET returns", async () => {
    await createType("configured", { configuration: { hook: { a: 1 } } });
    const conditions = [
      { confidence_threshold: 0.5, source_types: { types: ["SOURCE_TYPE_IMPORT"] } },
    ];
    const got = await patch({ configuration: { hook: {} }, conditions });
    expect(got.json).toEqual({ configuration: { hook: {} }, conditions });
    const read = await call("GET", "types/v1/configured/action_configuration");
    expect(read.json).toEqual(got.json);
    expect(read.headers.get("etag")).toBe(got.headers.get("etag"));
    expect((await patch({})).json).toEqual({ configuration: {}, conditions: [] });
    const rejected = await patch({}, { "if-match": got.headers.get("etag") });
    expect(rejection(rejected)).toEqual([409, "ETAG_MISMATCH"]);
  });

  test("names actions of the project alone", async () => {
    await call("POST", "actions/v1?action_id=foreign", {
      ...{ project_id: "sandbox", name: "foreign", webhook: { url: receiver.url } },
    });
    for (const id of ["nothing", "foreign"]) {
      const rejected = await patch({ configuration: { [id]: {} } });
      expect(rejection(rejected)).toEqual([400, "ACTION_NOT_FOUND"]);
    }
  });
});

test("runs are listed, newest first and by state, of one project", async () => {
  const query = "project_id=worldcup&filter=state:%20ACTION_RUN_STATE_SKIPPED&page_size=1000";
  await createType("off", { configuration: { hook: { disabled: true } } });
  const ids = [];
  for (let n = 0; n < 3; n += 1) {
    ids.unshift((await createAnnotation({ type_id: "off" })).json.action_runs[0].id);
  }
  const got = await call("GET", `action_runs/v1?${query}`);
  const own = got.json.action_runs.filter((it: { reason: string }) => it.reason === "DISABLED");
  const times = own.map((it: { create_time: string }) => it.create_time);
  expect(times).toEqual(times.toSorted().reverse());
  expect(own.map((it: { id: string }) => it.id).sort()).toEqual(ids.sort());
  const other = await call("GET", "action_runs/v1?project_id=sandbox");
  expect(other.json.action_runs).toEqual([]);
});
