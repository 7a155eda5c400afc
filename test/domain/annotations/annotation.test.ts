import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { AnnotationSchema } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { checkAnnotation } from "../../../src/domain/annotations/annotation.ts";
import { refusal } from "../../harness/refusal.ts";

type Init = MessageInitShape<typeof AnnotationSchema>;
const at = (seconds: bigint, nanos = 0) => ({ seconds, nanos });

test.each<[string, Init]>([
  ["an empty one", {}],
  ["a moment at the start", { offset: at(0n) }],
  ["a scene", { startOffset: at(1n), endOffset: at(2n) }],
  ["a scene without a length", { startOffset: at(1n, 5), endOffset: at(1n, 5) }],
  ["a scene that is a nanosecond long", { startOffset: at(1n, 5), endOffset: at(1n, 6) }],
  ["a start without an end", { startOffset: at(9n) }],
  ["an end without a start", { endOffset: at(9n) }],
  ["a moment outside its scene", { offset: at(9n), startOffset: at(1n), endOffset: at(2n) }],
  ["the longest offset", { endOffset: at(315_576_000_000n, 999_999_999) }],
  ["a confidence beyond 1", { confidence: 1.5 }],
  ["a negative confidence", { confidence: -1 }],
  ["the largest order", { order: 2n ** 63n - 1n }],
  ["the smallest order", { order: -(2n ** 63n) }],
])("an annotation that is allowed: %s", (_name, init) => {
  expect(() => checkAnnotation(create(AnnotationSchema, init))).not.toThrow();
});

test.each<[string, Init, string, string]>([
  ["offset", { offset: at(-1n) }, "annotation.offset", "OFFSET_INVALID"],
  ["offset", { offset: at(0n, -1) }, "annotation.offset", "OFFSET_INVALID"],
  ["start_offset", { startOffset: at(-1n, -5) }, "annotation.start_offset", "OFFSET_INVALID"],
  ["end_offset", { endOffset: at(0n, -999) }, "annotation.end_offset", "OFFSET_INVALID"],
  [
    "an end before the start",
    { startOffset: at(2n), endOffset: at(1n, 999_999_999) },
    "annotation.end_offset",
    "OFFSET_INVALID",
  ],
  [
    "an end a nanosecond before the start",
    { startOffset: at(1n, 6), endOffset: at(1n, 5) },
    "annotation.end_offset",
    "OFFSET_INVALID",
  ],
  ["NaN", { confidence: Number.NaN }, "annotation.confidence", "VALUE_OUT_OF_RANGE"],
  ["Infinity", { confidence: Infinity }, "annotation.confidence", "VALUE_OUT_OF_RANGE"],
  ["-Infinity", { confidence: -Infinity }, "annotation.confidence", "VALUE_OUT_OF_RANGE"],
])("an annotation that is refused: %s", (_name, init, field, reason) => {
  expect(() => checkAnnotation(create(AnnotationSchema, init))).toThrow(refusal(reason, field));
});
