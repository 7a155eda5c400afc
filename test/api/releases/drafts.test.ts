import { create, getOption, toJsonString } from "@bufbuild/protobuf";
import { describe, expect, onTestFinished, test } from "vitest";
import { http } from "../../../gen/google/api/annotations_pb.ts";
import { EventService } from "../../../gen/svc/studio/cms/event/v1/event_service_pb.ts";
import { RecordSchema } from "../../../gen/svc/transfer/v1/record_pb.ts";
import { ReleaseSchema, ReleaseState } from "../../../gen/svc/type/v1/release_pb.ts";
import { toSnakeCase } from "../../../src/domain/base/text.ts";
import { mergeDraft } from "../../../src/domain/changes/merge-draft.ts";
import { isKindName, isReleasable, KIND_NAMES } from "../../../src/domain/kinds.ts";
import { openDatabase } from "../../harness/database.ts";
import { reasonOf } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { findMethods, type JsonMessage, sendRequest, toProtocolRequests } from "../methods.ts";
import { resourceBodies } from "../resource-bodies.ts";
import { errorOf } from "../studio.ts";
import { DEMO, ReleaseCalls } from "./releases.ts";

const marquee = await useMarquee();
const calls = new ReleaseCalls(marquee);
const { SCHEDULED, APPLIED, FAILED } = ReleaseState;
const inProject = { project_id: DEMO.projectId };
const revision = () => marquee.store.knownRevision(DEMO.projectId);

/** The methods that create what releases may contain, by kind. */
const CREATES = new Map(
  (await findMethods())
    .filter(({ name, parent }) => name.startsWith("Create") && parent.typeName in resourceBodies)
    .map((method) => [method.parent.typeName.split(".")[3] ?? "", method] as const)
    .filter(([kind]) => isKindName(kind) && isReleasable(kind)),
);

/** Spells the names of the fields of a message as responses do. */
const toProtoNames = (message: JsonMessage) =>
  Object.fromEntries(Object.entries(message).map(([name, it]) => [toSnakeCase(name), it]));

describe("a resource lives in a release, and nothing of it is current", () => {
  for (const [kind, method] of CREATES) {
    const path = String(getOption(method, http).pattern.value).slice(1);
    const sample = resourceBodies[method.parent.typeName];
    const [[field, value] = ["", ""]] = Object.entries(toProtoNames(sample?.change ?? {}));
    test(kind, async () => {
      const release_id = await calls.createRelease(`life-${kind}`);
      const id = `life-${kind}`;
      const before = [revision(), await exportProject()];
      const extra = Object.entries(toProtoNames(sample?.extra ?? {}));
      const query = new URLSearchParams({ [`${kind}_id`]: id, release_id });
      for (const [name, it] of extra) query.set(name, String(it));
      const created = await calls.send("POST", `${path}?${query}`, sample?.resource);
      expect([created.status, created.json]).toEqual([200, expect.anything()]);
      const [name = ""] = Object.keys(created.json);
      const get = () => calls.send("GET", `${path}/${id}?release_id=${release_id}`);
      const read = async () => (await get()).json[name];
      expect(await read()).toEqual(created.json[name]);
      const update = name === "page_component" ? "page_component_update" : name;
      const body = { [update]: { [field]: value }, update_mask: field };
      const updated = await calls.send("PATCH", `${path}/${id}?release_id=${release_id}`, body);
      expect([updated.status, updated.json]).toEqual([200, expect.anything()]);
      expect((await read())[field]).toEqual(value);
      expect((await get()).headers.get("etag")).toBe(updated.headers.get("etag"));
      expect(updated.headers.get("etag")).not.toBe(created.headers.get("etag"));
      expect(await calls.keysOf(release_id)).toEqual([`+${kind}:${id}`]);
      expect((await calls.send("GET", `${path}/${id}`)).status).toBe(404);
      await calls.call("DELETE", `${path}/${id}?release_id=${release_id}`);
      expect((await get()).status).toBe(404);
      expect(await calls.keysOf(release_id)).toEqual([]);
      expect([revision(), await exportProject()]).toEqual(before);
    });
  }
});

test("kinds that releases may contain are walked above, all of them", () => {
  expect([...CREATES.keys()].sort()).toEqual(KIND_NAMES.filter(isReleasable).sort());
});

describe("a request that means a release, but names none, is rejected", () => {
  const PATCH = { event: { title: { en: "lost" } }, update_mask: "title" };
  const RECORDS = { records: [{ entity: { id: "lost", project_id: DEMO.projectId } }] };
  const REQUESTS = [
    ["POST", "cms/events/v1", inProject],
    ["PATCH", "cms/events/v1/unnamed", PATCH],
    ["PATCH", "cms/events/v1/lost", { ...PATCH, allow_missing: true }],
    ["GET", "cms/events/v1/unnamed"],
    ["DELETE", "cms/events/v1/unnamed"],
    ["POST", "ott/pages/v1/page-home:reorderComponents", { page_component_ids: [] }],
  ] as const;
  const state = async () => [revision(), await exportProject()];

  test("by an empty parameter", async () => {
    await calls.createEvent("unnamed");
    const before = await state();
    for (const [method, path, body] of REQUESTS) {
      const got = await calls.send(method, `${path}?release_id=`, body);
      expect([path, ...errorOf(got)]).toEqual([path, 400, "VALUE_INVALID", "release_id"]);
    }
    expect(await state()).toEqual(before);
  });

  test("by the header of the Delivery API", async () => {
    const release = await calls.createRelease("unnamed");
    const before = await state();
    const headers = { "x-release-id": release };
    const read = ["GET", `cms/records/v1:read?project_id=${DEMO.projectId}`] as const;
    const written = ["POST", "cms/records/v1:write", RECORDS] as const;
    for (const [method, path, body] of [...REQUESTS, read, written] as const) {
      const got = await calls.send(method, path, body, headers);
      expect([path, ...errorOf(got)]).toEqual([path, 400, "VALUE_INVALID", "x-release-id"]);
    }
    const empty = await calls.send("PATCH", "cms/events/v1/unnamed", PATCH, { "x-release-id": "" });
    expect(reasonOf(empty)).toBe("VALUE_INVALID");
    const update = { eventId: "unnamed", event: PATCH.event, updateMask: "title" };
    for (const request of toProtocolRequests(EventService.method.updateEvent, update)) {
      const got = await sendRequest(marquee.url, request, marquee.tokens.owner, headers);
      expect([request.protocol, reasonOf(got)]).toEqual([request.protocol, "VALUE_INVALID"]);
    }
    expect(await state()).toEqual(before);
  });
});

describe("a draft of an event", () => {
  test("changes what the release shows, and the current event stays", async () => {
    const release = await calls.createRelease("shows");
    const { event: current } = await calls.createEvent("shows", { title: { en: "A" } });
    const { event: draft } = await calls.patchEvent("shows", { title: { en: "B" } }, release);
    expect(draft.title).toEqual({ en: "B" });
    expect(await calls.getEvent("shows")).toEqual(current);
    expect(await calls.getEvent("shows", release)).toEqual(draft);
    const got = await calls.send("GET", "cms/events/v1/shows");
    expect(got.headers.get("x-pending-releases")).toBe("shows");
  });

  test("has the changes of the current version at other paths", async () => {
    const release = await calls.createRelease("merges");
    await calls.createEvent("merges", { title: { en: "A" }, fields: { score: 0 } });
    await calls.patchEvent("merges", { title: { en: "B" } }, release);
    await calls.patchEvent("merges", { fields: { score: 1 } });
    const { title, fields } = await calls.getEvent("merges", release);
    expect([title, fields]).toEqual([{ en: "B" }, { score: 1 }]);
  });

  test("1: is not stored if it equals the current version", async () => {
    const release = await calls.createRelease("equals");
    await calls.createEvent("equals", { title: { en: "A" } });
    await calls.patchEvent("equals", { title: { en: "A" } }, release);
    expect(await calls.keysOf(release)).toEqual([]);
    await calls.patchEvent("equals", { title: { en: "B" } }, release);
    expect(await calls.keysOf(release)).toEqual(["event:equals"]);
    await calls.patchEvent("equals", { title: { en: "A" } }, release);
    expect(await calls.keysOf(release)).toEqual([]);
  });

  test("in conflict keeps its value until the path is written again", async () => {
    const release = await calls.createRelease("conflict");
    await calls.createEvent("conflict", { title: { en: "A" }, fields: { score: 0 } });
    await calls.patchEvent("conflict", { title: { en: "draft" } }, release);
    await calls.patchEvent("conflict", { title: { en: "live" } });
    const conflicts = async () => {
      const [item] = await calls.itemsOf(release);
      const [current] = await marquee.store
        .in(DEMO.organizationId)
        .documents.event.getMany(["conflict"]);
      if (item === undefined || current === undefined) return undefined;
      const states = {
        ...item,
        current: { kind: "event", message: current.value, line: 0 },
      } as const;
      return mergeDraft(states, item.updateTime).conflicts.map(({ path }) => path);
    };
    expect(await conflicts()).toEqual(["title.en"]);
    await calls.patchEvent("conflict", { fields: { score: 1 } }, release);
    expect(await conflicts()).toEqual(["title.en"]);
    const merged = await calls.getEvent("conflict", release);
    expect(merged.title).toEqual({ en: "draft" });
    const [item] = await calls.itemsOf(release);
    expect(merged.update_time).toBe(item?.updateTime.toISOString());
    await calls.patchEvent("conflict", { title: { en: "draft" } }, release);
    expect(await conflicts()).toEqual([]);
    await calls.patchEvent("conflict", { title: { en: "live" } }, release);
    expect((await calls.getEvent("conflict", release)).title).toEqual({ en: "live" });
    await calls.patchEvent("conflict", { fields: { score: 0 } }, release);
    expect(await calls.keysOf(release)).toEqual([]);
  });

  test("3: is not stored by a dry run", async () => {
    const release = await calls.createRelease("dry");
    const event = { ...inProject, content_type: "match" };
    const query = "event_id=dry&validate_only=true&release_id=dry";
    expect((await calls.call("POST", `cms/events/v1?${query}`, event)).event.id).toBe("dry");
    expect(await calls.keysOf(release)).toEqual([]);
  });

  test("4: is created once by a repeated request", async () => {
    const release = await calls.createRelease("repeat");
    const event = { ...inProject, content_type: "match" };
    const path = "cms/events/v1?request_id=repeat&release_id=repeat";
    const first = await calls.call("POST", path, event);
    expect(await calls.call("POST", path, event)).toEqual(first);
    expect(await calls.keysOf(release)).toEqual([`+event:${first.event.id}`]);
    const current = await calls.send("POST", "cms/events/v1?request_id=repeat", event);
    expect(reasonOf(current)).toBe("REQUEST_ID_REUSED");
  });

  test("5: is compared with If-Match as the release shows it", async () => {
    const release = await calls.createRelease("match");
    await calls.createEvent("match", { title: { en: "A" } });
    const patch = (title: string, tag: string | null) =>
      calls.send(
        "PATCH",
        "cms/events/v1/match",
        { event: { title: { en: title } }, update_mask: "title", release_id: release },
        { "if-match": tag ?? "" },
      );
    const current = (await calls.send("GET", "cms/events/v1/match")).headers.get("etag");
    const first = await patch("B", current);
    expect(first.status).toBe(200);
    const tag = first.headers.get("etag");
    expect(reasonOf(await patch("C", current))).toBe("ETAG_MISMATCH");
    // A change of the current version at another path changes what the release shows.
    await calls.patchEvent("match", { fields: { a: 1 } });
    expect(reasonOf(await patch("C", tag))).toBe("ETAG_MISMATCH");
    const merged = await calls.send("GET", "cms/events/v1/match?release_id=match");
    expect((await patch("C", merged.headers.get("etag"))).status).toBe(200);
  });

  test("6: that is created and deleted in one release is none", async () => {
    const release = await calls.createRelease("gone");
    await calls.createEvent("gone", {}, release);
    await calls.call("DELETE", `cms/events/v1/gone?release_id=${release}`);
    expect(await calls.keysOf(release)).toEqual([]);
  });

  test("7: that is deleted and created again is an update", async () => {
    const release = await calls.createRelease("again");
    await calls.createEvent("again", { title: { en: "A" } });
    await calls.call("DELETE", `cms/events/v1/again?release_id=${release}`);
    expect(await calls.keysOf(release)).toEqual(["-event:again"]);
    expect((await calls.send("GET", "cms/events/v1/again?release_id=again")).status).toBe(404);
    await calls.createEvent("again", { title: { en: "B" } }, release);
    expect(await calls.keysOf(release)).toEqual(["event:again"]);
  });

  test("8: may have an id of another release, but none that exists or of its own", async () => {
    const [one, two] = [await calls.createRelease("id-1"), await calls.createRelease("id-2")];
    await calls.createEvent("id", {}, one);
    await calls.createEvent("id", {}, two);
    await calls.createEvent("id-live");
    const create = (id: string) =>
      calls.send("POST", `cms/events/v1?event_id=${id}&release_id=${one}`, inProject);
    expect(reasonOf(await create("id"))).toBe("ALREADY_EXISTS");
    expect(reasonOf(await create("id-live"))).toBe("ALREADY_EXISTS");
  });

  test("is created by an update that allows it", async () => {
    const release = await calls.createRelease("upsert");
    const event = { ...inProject, title: { en: "A" } };
    const body = { event, update_mask: "title", allow_missing: true, release_id: release };
    await calls.call("PATCH", "cms/events/v1/upsert", body);
    expect(await calls.keysOf(release)).toEqual(["+event:upsert"]);
    expect((await calls.send("GET", "cms/events/v1/upsert")).status).toBe(404);
  });

  test("is checked alone and at once", async () => {
    const release = await calls.createRelease("checked");
    const bad = { ...inProject, image_url: "no url" };
    const got = await calls.send("POST", `cms/events/v1?release_id=${release}`, bad);
    expect(got.status).toBe(400);
    // What it refers to may be created later.
    await calls.createEvent("checked", { entity_ids: ["none yet"] }, release);
    expect(await calls.keysOf(release)).toEqual(["+event:checked"]);
  });

  test("is in the audit log with its release, and not in the history", async () => {
    const release = await calls.createRelease("audited");
    await calls.createEvent("audited", {}, release);
    const filter = encodeURIComponent("release_id: audited");
    const path = `iam/audit/v1/entries?organization_id=${DEMO.organizationId}&filter=${filter}`;
    expect((await calls.call("GET", path)).entries).toMatchObject([{ resource_id: "audited" }]);
    const resource = encodeURIComponent('resource: "event:audited"');
    const changes = `cms/changes/v1?project_id=worldcup&filter=${resource}`;
    expect((await calls.call("GET", changes)).changes).toEqual([]);
  });
});

test("33: of 16 editors who save one item at once, the last of each path wins", async () => {
  const release = await calls.createRelease("crowd");
  await calls.createEvent("crowd", { title: { en: "A" } }, release);
  const fields = ["title", "description", "content_type", "fields"];
  const editors = Array.from({ length: 16 }, (_, at) => {
    const field = fields[at % 4] ?? "";
    return [field, field === "content_type" ? `type-${at}` : { en: `by ${at}` }] as const;
  });
  await Promise.all(
    editors.map(([field, value]) => calls.patchEvent("crowd", { [field]: value }, release)),
  );
  const event = await calls.getEvent("crowd", release);
  for (const field of fields) {
    const sent = editors.flatMap(([name, value]) => (name === field ? [value] : []));
    expect(sent).toContainEqual(event[field]);
  }
  const tag = (await calls.send("GET", "cms/events/v1/crowd?release_id=crowd")).headers.get("etag");
  const tried = await Promise.all(
    editors.map((_, at) =>
      calls.send(
        "PATCH",
        "cms/events/v1/crowd",
        { event: { title: { en: `${at}` } }, update_mask: "title", release_id: release },
        { "if-match": tag ?? "" },
      ),
    ),
  );
  expect(tried.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(tried.filter((it) => reasonOf(it) === "ETAG_MISMATCH")).toHaveLength(15);
});

describe("the state of a release", () => {
  test.each([
    [SCHEDULED, "RELEASE_SCHEDULED"],
    [APPLIED, "RELEASE_STATE_FORBIDS"],
  ])("%i: drafts cannot change: %s", async (state, reason) => {
    const release = await calls.createRelease(`state-${state}`, { state });
    const path = `cms/events/v1?release_id=${release}`;
    expect(reasonOf(await calls.send("POST", path, inProject))).toBe(reason);
    expect(await calls.keysOf(release)).toEqual([]);
  });

  test("a failed one is open again after a draft has changed", async () => {
    const release = await calls.createRelease("failed", { state: FAILED });
    await calls.createEvent("failed", {}, release);
    const { value } = await marquee.store.in(DEMO.organizationId).documents.release.get(release);
    expect(value.state).toBe(ReleaseState.OPEN);
  });

  test("an unknown one and one of another project are not found", async () => {
    await calls.createEvent("foreign");
    const sandbox = create(ReleaseSchema, { id: "sandboxed", projectId: "sandbox", name: "s" });
    await marquee.store.in(DEMO.organizationId).documents.release.create(sandbox);
    for (const release_id of ["unknown", "sandboxed"]) {
      const body = { event: { title: { en: "B" } }, update_mask: "title", release_id };
      const tried = [
        await calls.send("GET", `cms/events/v1/foreign?release_id=${release_id}`),
        await calls.send("PATCH", "cms/events/v1/foreign", body),
        await calls.send("POST", `cms/events/v1?release_id=${release_id}`, inProject),
      ];
      for (const got of tried) {
        expect([got.status, got.json.message]).toEqual([
          404,
          `release ${release_id} does not exist`,
        ]);
      }
    }
  });
});

test("29: a project that is deleted takes its releases, their drafts and its history with it", async () => {
  const project_id = "short-lived";
  const project = { organization_id: DEMO.organizationId, name: "Short-lived" };
  await calls.call("POST", `iam/projects/v1?project_id=${project_id}`, project);
  const createEvent = (id: string, query = "") =>
    calls.call("POST", `cms/events/v1?event_id=${id}${query}`, { project_id });
  await createEvent("d29-live");
  for (const id of ["d29-open", "d29-timed"]) {
    await calls.call("POST", `cms/releases/v1?release_id=${id}`, { project_id, name: id });
    await createEvent(`${id}-event`, `&release_id=${id}`);
  }
  const apply_time = new Date(Date.now() + 3_600_000).toISOString();
  await calls.patch("cms/releases/v1/d29-timed", "release", { apply_time });
  const { changes } = await calls.call("GET", `cms/changes/v1?project_id=${project_id}`);
  expect(changes.length).toBeGreaterThan(0);
  const database = openDatabase(marquee.address);
  onTestFinished(() => database.destroy());
  const countRows = async () => {
    const tables = ["history", "release", "release_item"] as const;
    const rows = tables.map((table) =>
      database.selectFrom(table).selectAll().where("project_id", "=", project_id).execute(),
    );
    return (await Promise.all(rows)).map(({ length }) => length > 0);
  };
  expect(await countRows()).toEqual([true, true, true]);
  await calls.call("DELETE", `iam/projects/v1/${project_id}?force=true`);
  expect(await countRows()).toEqual([false, false, false]);
  for (const path of [
    ...["cms/releases/v1/d29-open", "cms/releases/v1/d29-timed/items"],
    ...[`cms/changes/v1/${changes[0].id}`, `cms/changes/v1?project_id=${project_id}`],
  ]) {
    const got = await calls.send("GET", path);
    expect([path, got.status, reasonOf(got)]).toEqual([path, 404, "RESOURCE_NOT_FOUND"]);
  }
});

test("22: a release has 500 drafts at most, and keeps them", async () => {
  const release = await calls.createRelease("full");
  await calls.createEvent("full-0", {}, release);
  const [sample] = await calls.itemsOf(release);
  if (sample === undefined) throw new Error("no draft");
  for (let index = 1; index < 499; index += 1) {
    await marquee.store.releaseItems.put({ ...sample, id: `full-${index}` });
  }
  await calls.createEvent("full-499", {}, release);
  const path = `cms/events/v1?event_id=full-500&release_id=${release}`;
  const got = await calls.send("POST", path, inProject);
  expect([got.status, reasonOf(got)]).toEqual([429, "RELEASE_ITEM_LIMIT"]);
  expect(await calls.keysOf(release)).toHaveLength(500);
  await calls.patchEvent("full-499", { title: { en: "B" } }, release);
});

async function exportProject(): Promise<readonly string[]> {
  const lines: string[] = [];
  await marquee.store.exportRecords(DEMO.projectId, (records) => {
    lines.push(...records.map((it) => toJsonString(RecordSchema, it)));
  });
  return lines;
}
