import { create, type JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { ActionConditionSchema } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import { checkActionConfiguration } from "../../../src/domain/actions/action.ts";

const check = (configuration: JsonObject, condition: object = {}) =>
  checkActionConfiguration(
    configuration,
    [create(ActionConditionSchema), create(ActionConditionSchema, condition)],
    (id) => id === "clip",
  );

describe("an action configuration is taken", () => {
  const cases: readonly (readonly [JsonObject, object])[] = [
    [{}, {}],
    [{ clip: {} }, { confidenceThreshold: -1 }],
    [{ clip: { any: [{ thing: null }] } }, { confidenceThreshold: 1e300 }],
    [{}, { sourceTypes: { types: ["SOURCE_TYPE_MANUAL", "SOURCE_TYPE_UNSPECIFIED"] } }],
  ];
  for (const [configuration, condition] of cases) {
    test(JSON.stringify([configuration, condition]), () => {
      expect(() => check(configuration, condition)).not.toThrow();
    });
  }
});

describe("an action configuration is refused, and the field is named", () => {
  const cases: readonly (readonly [JsonObject, object, reason: string, field: string])[] = [
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
  ];
  for (const [configuration, condition, reason, field] of cases) {
    test(`${reason} at ${field}: ${JSON.stringify(configuration)}`, () => {
      expect(() => check(configuration, condition)).toThrow(
        expect.objectContaining({ reason, fields: [expect.objectContaining({ field })] }),
      );
    });
  }
});
