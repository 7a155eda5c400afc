import { create, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { createDemoDataset } from "../../../demo/data/dataset.ts";
import {
  type Annotation,
  AnnotationSchema,
} from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { metadataOf, rejection } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { callDelivery, idsOf, type Key, readPages, WAYS } from "../delivery.ts";
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
  .slice(0, 260)
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

for (const way of WAYS) {
  describe(`by ${way}`, () => {
    const list = (message: JsonMessage, key: Key = "public") =>
      callDelivery(marquee, METHOD, message, key, way);
    const many = (message: JsonMessage, key: Key = "public") =>
      list({ videoId: "video-many", ...message }, key);
    const read = (pageSize: number, key: Key = "public", parents: JsonMessage = {}) =>
      readPages((page) => many({ ...page, ...parents }, key), "annotations", pageSize);

    test("the walk covers every published annotation once, in order", async () => {
      expect(SHOWN.length).toBeGreaterThan(140);
      for (const pageSize of [1, 7, 64, 100]) {
        const pages = await read(pageSize);
        expect(pages.flat()).toEqual(SHOWN);
        expect(pages).toHaveLength(Math.ceil(SHOWN.length / pageSize));
      }
    });

    test("the preview key sees every visibility in one order", async () => {
      for (const pageSize of [9, 100])
        expect((await read(pageSize, "preview")).flat()).toEqual(ALL);
    });

    test("an event narrows the list, alone or with a video", async () => {
      const want = inOrder((it) => it.visibility === PUBLISHED && it.eventId === "event-many");
      const eventId = "event-many";
      expect((await read(50, "public", { eventId })).flat()).toEqual(want);
      expect((await read(50, "public", { eventId, videoId: "" })).flat()).toEqual(want);
      expect((await list({ ...FINAL, eventId })).json).toEqual({});
    });

    test("annotations are given whole, in Connect's spelling", async () => {
      const got = await list(FINAL);
      const ids = ["kickoff-2026-104", "goal-2026-104-1"];
      const want = ids.map((id) => DEMO.find((it) => it.id === id));
      expect(got.json).toEqual({
        annotations: want.map((it) => it && toJson(AnnotationSchema, it)),
      });
      expect(got.headers.get("cache-control")).toMatch(/^public/);
    });
  });
}

test.each([{}, { videoId: "", eventId: "" }])("a list of %j is rejected", async (message) => {
  const got = await callDelivery(marquee, METHOD, message);
  expect([...rejection(got), metadataOf(got)?.field]).toEqual([
    ...[400, "ANNOTATION_PARENT_REQUIRED", "video_id"],
  ]);
});

test.each([
  { eventId: "event-many" },
  { videoId: "video-other" },
  { videoId: "", eventId: "video-many" },
])("a page token of a video does not hold for %j", async (other) => {
  const message = { videoId: "video-many", pageSize: 4 };
  const { nextPageToken: pageToken } = (await callDelivery(marquee, METHOD, message)).json;
  const got = await callDelivery(marquee, METHOD, { ...message, ...other, pageToken });
  expect(rejection(got)).toEqual([400, "PAGE_TOKEN_INVALID"]);
});

test("what the Studio API moves is listed at its new place at once", async () => {
  const patch = async (annotation: JsonMessage) => {
    const body = { annotation, update_mask: Object.keys(annotation).join(",") };
    const path = "annotations/annotations/v1/goal-2022-64-1";
    const got = await callRest(marquee, "PATCH", path, body);
    expect(got.status, got.text).toBe(200);
  };
  const list = async (message: JsonMessage) =>
    idsOf(await callDelivery(marquee, METHOD, message), "annotations");
  const event = { eventId: "match-2022-64" };
  const before = await list(event);
  expect(before.indexOf("goal-2022-64-1")).toBe(1);
  await patch({ offset: "9999s" });
  expect((await list(event)).at(-1)).toBe("goal-2022-64-1");
  await patch({ offset: "0s", order: "-9223372036854775808" });
  expect((await list(event))[0]).toBe("goal-2022-64-1");
  await patch({ event_id: "match-2022-63", video_id: "video-match-2022-63" });
  expect(await list(event)).not.toContain("goal-2022-64-1");
  expect((await list({ videoId: "video-match-2022-63" }))[0]).toBe("goal-2022-64-1");
});
