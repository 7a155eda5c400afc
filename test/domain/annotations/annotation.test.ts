import { create, fromJson, type JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { AnnotationSchema } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { checkAnnotation } from "../../../src/domain/annotations/annotation.ts";
import { openCases } from "../../harness/cases.ts";
import { rejection } from "../../harness/rejection.ts";

const each = openCases("annotations/annotation");

const check = (annotation: JsonObject) => () =>
  checkAnnotation(fromJson(AnnotationSchema, annotation));

each<[string, JsonObject]>("an annotation is allowed", (_name, annotation) => {
  expect(check(annotation)).not.toThrow();
});

each<[string, JsonObject, string, string]>(
  "an annotation is rejected",
  (_name, annotation, field, reason) => {
    expect(check(annotation)).toThrow(rejection(reason, `annotation.${field}`));
  },
);

test("the longest offset is more than ProtoJSON takes", () => {
  const endOffset = { seconds: 315_576_000_000n, nanos: 999_999_999 };
  expect(() => checkAnnotation(create(AnnotationSchema, { endOffset }))).not.toThrow();
});
