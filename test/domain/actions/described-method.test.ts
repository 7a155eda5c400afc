import { create, fromBinary, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { AnnotationService } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_service_pb.ts";
import { readDescribedMethod } from "../../../src/domain/actions/described-method.ts";
import { DomainError } from "../../../src/domain/errors.ts";
import { toDescriptorSet } from "./descriptor-set.ts";

const METHOD = `${AnnotationService.typeName}/CreateAnnotation`;
const SET = toDescriptorSet(AnnotationService.file);

function reasonOf(run: () => unknown): string | undefined {
  try {
    run();
  } catch (fault) {
    if (fault instanceof DomainError) return fault.reason;
    throw fault;
  }
  return undefined;
}

describe("a method is not described", () => {
  const half = fromBinary(FileDescriptorSetSchema, SET);
  const withoutImports = toBinary(
    FileDescriptorSetSchema,
    create(FileDescriptorSetSchema, { file: half.file.slice(-1) }),
  );
  const streaming = fromBinary(FileDescriptorSetSchema, SET);
  for (const method of streaming.file.at(-1)?.service[0]?.method ?? []) {
    method.serverStreaming = true;
  }
  const cases: readonly (readonly [string, string, Uint8Array])[] = [
    ["by no bytes", METHOD, new Uint8Array()],
    ["by bytes that are no message", METHOD, new Uint8Array([1, 2, 3])],
    ["without its imports", METHOD, withoutImports],
    ["under another service", METHOD.replace("Service/", "Services/"), SET],
    ["under another name", `${METHOD}s`, SET],
    ["with a slash in front", `/${METHOD}`, SET],
    ["without a slash", METHOD.replace("/", "."), SET],
    ["if it streams", METHOD, toBinary(FileDescriptorSetSchema, streaming)],
  ];
  for (const [name, method, set] of cases) {
    test(name, () => {
      expect(reasonOf(() => readDescribedMethod(method, set))).toBe("METHOD_NOT_DESCRIBED");
    });
  }
});

describe("a template", () => {
  const cases: readonly (readonly [JsonObject, string | undefined])[] = [
    [{}, undefined],
    [{ annotation: { project_id: "p", offset: "1.5s" }, validate_only: true }, undefined],
    [{ annotation: { projectId: "p", entityIds: ["a", "{settings.b}"] } }, undefined],
    [{ annotation: "{annotation.action_overrides}", source_type: "{settings.type}" }, undefined],
    [{ annotation: { confidence: "{annotation.confidence}" } }, undefined],
    [{ annotation: { timer_label: "{annotation.timer_label} of {settings.x.y}" } }, undefined],
    [{ annotation: { action_overrides: { any: ["{settings.x}", null] } } }, undefined],
    [{ unknown: 1 }, "REQUEST_NOT_ACCEPTED"],
    [{ unknown: "{settings.x}" }, "REQUEST_NOT_ACCEPTED"],
    [{ annotation: { unknown: "{settings.x}" } }, "REQUEST_NOT_ACCEPTED"],
    [{ annotation: { timer_label: 1 } }, "REQUEST_NOT_ACCEPTED"],
    [{ annotation: { confidence: "about {settings.x}" } }, "REQUEST_NOT_ACCEPTED"],
    [{ annotation: { offset: "soon" } }, "REQUEST_NOT_ACCEPTED"],
    [{ source_type: "SOURCE_TYPE_NOBODY" }, "REQUEST_NOT_ACCEPTED"],
    [{ request_id: "{other.id}" }, "REQUEST_NOT_ACCEPTED"],
    [{ request_id: "{annotation.ids}" }, "REQUEST_NOT_ACCEPTED"],
    [{ request_id: "{annotation.id.id}" }, "REQUEST_NOT_ACCEPTED"],
    [{ request_id: "{settings}" }, "REQUEST_NOT_ACCEPTED"],
    [{ request_id: "{annotation.id" }, "VARIABLE_MALFORMED"],
    [{ request_id: "}" }, "VARIABLE_MALFORMED"],
  ];
  for (const [template, want] of cases) {
    test(`${JSON.stringify(template)} is ${want ?? "taken"}`, () => {
      const method = readDescribedMethod(METHOD, SET);
      expect(reasonOf(() => method.checkTemplate(template))).toBe(want);
    });
  }
});

describe("a request is filled", () => {
  const values: JsonObject = {
    annotation: {
      ...{ id: "goal-1", confidence: 0.75, order: "7", type_id: "", entity_ids: ["a", "b"] },
      action_overrides: { clip: { seconds: 3 } },
    },
    settings: { count: 2, isOn: true, none: null, odd: "{annotation.id}", list: [1] },
  };
  const cases: readonly (readonly [string, JsonObject, JsonObject | undefined])[] = [
    ["with text", { request_id: "run of {annotation.id}" }, { requestId: "run of goal-1" }],
    ["with numbers in text", { request_id: "{settings.count}x" }, { requestId: "2x" }],
    [
      "with values as they are",
      {
        annotation: {
          confidence: "{annotation.confidence}",
          entity_ids: "{annotation.entity_ids}",
        },
      },
      { annotation: { confidence: 0.75, entityIds: ["a", "b"] } },
    ],
    ["with a flag", { validate_only: "{settings.isOn}" }, { validateOnly: true }],
    [
      "with a 64-bit number",
      { annotation: { order: "{annotation.order}" } },
      { annotation: { order: "7" } },
    ],
    [
      "with objects",
      { annotation: { action_overrides: "{annotation.action_overrides}" } },
      { annotation: { actionOverrides: { clip: { seconds: 3 } } } },
    ],
    ["deeper", { request_id: "{annotation.action_overrides.clip.seconds}s" }, { requestId: "3s" }],
    [
      "without what has no value",
      { request_id: "{settings.none}", annotation_id: "{annotation.type_id}" },
      {},
    ],
    [
      "without it in lists",
      { annotation: { entity_ids: ["x", "{settings.no}"] } },
      { annotation: { entityIds: ["x"] } },
    ],
    [
      "with nothing for it in text",
      { request_id: "a{settings.no}{settings.list}b" },
      { requestId: "ab" },
    ],
    [
      "and values are no templates",
      { request_id: "{settings.odd}" },
      { requestId: "{annotation.id}" },
    ],
    ["but not with what the field does not take", { validate_only: "{settings.count}" }, undefined],
    ["nor a list in a text's place", { request_id: "{annotation.entity_ids}" }, undefined],
  ];
  for (const [name, template, want] of cases) {
    test(name, () => {
      const method = readDescribedMethod(METHOD, SET);
      if (want !== undefined) expect(method.fillTemplate(template, values)).toEqual(want);
      else {
        const reason = reasonOf(() => method.fillTemplate(template, values));
        expect(reason).toBe("REQUEST_NOT_ACCEPTED");
      }
    });
  }
});
