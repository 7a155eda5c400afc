import { create, fromBinary, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test, vi } from "vitest";
import { AnnotationService } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_service_pb.ts";
import { readDescribedMethod } from "../../../src/domain/actions/described-method.ts";
import { RunRoom } from "../../../src/domain/actions/run-room.ts";
import { DomainError } from "../../../src/domain/base/errors.ts";
import { openCases } from "../../harness/cases.ts";
import { toDescriptorSet } from "./descriptor-set.ts";

const each = openCases("actions/described-method");

const METHOD = `${AnnotationService.typeName}/CreateAnnotation`;
const SET = toDescriptorSet(AnnotationService.file);

function reasonOf(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    if (error instanceof DomainError) return error.reason;
    throw error;
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

  test.each<[string, string, Uint8Array]>([
    ["by no bytes", METHOD, new Uint8Array()],
    ["by bytes that are no message", METHOD, new Uint8Array([1, 2, 3])],
    ["without its imports", METHOD, withoutImports],
    ["under another service", METHOD.replace("Service/", "Services/"), SET],
    ["under another name", `${METHOD}s`, SET],
    ["with a slash in front", `/${METHOD}`, SET],
    ["without a slash", METHOD.replace("/", "."), SET],
    ["if it streams", METHOD, toBinary(FileDescriptorSetSchema, streaming)],
  ])("%s", (_name, method, set) => {
    expect(reasonOf(() => readDescribedMethod(method, set))).toBe("METHOD_NOT_DESCRIBED");
  });
});

each<[JsonObject, string?]>("a template", (template, want) => {
  const method = readDescribedMethod(METHOD, SET);
  expect(reasonOf(() => method.checkTemplate(template))).toBe(want);
});

describe("a request is filled", () => {
  const values: JsonObject = {
    annotation: {
      ...{ id: "goal-1", confidence: 0.75, order: "7", type_id: "", entity_ids: ["a", "b"] },
      action_overrides: { clip: { seconds: 3 } },
    },
    settings: { count: 2, isOn: true, none: null, odd: "{annotation.id}", list: [1] },
  };

  each<[string, JsonObject, JsonObject?]>("a request is filled", (_name, template, want) => {
    const method = readDescribedMethod(METHOD, SET);
    if (want !== undefined)
      expect(method.fillTemplate(template, values, new RunRoom(0))).toEqual(want);
    else {
      const reason = reasonOf(() => method.fillTemplate(template, values, new RunRoom(0)));
      expect(reason).toBe("REQUEST_NOT_ACCEPTED");
    }
  });

  test("and takes the room of each value, of a value from a list four times as much as its field", () => {
    const method = readDescribedMethod(METHOD, SET);
    const takeCharacters = vi.fn();
    const annotation = {
      ...{ id: "{annotation.id} {annotation.id}", type_id: "{settings.absent}" },
      entity_ids: "{annotation.fields.items.id}",
    };
    const items = [{ id: "a" }, { id: "b" }];
    const long = { annotation: { id: "goal-1", fields: { items } }, settings: {} };
    const want = { annotation: { id: "goal-1 goal-1", entityIds: ["a", "b"] } };
    expect(method.fillTemplate({ annotation }, long, { takeCharacters })).toEqual(want);
    const ofList = 4 * JSON.stringify({ items }).length;
    expect(takeCharacters.mock.calls.flat()).toEqual([8, 8, 2, ofList]);
  });

  test("or not at all, however often a template names a long value", () => {
    const method = readDescribedMethod(METHOD, SET);
    const list = Array.from({ length: 4_990 }, () => ({}));
    const values = {
      annotation: { timer_label: "x".repeat(65_536), action_overrides: { list } },
      settings: {},
    };
    const texts = list.map((_, number) => `{annotation.action_overrides.list.x${number}}`);
    const templates = [
      { annotation: { timer_label: "{annotation.timer_label}".repeat(20_000) } },
      { annotation: { action_overrides: { all: Array(5_000).fill("{annotation}") } } },
      { annotation: { action_overrides: { all: texts } } },
    ];
    for (const template of templates) {
      const reason = reasonOf(() => method.fillTemplate(template, values, new RunRoom(0)));
      expect(reason).toBe("REQUEST_NOT_ACCEPTED");
    }
  });
});
