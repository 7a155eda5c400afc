import { create, fromBinary, type Message, toBinary, toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { AnnotationService } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_service_pb.ts";
import { SignInIntegrationService } from "../../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import { TransactionService } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_service_pb.ts";
import {
  PageComponentService,
  UpdatePageComponentRequestSchema,
} from "../../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import { BaseType } from "../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import {
  CreateRulesetRequestSchema,
  RulesetService,
} from "../../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { bind, errorOf } from "./call.ts";

const COMPONENT = "/ott/page_components/v2/c1";
const RULESETS = "/streaming/video_protection/v2/rulesets";

function patch(body: object | string): Message {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return bind(PageComponentService.methods, "PATCH", COMPONENT, text);
}

function createRuleset(ruleset: object | string): Message {
  const text = typeof ruleset === "string" ? ruleset : JSON.stringify(ruleset);
  return bind(RulesetService.methods, "POST", RULESETS, text);
}

describe("a body of the whole message", () => {
  test("fills messages, lists, maps, enums and the free objects", () => {
    const got = patch({
      page_component_id: "c1",
      page_component_update: {
        name: "Next",
        environments: ["web", "ios"],
        visibility: "VISIBILITY_PUBLISHED",
        rail: {
          type: "BASE_TYPE_EVENT",
          title: { en: "Next", __proto__x: "y" },
          limit: "20",
          pinned: ["e1"],
          card: { a: null, b: [1, { c: false }], "": "" },
        },
      },
      update_mask: "name,rail",
    });
    const want = create(UpdatePageComponentRequestSchema, {
      pageComponentId: "c1",
      pageComponentUpdate: {
        name: "Next",
        environments: ["web", "ios"],
        visibility: Visibility.PUBLISHED,
        data: {
          case: "rail",
          value: {
            type: BaseType.EVENT,
            title: { en: "Next", __proto__x: "y" },
            limit: 20,
            pinned: ["e1"],
            card: { a: null, b: [1, { c: false }], "": "" },
          },
        },
      },
      updateMask: { paths: ["name", "rail"] },
    });
    expect(got).toEqual(want);
  });

  test("takes lowerCamelCase as it takes snake_case", () => {
    const got = patch({
      pageComponentId: "c1",
      pageComponentUpdate: { cssClasses: ["a"], bannerCollectionV2: {} },
      updateMask: "cssClasses",
    });
    const want = patch({
      page_component_id: "c1",
      page_component_update: { css_classes: ["a"], banner_collection_v2: {} },
      update_mask: "css_classes",
    });
    expect(got).toEqual(want);
  });

  test("takes a null for a field that was not sent", () => {
    const got = patch({
      page_component_update: {
        name: null,
        css_classes: null,
        rail: { title: null, card: null },
        text: null,
        visibility: null,
      },
      update_mask: null,
    });
    const want = create(UpdatePageComponentRequestSchema, {
      pageComponentId: "c1",
      pageComponentUpdate: { data: { case: "rail", value: {} } },
    });
    expect(got).toEqual(want);
  });
});

describe("a body of one field", () => {
  test("fills the field", () => {
    const got = createRuleset({ project_id: "p", disallow_vpn_usage: false, priority: "-7" });
    const want = create(CreateRulesetRequestSchema, {
      videoProtectionRuleset: { projectId: "p", disallowVpnUsage: false, priority: -7n },
    });
    expect(got).toEqual(want);
  });

  test("names its errors from the request on", () => {
    const got = errorOf(() => createRuleset({ drm: { enabled: "yes" } }));
    expect(got.fields).toEqual(["video_protection_ruleset.drm.enabled"]);
  });
});

describe("a false in a boolean member of a oneof counts as not sent", () => {
  const cases = [
    [{ allow_all_geographies: false, geo_restrictions_allow: {} }, "geoRestrictionsAllow"],
    [{ geo_restrictions_allow: {}, allow_all_geographies: false }, "geoRestrictionsAllow"],
    [{ allow_all_geographies: false }, undefined],
    [{ allow_all_geographies: true }, "allowAllGeographies"],
    [{ allow_all_geographies: true, geo_restrictions_allow: null }, "allowAllGeographies"],
    [{ geo_restrictions_allow: null, allow_all_geographies: true }, "allowAllGeographies"],
  ] as const;
  for (const [ruleset, want] of cases) {
    test(JSON.stringify(ruleset), () => {
      const geoRestrictions = { case: want };
      expect(createRuleset(ruleset)).toMatchObject({ videoProtectionRuleset: { geoRestrictions } });
    });
  }
});

describe("a body that does not fit is rejected", () => {
  const update = (text: string) => `{"page_component_update":${text}}`;
  const cases = [
    ["", "BODY_REQUIRED", []],
    ["[]", "BODY_NOT_OBJECT", []],
    ["1", "BODY_NOT_OBJECT", []],
    ["12345678901234567890", "BODY_NOT_OBJECT", []],
    ["null", "BODY_NOT_OBJECT", []],
    ["{", "JSON_SYNTAX", []],
    ['{"a":1,"a":1}', "JSON_DUPLICATE_KEY", []],
    ['{"nope":1}', "FIELD_UNKNOWN", ["nope"]],
    ['{"nope":null}', "FIELD_UNKNOWN", ["nope"]],
    ['{"__proto__":{}}', "FIELD_UNKNOWN", ["__proto__"]],
    ['{"constructor":{}}', "FIELD_UNKNOWN", ["constructor"]],
    ['{"[test.extension]":{}}', "FIELD_UNKNOWN", ["[test.extension]"]],
    [update('{"rail":{"nope":1}}'), "FIELD_UNKNOWN", ["page_component_update.rail.nope"]],
    [update('{"rail":{"Limit":1}}'), "FIELD_UNKNOWN", ["page_component_update.rail.Limit"]],
    ['{"pageComponentId":"c1","page_component_id":"c1"}', "FIELD_DUPLICATE", ["page_component_id"]],
    ['{"pageComponentId":null,"page_component_id":"c1"}', "FIELD_DUPLICATE", ["page_component_id"]],
    [update("[]"), "VALUE_INVALID", ["page_component_update"]],
    [update('"x"'), "VALUE_INVALID", ["page_component_update"]],
    [
      update('{"rail":{"pinned":["a","b",{}]}}'),
      "VALUE_INVALID",
      ["page_component_update.rail.pinned[2]"],
    ],
    [
      update('{"rail":{"card":{"a":[0,1e999]}}}'),
      "VALUE_INVALID",
      ["page_component_update.rail.card.a[1]"],
    ],
    [update('{"rail":{"type":"RAIL"}}'), "ENUM_UNKNOWN", ["page_component_update.rail.type"]],
    [
      update('{"rail":{"type":"base_type_event"}}'),
      "ENUM_UNKNOWN",
      ["page_component_update.rail.type"],
    ],
    [
      update('{"rail":{},"text":{}}'),
      "ONEOF_CONFLICT",
      ["page_component_update.rail", "page_component_update.text"],
    ],
    ['{"update_mask":["name"]}', "VALUE_INVALID", ["update_mask"]],
    ['{"update_mask":{"paths":["name"]}}', "VALUE_INVALID", ["update_mask"]],
    ['{"page_component_id":"c2"}', "PATH_BODY_MISMATCH", ["page_component_id"]],
    ['{"pageComponentId":"c2"}', "PATH_BODY_MISMATCH", ["page_component_id"]],
    ['{"page_component_id":""}', "PATH_BODY_MISMATCH", ["page_component_id"]],
  ] as const;
  for (const [body, reason, fields] of cases) {
    test(`${body}: ${reason} ${fields.join()}`, () => {
      expect(errorOf(() => patch(body))).toMatchObject({ reason, fields });
    });
  }

  test("when it is not UTF-8", () => {
    const body = new Uint8Array([0x7b, 0xff, 0x7d]);
    const got = errorOf(() => bind(PageComponentService.methods, "PATCH", COMPONENT, body));
    expect(got.reason).toBe("BODY_NOT_UTF8");
  });

  test("when the method takes none, and an empty one is none", () => {
    const list = (body: string) =>
      bind(TransactionService.methods, "GET", "/monetization/transactions/v1", body);
    expect(errorOf(() => list("{}")).reason).toBe("BODY_NOT_ALLOWED");
    expect(list("")).toMatchObject({ pageSize: 0 });
  });

  test("and an unknown field, an unknown enum and a oneof conflict say what would fit", () => {
    expect(errorOf(() => patch('{"nope":1}')).message).toBe(
      'nope: no field "nope"; known: page_component_id, page_component_update, update_mask, validate_only, allow_missing, page_id, page_component, release_id',
    );
    const unknown = errorOf(() => patch(update('{"rail":{"type":"RAIL"}}')));
    expect(unknown.message).toContain(
      '"RAIL" is not one of BASE_TYPE_UNSPECIFIED, BASE_TYPE_EVENT',
    );
    const conflict = errorOf(() => patch(update('{"rail":{},"text":{}}')));
    expect(conflict.message).toContain("rail and text must not be set together");
  });

  test.each([
    ["nmae", '"name"'],
    ["Group-ID", '"group_id"'],
    ["groupIdd", '"group_id"'],
    ["rail_s", '"rail"'],
  ])("an unknown field says its path and what it may be a misspelling of: %s", (key, near) => {
    const got = errorOf(() => patch(update(`{"${key}":1}`)));
    expect(got).toMatchObject({ fields: [`page_component_update.${key}`] });
    const want = `page_component_update.${key}: no field "${key}"; did you mean ${near}?`;
    expect(got.message).toBe(want);
  });

  test.each([
    [
      "PATCH",
      COMPONENT,
      '{"group_id":"g"}',
      'no field "group_id"; put it into "page_component_update"',
    ],
    [
      "POST",
      "/ott/page_components/v2?page_id=home",
      '{"page_component":{"name":"n"}}',
      'no field "page_component"; send its fields without "page_component" around them',
    ],
  ])("a %s with or without a wrapper that it needs", (method, path, body, message) => {
    const got = errorOf(() => bind(PageComponentService.methods, method, path, body));
    expect(got.message).toContain(message);
  });

  test("without repeating a long key in full", () => {
    const got = errorOf(() => patch(`{"${"x".repeat(100_000)}":1}`));
    expect(got.message.length).toBeLessThan(400);
  });
});

describe("a free object keeps every key", () => {
  const text = '{"__proto__":{"admin":true},"constructor":{"prototype":null},"toString":1}';

  test("in google.protobuf.Struct, in JSON and in binary", () => {
    const got = patch(`{"page_component_update":{"text":${text}}}`);
    const schema = UpdatePageComponentRequestSchema;
    const again = fromBinary(schema, toBinary(schema, got as never));
    for (const message of [got, again]) {
      const written = JSON.stringify(toJson(schema, message as never));
      expect(written).toContain(text);
    }
    expect("admin" in {}).toBe(false);
  });

  test("in the keys of a map", () => {
    const map = '{"__proto__":"a","constructor":"b"}';
    const got = patch(`{"page_component_update":{"rail":{"title":${map}}}}`);
    const schema = UpdatePageComponentRequestSchema;
    const again = fromBinary(schema, toBinary(schema, got as never));
    for (const message of [got, again]) {
      expect(JSON.stringify(toJson(schema, message as never))).toContain(map);
    }
  });

  test("at the deepest nesting that a body may have", () => {
    const open = '{"a":'.repeat(97);
    const body = `{"page_component_update":{"text":${open}[]${"}".repeat(97)}}}`;
    expect(patch(body)).toMatchObject({ pageComponentUpdate: { data: { case: "text" } } });
    const deeper = body.replace("[]", "[[]]");
    expect(errorOf(() => patch(deeper)).reason).toBe("JSON_TOO_DEEP");
  });
});

describe("a field mask", () => {
  test.each([
    ["css_classes", ["css_classes"]],
    ["cssClasses", ["css_classes"]],
    [" name ,\tcssClasses , name,css_classes", ["name", "css_classes"]],
    ["bannerCollectionV2", ["banner_collection_v2"]],
    ["a,,b", ["a", "", "b"]],
    [",", [""]],
    ["*", ["*"]],
    ["rail.hideByDefault", ["rail.hide_by_default"]],
    ["css_Classes", ["css_Classes"]],
    ["Name", ["Name"]],
    ["nöpe, x y", ["nöpe", "x y"]],
    ["", []],
    [" ", []],
  ] as const)("%j has the paths %j", (text, paths) => {
    expect(patch({ update_mask: text })).toMatchObject({ updateMask: { paths } });
  });
});

test("the offsets and the order of an annotation are bound exactly", () => {
  const body =
    '{"annotation":{"offset":"75.5s","order":9007199254740993},"updateMask":"startOffset"}';
  const got = bind(AnnotationService.methods, "PATCH", "/annotations/annotations/v1/a1", body);
  expect(got).toMatchObject({
    annotationId: "a1",
    annotation: { offset: { seconds: 75n, nanos: 500_000_000 }, order: 9007199254740993n },
    updateMask: { paths: ["start_offset"] },
  });
});

test("the audiences of a sign-in integration are bound with any query", () => {
  const path = "/iam/users/v1/sso/worldcup?x=%zz&project_id=other&audiences";
  const got = bind(SignInIntegrationService.methods, "PATCH", path, '{"audiences":["a","b"]}');
  expect(got).toMatchObject({ projectId: "worldcup", audiences: ["a", "b"] });
});
