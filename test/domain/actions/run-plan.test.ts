import { create, type JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  AnnotationSchema,
  SourceType,
} from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { ActionConfigurationSchema } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import { planRuns, type RunPlan } from "../../../src/domain/actions/run-plan.ts";

interface Case {
  readonly configuration?: JsonObject;
  readonly conditions?: readonly {
    confidenceThreshold?: number;
    sourceTypes?: { types: string[] };
  }[];
  readonly overrides?: JsonObject;
  readonly confidence?: number;
  readonly sourceType?: SourceType;
}

function plan({ configuration = { clip: {} }, conditions = [], ...rest }: Case): RunPlan[] {
  const { overrides, confidence = 0, sourceType = SourceType.MANUAL } = rest;
  const annotation = create(AnnotationSchema, {
    ...{ id: "a", confidence, sourceType },
    ...(overrides && { actionOverrides: overrides }),
  });
  const type = create(ActionConfigurationSchema, { configuration, conditions: [...conditions] });
  return planRuns(annotation, type, (id) => id !== "gone");
}

test("a type without a configuration runs nothing", () => {
  expect(planRuns(create(AnnotationSchema), undefined, () => true)).toEqual([]);
  expect(plan({ configuration: {} })).toEqual([]);
});

test("each action is planned once, by its id", () => {
  const got = plan({ configuration: { b: {}, gone: { x: 1 }, a: { level: 2 } } });
  expect(got).toEqual([
    { actionId: "a", settings: { level: 2 } },
    { actionId: "b", settings: {} },
    { actionId: "gone", settings: { x: 1 }, skipReason: "ACTION_NOT_FOUND" },
  ]);
});

describe("conditions", () => {
  const types = (...names: string[]) => ({
    types: names.map((name) => `SOURCE_TYPE_${name}`),
  });

  test.each<readonly [string, Case, RunPlan["skipReason"]]>([
    ["none hold always", {}, undefined],
    ["an empty one holds", { conditions: [{}] }, undefined],
    [
      "at the threshold",
      { confidence: 0.9, conditions: [{ confidenceThreshold: 0.9 }] },
      undefined,
    ],
    [
      "below the threshold",
      { confidence: 0.8999, conditions: [{ confidenceThreshold: 0.9 }] },
      "CONFIDENCE_TOO_LOW",
    ],
    ["below nothing", { confidence: -0.1, conditions: [{}] }, "CONFIDENCE_TOO_LOW"],
    ["a listed source", { conditions: [{ sourceTypes: types("IMPORT", "MANUAL") }] }, undefined],
    ["no source at all", { conditions: [{ sourceTypes: types() }] }, undefined],
    [
      "another source",
      { sourceType: SourceType.IMPORT, conditions: [{ sourceTypes: types("MANUAL") }] },
      "SOURCE_TYPE_NOT_LISTED",
    ],
    [
      "all must hold",
      { confidence: 1, conditions: [{ confidenceThreshold: 1 }, { sourceTypes: types("IMPORT") }] },
      "SOURCE_TYPE_NOT_LISTED",
    ],
    [
      "the first that fails is named",
      {
        confidence: 0.5,
        conditions: [{ confidenceThreshold: 1 }, { sourceTypes: types("IMPORT") }],
      },
      "CONFIDENCE_TOO_LOW",
    ],
    ...[0.5, 1, 1e9].map(
      (confidenceThreshold) =>
        [
          `a manual one without a confidence reaches ${confidenceThreshold}`,
          { sourceType: SourceType.MANUAL, conditions: [{ confidenceThreshold }] },
          undefined,
        ] as const,
    ),
    [
      "a manual one with a confidence is as sure as that",
      {
        ...{ sourceType: SourceType.MANUAL, confidence: 0.1 },
        conditions: [{ confidenceThreshold: 0.5 }],
      },
      "CONFIDENCE_TOO_LOW",
    ],
    ...[SourceType.AUTOMATIC, SourceType.IMPORT, SourceType.UNSPECIFIED].map(
      (sourceType) =>
        [
          `one of source ${sourceType} without a confidence is not certain`,
          { sourceType, conditions: [{ confidenceThreshold: 0.5 }] },
          "CONFIDENCE_TOO_LOW",
        ] as const,
    ),
  ])("%s", (_name, input, want) => {
    expect(plan(input).map((it) => it.skipReason)).toEqual([want]);
  });
});

describe("overrides", () => {
  const clip = { seconds: 10, tags: { a: 1 } };

  test.each<[string, JsonObject, JsonObject]>([
    ["replace a setting by name", { clip: { seconds: 20 } }, { ...clip, seconds: 20 }],
    ["add one", { clip: { more: true } }, { ...clip, more: true }],
    ["do not merge deeper", { clip: { tags: { b: 2 } } }, { ...clip, tags: { b: 2 } }],
    ["of another action do nothing", { other: { seconds: 20 } }, clip],
    ["that are no object do nothing", { clip: [1] }, clip],
    ["null does nothing", { clip: null }, clip],
  ])("%s", (_name, overrides, want) => {
    const got = plan({ configuration: { clip }, overrides });
    expect(got).toEqual([{ actionId: "clip", settings: want }]);
  });

  test("turn an action off and on again", () => {
    const off = { clip: { disabled: true } };
    expect(plan({ overrides: off })[0]?.skipReason).toBe("DISABLED");
    expect(plan({ configuration: off })[0]?.skipReason).toBe("DISABLED");
    const on = plan({ configuration: off, overrides: { clip: { disabled: false } } });
    expect(on[0]?.skipReason).toBeUndefined();
    expect(plan({ configuration: { clip: { disabled: "true" } } })[0]?.skipReason).toBeUndefined();
  });

  test("reach no member that every object has", () => {
    const got = plan({ configuration: { constructor: {}, toString: {} }, overrides: {} });
    expect(got.map(({ settings }) => settings)).toEqual([{}, {}]);
  });
});
