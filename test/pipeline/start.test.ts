import type { DescField, DescMethod } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { Health } from "../../gen/health/v1/health_pb.ts";
import { RulesetService } from "../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import { VideoService } from "../../gen/svc/studio/streaming/video/v1/video_service_pb.ts";
import { findWriteFields, readAccessRule } from "../../src/api/steps/request-fields.ts";

const { createVideo, updateVideo } = VideoService.method;
const { getRuleset } = RulesetService.method;

/** The method without a field of its request, and with a field that has another type. */
function breakField(method: DescMethod, name: string, scalar: number): readonly DescMethod[] {
  const { input } = method;
  return [
    input.fields.filter((field) => field.name !== name),
    input.fields.map((field) =>
      field.name === name ? ({ ...field, scalar } as DescField) : field,
    ),
  ].map((fields) => ({ ...method, input: { ...input, fields } }) as DescMethod);
}

const INT32 = 5;

test("a method without a rule of access does not start, and is named", () => {
  const [method] = Health.methods;
  if (method === undefined) throw new Error("the health service has methods");
  expect(() => readAccessRule(method)).toThrow(`${Health.typeName}/${method.name}`);
});

test.each<[DescMethod, field: string, read: (method: DescMethod) => unknown]>([
  [getRuleset, "ruleset_id", readAccessRule],
  [createVideo, "validate_only", findWriteFields],
  [updateVideo, "validate_only", findWriteFields],
  [createVideo, "request_id", findWriteFields],
])("$name without %s, or with one of another type, does not start, and is named", (...row) => {
  const [method, field, read] = row;
  for (const broken of breakField(method, field, INT32)) {
    expect(() => read(broken)).toThrow(
      new RegExp(`${method.parent.name}/${method.name} .*'${field}'`),
    );
  }
});
