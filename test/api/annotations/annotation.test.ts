import { describe, expect, test } from "vitest";
import { metadataOf, rejection } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import type { JsonMessage } from "../methods.ts";
import { playCases, toCases } from "../play-cases.ts";
import { callRest } from "../studio.ts";

const marquee = await useMarquee();

const ID = "goal-2026-104-1";
const ALLOWED = [
  ...["type_id", "video_id", "offset", "start_offset", "end_offset", "event_id"],
  ...["creative_work_id", "entity_ids", "action_overrides", "source_id", "confidence"],
  ...["timer_label", "order"],
].join(",");
const patch = (annotation: unknown, update_mask: unknown) =>
  callRest(marquee, "PATCH", `annotations/annotations/v1/${ID}`, { annotation, update_mask });
/** A change of nothing shows what is stored. */
const read = async () => (await patch({ source_id: "s" }, "source_id")).json.annotation;

describe("each field by itself", () => {
  const overrides = { clip: { enabled: null, "": [1, { a: false }] }, constructor: 1 };
  const fields: readonly (readonly [name: string, value: unknown, cleared: unknown])[] = [
    ["type_id", "type-kickoff", ""],
    ["video_id", "video-match-2026-103", ""],
    ["offset", "75.500s", undefined],
    ["start_offset", "0s", undefined],
    ["end_offset", "9000.123456789s", undefined],
    ["event_id", "match-2026-103", ""],
    ["creative_work_id", "highlights-2026-104", ""],
    ["entity_ids", ["team-esp", "team-arg", "team-esp"], []],
    ["action_overrides", overrides, undefined],
    ["confidence", 0.123456789, 0],
    ["timer_label", "90+4'", ""],
    ["order", "-9223372036854775808", "0"],
  ];
  for (const [name, value, cleared] of fields) {
    test(`${name} alone is changed, then cleared, and everything else stays`, async () => {
      const before = await read();
      const got = await patch({ [name]: value }, name);
      expect(got.status).toBe(200);
      expect(got.json.annotation).toEqual({ ...before, [name]: value });
      const emptied = await patch({}, name);
      expect(emptied.status).toBe(200);
      expect(emptied.json.annotation[name]).toEqual(cleared);
      await patch({ [name]: before[name] }, name);
      expect(await read()).toEqual(before);
    });
  }

  test("the response carries id, project_id, visibility and source_type", async () => {
    expect(await read()).toMatchObject({
      id: ID,
      project_id: "worldcup",
      visibility: "VISIBILITY_PUBLISHED",
      source_type: "SOURCE_TYPE_AUTOMATIC",
    });
  });

  test("what is sent without being named by the mask is ignored", async () => {
    const before = await read();
    const update = { ...before, id: "x", project_id: "sandbox", visibility: "VISIBILITY_HIDDEN" };
    const more = { source_type: "SOURCE_TYPE_MANUAL", timer_label: "no", offset: "1s" };
    const got = await patch({ ...update, ...more, order: "7" }, "order");
    expect(got.json.annotation).toEqual({ ...before, order: "7" });
  });
});

const rows = (mask: unknown, rows: readonly (readonly [JsonMessage, unknown])[]) =>
  toCases(
    {
      call: "annotations.annotation.v1.AnnotationService/UpdateAnnotation",
      within: "annotation",
      body: (annotation: JsonMessage) => ({ annotationId: ID, annotation, updateMask: mask }),
    },
    rows,
  );
playCases(
  marquee,
  "an update of an annotation",
  [
    ...[undefined, "", "*", "annotation.offset", "id", "visibility", "sourceType"].flatMap((mask) =>
      rows(mask, [[{ offset: "1s", timerLabel: "no" }, `UPDATE_MASK_INVALID allowed=${ALLOWED}`]]),
    ),
    {
      call: "annotations.annotation.v1.AnnotationService/UpdateAnnotation",
      ...{ body: { annotationId: ID, updateMask: "order" }, want: "FIELD_REQUIRED annotation" },
    },
    {
      call: "annotations.annotation.v1.AnnotationService/UpdateAnnotation",
      body: { annotationId: "nothing", annotation: {}, updateMask: "order" },
      want: "404 RESOURCE_NOT_FOUND",
    },
    ...rows("order,confidence,offset", [
      [{ order: "9223372036854775808" }, "VALUE_INVALID order"],
      [{ order: 1.5 }, "VALUE_INVALID order"],
      [{ confidence: "NaN" }, "VALUE_OUT_OF_RANGE confidence"],
      ...["1:15", "PT75S", "1.0000000001s", 75.5, { seconds: 75 }, "315576000001s"].map(
        (offset) => [{ offset }, "VALUE_INVALID offset"] as const,
      ),
      [{ offset: "-0.000000001s" }, "OFFSET_INVALID offset"],
    ]),
    ...rows("startOffset,endOffset", [
      [{ startOffset: "-1s" }, "OFFSET_INVALID start_offset"],
      [{ endOffset: "-1s" }, "OFFSET_INVALID end_offset"],
      [{ startOffset: "10.5s", endOffset: "10.499999999s" }, "OFFSET_INVALID end_offset"],
    ]),
  ],
  async () => (await marquee.store.in("org-worldcup").documents.annotation.get(ID)).value,
);

describe("ids, mask and offsets", () => {
  test("a scene may be short, and its end is compared with the start that is stored", async () => {
    const scene = { start_offset: "100s", end_offset: "100s" };
    expect((await patch(scene, "start_offset,end_offset")).status).toBe(200);
    const early = await patch({ end_offset: "99s" }, "end_offset");
    expect([early.status, metadataOf(early)?.field]).toEqual([400, "annotation.end_offset"]);
    expect((await patch({ start_offset: "101s" }, "start_offset")).status).toBe(400);
    expect((await patch({}, "end_offset")).status).toBe(200);
    expect((await patch({ start_offset: "101s" }, "start_offset")).status).toBe(200);
  });
});

test("a change runs no actions and makes no other change: the tag moves by one write", async () => {
  const first = await patch({ type_id: "type-goal", confidence: 1 }, "type_id,confidence");
  const second = await patch({ offset: "5s" }, "offset");
  const [a, b] = [first, second].map((it) =>
    Number.parseInt(it.headers.get("etag")?.slice(1, -1) ?? "", 36),
  );
  expect(b).toBe((a ?? 0) + 1);
});

const get = (id: string) =>
  callRest(marquee, "GET", `annotations/types/v1/${id}/action_configuration`);

test("a type returns its configuration and conditions", async () => {
  const got = await get("type-goal");
  expect([got.status, got.json]).toEqual([
    200,
    {
      configuration: {
        clip: { enabled: true, lead_in_seconds: 10, lead_out_seconds: 20 },
        notification: { enabled: true, channel: "goals" },
      },
      conditions: [
        {
          confidence_threshold: 0.9,
          source_types: { types: ["SOURCE_TYPE_MANUAL", "SOURCE_TYPE_AUTOMATIC"] },
        },
      ],
    },
  ]);
});

test("a type without a configuration returns an empty one", async () => {
  const got = await get("type-kickoff");
  expect([got.status, got.json]).toEqual([200, { configuration: {}, conditions: [] }]);
});

test("a new type brings no configuration, and an annotation keeps the name of a type that is gone", async () => {
  const call = (method: string, path: string, body?: unknown) =>
    callRest(marquee, method, `annotations/${path}`, body);
  const corner = { project_id: "worldcup", name: "corner" };
  const configured = { ...corner, action_configuration: { configuration: {} } };
  expect(rejection(await call("POST", "types/v1", configured))).toEqual([400, "FIELD_OUTPUT_ONLY"]);
  await call("POST", "types/v1?annotation_type_id=corner", corner);
  const named = { project_id: "worldcup", type_id: "corner" };
  await call("POST", "annotations/v1?annotation_id=a-corner", named);
  expect((await call("DELETE", "types/v1/corner?force=true")).status).toBe(200);
  expect((await call("GET", "annotations/v1/a-corner")).json.annotation.type_id).toBe("corner");
});
