import { create, type JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ActionSchema } from "../../../gen/svc/studio/annotations/action/v1/action_pb.ts";
import { ActionConditionSchema } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import {
  checkActionConfiguration,
  findHost,
  targetOf,
} from "../../../src/domain/actions/action.ts";
import { openCases } from "../../harness/cases.ts";
import { rejection } from "../../harness/rejection.ts";

const each = openCases("actions/action");

each<[url: string, host: string]>("an action is sent to its host", (url, host) => {
  const webhook = { case: "webhook", value: { url } } as const;
  const connectCall = { case: "connectCall", value: { baseUrl: url } } as const;
  for (const kind of [webhook, connectCall]) {
    expect(findHost(targetOf(create(ActionSchema, { kind })))).toBe(host);
  }
});

test("an action of no kind is sent to no host", () => {
  expect(findHost(targetOf(create(ActionSchema)))).toBe("");
});

const check = (configuration: JsonObject, condition: object = {}) =>
  checkActionConfiguration(
    configuration,
    [create(ActionConditionSchema), create(ActionConditionSchema, condition)],
    (id) => id === "clip",
  );

test.each<[JsonObject, object]>([
  [{}, {}],
  [{ clip: {} }, { confidenceThreshold: -1 }],
  [{ clip: { any: [{ thing: null }] } }, { confidenceThreshold: 1e300 }],
  [{}, { sourceTypes: { types: ["SOURCE_TYPE_MANUAL", "SOURCE_TYPE_UNSPECIFIED"] } }],
])("an action configuration is taken: %o", (configuration, condition) => {
  expect(() => check(configuration, condition)).not.toThrow();
});

test.each<[JsonObject, object, reason: string, field: string]>([
  [{ other: {} }, {}, "ACTION_NOT_FOUND", "configuration.other"],
  [{ clip: null }, {}, "SETTINGS_INVALID", "configuration.clip"],
  [{ clip: [] }, {}, "SETTINGS_INVALID", "configuration.clip"],
  [{ clip: "on" }, {}, "SETTINGS_INVALID", "configuration.clip"],
  [{}, { confidenceThreshold: NaN }, "VALUE_OUT_OF_RANGE", "conditions[1].confidence_threshold"],
  [
    {},
    { confidenceThreshold: Infinity },
    "VALUE_OUT_OF_RANGE",
    "conditions[1].confidence_threshold",
  ],
  [
    {},
    { sourceTypes: { types: ["SOURCE_TYPE_MANUAL", "MANUAL"] } },
    "SOURCE_TYPE_UNKNOWN",
    "conditions[1].source_types.types[1]",
  ],
])(
  "an action configuration is rejected, and the field is named: %o",
  (configuration, condition, reason, field) => {
    expect(() => check(configuration, condition)).toThrow(
      rejection(reason, undefined, { fields: [expect.objectContaining({ field })] }),
    );
  },
);
