import { create, fromJson, type JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { AnnotationSchema } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { ActionConfigurationSchema } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import {
  listActionIds,
  MOST_ACTIONS,
  planRun,
  type RunPlan,
} from "../../../src/domain/actions/action-run.ts";
import { openCases } from "../../harness/cases.ts";

const each = openCases("actions/run-plan");

/** Plans the runs of a manual annotation; every action exists but `gone`. */
function plan(
  configuration: JsonObject,
  annotation: JsonObject = {},
  conditions: JsonObject[] = [],
): RunPlan[] {
  const sent = { id: "a", source_type: "SOURCE_TYPE_MANUAL", ...annotation };
  const created = fromJson(AnnotationSchema, sent);
  const ofType = fromJson(ActionConfigurationSchema, { configuration, conditions });
  return listActionIds(ofType).map((id) => planRun(created, ofType, id, id !== "gone"));
}

test("a type without a configuration runs nothing", () => {
  expect(listActionIds(create(ActionConfigurationSchema))).toEqual([]);
  expect(plan({})).toEqual([]);
});

test("each action is planned once, by its id", () => {
  expect(plan({ b: {}, gone: { x: 1 }, a: { level: 2 } })).toEqual([
    { actionId: "a", settings: { level: 2 } },
    { actionId: "b", settings: {} },
    { actionId: "gone", settings: { x: 1 }, skipReason: "ACTION_NOT_FOUND" },
  ]);
});

test.each([
  [MOST_ACTIONS, MOST_ACTIONS],
  [MOST_ACTIONS + 1, MOST_ACTIONS],
])("of %i actions, the first 100 by id are planned", (count, planned) => {
  const ids = Array.from({ length: count }, (_, number) => String(number).padStart(3, "0"));
  const plans = plan(Object.fromEntries(ids.toReversed().map((id) => [id, {}])));
  expect(plans.map(({ actionId }) => actionId)).toEqual(ids.slice(0, planned));
});

each<[string, JsonObject, JsonObject[], string?]>(
  "conditions",
  (_name, annotation, conditions, want) => {
    const got = plan({ clip: {} }, annotation, conditions);
    expect(got.map(({ skipReason }) => skipReason)).toEqual([want]);
  },
);

each<[string, JsonObject, JsonObject]>("overrides", (_name, action_overrides, settings) => {
  const got = plan({ clip: { seconds: 10, tags: { a: 1 } } }, { action_overrides });
  expect(got).toEqual([{ actionId: "clip", settings }]);
});

describe("overrides", () => {
  test("turn an action off and on again", () => {
    const [off, on] = [true, false].map((disabled) => ({ clip: { disabled } }));
    const reasonOf = (...it: Parameters<typeof plan>) => plan(...it)[0]?.skipReason;
    expect(reasonOf({ clip: {} }, { action_overrides: off ?? {} })).toBe("DISABLED");
    expect(reasonOf(off ?? {})).toBe("DISABLED");
    expect(reasonOf(off ?? {}, { action_overrides: on ?? {} })).toBeUndefined();
    expect(reasonOf({ clip: { disabled: "true" } })).toBeUndefined();
  });

  test("reach no member that every object has", () => {
    const got = plan({ constructor: {}, toString: {} }, { action_overrides: {} });
    expect(got.map(({ settings }) => settings)).toEqual([{}, {}]);
  });
});
