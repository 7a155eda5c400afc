import { create, fromJson, type JsonObject, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  type Annotation,
  AnnotationSchema,
  SourceType,
} from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { VideoSchema } from "../../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import {
  applyChapter,
  type Chapter,
  toChapters,
} from "../../../src/domain/annotations/chapters.ts";
import { openCases } from "../../harness/cases.ts";

const each = openCases("annotations/chapters");

type Init = Exclude<MessageInitShape<typeof AnnotationSchema>, Annotation>;
const at = (seconds: bigint, nanos = 0) => ({ seconds, nanos });
const scene = (id: string, start: bigint, end: bigint, more: Init = {}): Init => ({
  ...{ id, offset: at(start), startOffset: at(start), endOffset: at(end), ...more },
});
const noTitle = () => "";

each<[string, JsonObject[], (string | number)[][]]>(
  "annotations are shown as chapters",
  (_name, annotations, want) => {
    const all = annotations.map((it) => fromJson(AnnotationSchema, it));
    const got = toChapters(all, noTitle);
    expect(got.map(({ id, start, end, title }) => [id, start, end, title])).toEqual(want);
  },
);

test("annotations are shown as chapters: with a given title, if there is no label", () => {
  const all = ["", " ", "90"].map((timerLabel) => create(AnnotationSchema, { timerLabel }));
  const got = toChapters(all, () => " the goal ");
  expect(got.map(({ title }) => title)).toEqual(["the goal", "the goal", "90"]);
});

describe("an imported chapter", () => {
  const video = create(VideoSchema, { id: "v", projectId: "p" });
  const apply = (chapter: Chapter, annotation?: Annotation) => {
    const [shown = chapter] = annotation ? toChapters([annotation], noTitle) : [];
    const stored = annotation && { annotation, shown };
    return applyChapter(chapter, video, stored, () => "created");
  };

  test("creates a published annotation at its start", () => {
    for (const [id, want] of [
      ["a", "a"],
      ["", "created"],
    ] as const) {
      expect(apply({ id, start: 1_500, end: 2_000, title: "T" })).toEqual(
        create(AnnotationSchema, {
          ...{ id: want, projectId: "p", videoId: "v", timerLabel: "T" },
          ...{ offset: at(1n, 500_000_000), startOffset: at(1n, 500_000_000), endOffset: at(2n) },
          ...{ visibility: Visibility.PUBLISHED, sourceType: SourceType.IMPORT },
        }),
      );
    }
    expect(() => apply({ id: "no id", start: 0, end: 1, title: "" })).toThrow(/1 to 64/);
  });

  const stored: Init = {
    ...{ id: "a", projectId: "p", videoId: "v", typeId: "goal", confidence: 0.5 },
    ...{ startOffset: at(1n, 999_999), offset: at(1n, 999_999), timerLabel: " x\n" },
    sourceType: SourceType.MANUAL,
  };
  const shown: Chapter = { id: "a", start: 1_000, end: 1_001, title: "x" };

  test.each<[string, Partial<Chapter>, Init, Init?]>([
    ["nothing, as it is exported", {}, {}],
    ["the title", { title: "y" }, { timerLabel: "y" }],
    ["the end", { end: 4_000 }, { endOffset: at(4n) }],
    [
      "the start, and the offset that equals it",
      { start: 500 },
      { startOffset: at(0n, 500_000_000), offset: at(0n, 500_000_000) },
    ],
    [
      "the start, and no other offset",
      { start: 500 },
      { startOffset: at(0n, 500_000_000) },
      { offset: at(7n) },
    ],
  ])("changes of a stored annotation %s", (_name, change, want, more = {}) => {
    const before = create(AnnotationSchema, { ...stored, ...more });
    const got = apply({ ...shown, ...change }, before);
    expect(got).toEqual(create(AnnotationSchema, { ...stored, ...more, ...want }));
  });

  test("whose end is before the stored start is rejected", () => {
    const before = create(AnnotationSchema, scene("a", 5n, 6n));
    expect(() => apply({ id: "a", start: 5_000, end: 4_000, title: "" }, before)).toThrow(
      /annotation\.end_offset: must not be before start_offset/,
    );
  });
});
