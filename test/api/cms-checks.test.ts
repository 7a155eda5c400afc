import { describe, expect, test } from "vitest";
import { VideoService } from "../../gen/svc/studio/streaming/video/v1/video_service_pb.ts";
import { metadataOf, reasonOf } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { playCases, toWriteCases } from "./cases.ts";
import { CMS_KINDS, callCms } from "./cms.ts";
import type { JsonMessage } from "./methods.ts";
import { callStudio, faultOf, STUDIO_FACES } from "./studio.ts";

const marquee = await useMarquee();

const [EVENT, WORK, ENTITY] = CMS_KINDS;
if (!EVENT || !WORK || !ENTITY) throw new Error("a kind of content is missing");

const ROWS: readonly (readonly [JsonMessage, string])[] = [
  [{ title: { "": "a" } }, "LANGUAGE_INVALID title"],
  [{ description: { en_GB: "a" } }, "LANGUAGE_INVALID description"],
  [{ fields: JSON.parse(`${'{"a":'.repeat(31)}1${"}".repeat(31)}`) }, "FIELDS_TOO_DEEP fields"],
  [{ fields: { a: "a".repeat(262_144) } }, "CONTENT_TOO_LARGE ."],
];
const LINKED = [[{ entityIds: ["a", " "] }, "IDS_INVALID entity_ids[1]"]] as const;
const EXISTING = { event: "match-2026-1", creativeWork: "highlights-2026-104", entity: "team-esp" };

playCases(
  marquee,
  "content",
  CMS_KINDS.flatMap(({ service, field }) =>
    toWriteCases(
      {
        service: service.typeName.slice("svc.studio.".length),
        noun: field,
        resource: { projectId: "worldcup" },
        id: EXISTING[field as keyof typeof EXISTING],
      },
      field === "entity" ? ROWS : [...ROWS, ...LINKED],
    ),
  ),
);

for (const kind of CMS_KINDS) {
  for (const face of STUDIO_FACES) {
    describe(`${kind.field} over ${face}`, () => {
      test("that is almost as large as it may be is delivered", async () => {
        const calls = callCms(marquee, kind, face);
        const item = { visibility: "VISIBILITY_PUBLISHED", fields: { a: "" } };
        const { value } = await calls.create(item);
        const { id } = value[kind.field];
        const left = 262_144 - Buffer.byteLength(JSON.stringify(value[kind.field]));
        // Times are written with as many digits as they need.
        const fields = { a: "a".repeat(left - 30) };
        const got = await calls.update(id, { fields }, "fields");
        expect(got.status, got.text.slice(0, 300)).toBe(200);
        expect((await calls.deliver(id)).item).toMatchObject({ fields });
        expect((await calls.delete(id)).status).toBe(200);
      });
    });
  }
}

test("an event does not end before it starts, also by an update of one time", async () => {
  const events = callCms(marquee, EVENT, "REST");
  const { value } = await events.create({ startTime: "2031-01-01T00:00:00Z" });
  const before = { endTime: "2030-12-31T23:59:59.999Z" };
  const want = [400, "TIME_WINDOW_INVALID", "event.end_time"];
  expect(faultOf(await events.update(value.event.id, before, "end_time"))).toEqual(want);
  expect(faultOf(await events.create({ startTime: "2031-01-01T00:00:00Z", ...before }))).toEqual(
    want,
  );
});

describe("what content refers to", () => {
  const entities = () => callCms(marquee, ENTITY, "REST");

  for (const kind of [EVENT, WORK]) {
    test(`is deleted only by force while ${kind.field} names it`, async () => {
      const items = callCms(marquee, kind, "REST");
      const videos = callStudio(marquee, VideoService, "REST");
      const entityId = String((await entities().create({})).value.entity.id);
      const video = { projectId: "worldcup", name: "A" };
      const made = await videos("CreateVideo", { video });
      const videoId = String(made.value.video.id);
      const { value } = await items.create({ entityIds: [entityId], videoIds: [videoId] });
      const { id } = value[kind.field];
      const type = kind.field.replace("W", "_w");
      for (const got of [
        await entities().delete(entityId),
        await videos("DeleteVideo", { videoId }),
      ]) {
        expect([got.status, reasonOf(got)]).toEqual([400, "STILL_REFERRED_TO"]);
        expect(metadataOf(got)?.referrers).toBe(`${type}/${id}`);
      }
      await items.update(id, {}, "entity_ids");
      expect((await entities().delete(entityId)).status).toBe(200);
      expect((await videos("DeleteVideo", { videoId, force: true })).status).toBe(200);
      expect((await items.get(id)).value[kind.field].videoIds).toEqual([videoId]);
    });
  }

  test("is not held by content of another project, and nothing of that is told", async () => {
    const entityId = String((await entities().create({})).value.entity.id);
    const other = { projectId: "sandbox", entityIds: [entityId] };
    expect((await callCms(marquee, EVENT, "REST").create(other)).status).toBe(200);
    const got = await entities().delete(entityId);
    expect([got.status, got.json]).toEqual([200, {}]);
  });
});
