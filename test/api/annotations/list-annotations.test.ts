import { create, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { createDemoDataset } from "../../../demo/data/dataset.ts";
import {
  type Annotation,
  AnnotationSchema,
} from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { metadataOf, rejection } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { callDelivery, idsOf, type Key, readPages } from "../delivery.ts";
import type { JsonMessage } from "../methods.ts";
import { callRest } from "../studio.ts";

const METHOD = "svc.cda.annotations.annotation.v1.AnnotationService/ListAnnotations";
const DEMO = createDemoDataset().annotations;
const FINAL = { videoId: "video-match-2026-104", eventId: "match-2026-104" };

const { PUBLISHED, UNLISTED, HIDDEN, UNSPECIFIED } = Visibility;
const ORDERS = [0n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n, 2n ** 53n];
const VISIBILITIES = [PUBLISHED, PUBLISHED, PUBLISHED, PUBLISHED, HIDDEN, UNLISTED, UNSPECIFIED];

/**
 * Annotations moved to `video-many`, two in three of them to `event-many`: with few offsets, one in
 * six without, orders at the ends of 64 bits, and every visibility.
 */
const MANY = DEMO.filter((it) => it.id.startsWith("goal-2026-"))
  .slice(0, 60)
  .map((it, index) => {
    const changes: MessageInitShape<typeof AnnotationSchema> = {
      videoId: "video-many",
      eventId: index % 3 === 0 ? "" : "event-many",
      offset: index % 6 === 5 ? undefined : { seconds: BigInt(index % 4), nanos: 500_000 },
      order: ORDERS[index % ORDERS.length] ?? 0n,
      visibility: VISIBILITIES[index % VISIBILITIES.length] ?? UNSPECIFIED,
    };
    return create(AnnotationSchema, { id: it.id, projectId: it.projectId, ...changes } as object);
  });

/** By offset, those without one last, then order, then id. */
const inOrder = (isListed: (annotation: Annotation) => boolean): string[] =>
  MANY.filter(isListed)
    .map(({ id, order, offset }) => ({ id, order, at: offset?.seconds ?? 1_000n }))
    .sort((a, b) => {
      if (a.at !== b.at) return a.at < b.at ? -1 : 1;
      if (a.order !== b.order) return a.order < b.order ? -1 : 1;
      return a.id < b.id ? -1 : 1;
    })
    .map(({ id }) => id);
const SHOWN = inOrder((it) => it.visibility === PUBLISHED);
const ALL = inOrder(() => true);

const marquee = await useMarquee();
for (const value of MANY)
  await marquee.store.in("org-worldcup").documents.annotation.update(value.id, () => value);

// The contract of the store holds the order of annotations, pages of every size, and annotations that move.

const list = (message: JsonMessage, key: Key = "public") =>
  callDelivery(marquee, METHOD, message, key);
const read = async (key: Key, message: JsonMessage) =>
  (await readPages((page) => list({ ...message, ...page }, key), "annotations", 7)).flat();
const OF_VIDEO = { videoId: "video-many" };
const OF_EVENT = { eventId: "event-many" };

test("the walk covers every published annotation once, in order", async () => {
  expect(SHOWN.length).toBeGreaterThan(30);
  expect(await read("public", OF_VIDEO)).toEqual(SHOWN);
});

test("the preview key sees every visibility in one order", async () => {
  expect(await read("preview", OF_VIDEO)).toEqual(ALL);
});

test("an event narrows the list, alone or with a video", async () => {
  const want = inOrder((it) => it.visibility === PUBLISHED && it.eventId === "event-many");
  expect(await read("public", { ...OF_VIDEO, ...OF_EVENT })).toEqual(want);
  expect(await read("public", OF_EVENT)).toEqual(want);
  expect((await list({ ...FINAL, ...OF_EVENT })).json).toEqual({});
});

test("annotations are given whole, in Connect's spelling", async () => {
  const got = await list(FINAL);
  const ids = ["kickoff-2026-104", "goal-2026-104-1"];
  const want = ids.map((id) => DEMO.find((it) => it.id === id));
  expect(got.json).toEqual({ annotations: want.map((it) => it && toJson(AnnotationSchema, it)) });
  expect(got.headers.get("cache-control")).toMatch(/^public/);
});

test.each([{}, { videoId: "", eventId: "" }])("a list of %j is rejected", async (message) => {
  const got = await list(message);
  expect([...rejection(got), metadataOf(got)?.field]).toEqual([
    ...[400, "ANNOTATION_PARENT_REQUIRED", "video_id"],
  ]);
});

test.each([OF_EVENT, { videoId: "video-other" }, { videoId: "", eventId: "video-many" }])(
  "a page token of a video does not hold for %j",
  async (other) => {
    const message = { ...OF_VIDEO, pageSize: 4 };
    const { nextPageToken: pageToken } = (await list(message)).json;
    const got = await list({ ...message, ...other, pageToken });
    expect(rejection(got)).toEqual([400, "PAGE_TOKEN_INVALID"]);
  },
);

test("what the Studio API moves is listed at its new place at once", async () => {
  const ids = async () => idsOf(await list({ eventId: "match-2022-64" }), "annotations");
  expect((await ids()).indexOf("goal-2022-64-1")).toBe(1);
  const body = { annotation: { offset: "9999s" }, update_mask: "offset" };
  const path = "annotations/annotations/v1/goal-2022-64-1";
  expect((await callRest(marquee, "PATCH", path, body)).status).toBe(200);
  expect((await ids()).at(-1)).toBe("goal-2022-64-1");
});
