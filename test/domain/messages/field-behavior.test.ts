import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { FieldBehavior } from "../../../gen/google/api/field_behavior_pb.ts";
import { UpdateAnnotationRequestSchema } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_service_pb.ts";
import { TestPermissionsRequestSchema } from "../../../gen/svc/studio/iam/auth/v1/auth_service_pb.ts";
import { ListTransactionsRequestSchema } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_service_pb.ts";
import { PageComponentSchema } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { UpdatePageComponentRequestSchema } from "../../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import { PlayerProfileSchema } from "../../../gen/svc/studio/ott/page_component/v2/player_pb.ts";
import { CreateRulesetRequestSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import {
  checkFieldBehavior,
  checkMemberBehavior,
  hasBehavior,
  isSettable,
} from "../../../src/domain/messages/field-behavior.ts";
import { refusal } from "../../harness/refusal.ts";

const ruleset = (videoProtectionRuleset?: object) => () =>
  checkFieldBehavior(
    CreateRulesetRequestSchema,
    create(CreateRulesetRequestSchema, omit({ videoProtectionRuleset })),
  );
const component = (request: object) => () =>
  checkFieldBehavior(
    UpdatePageComponentRequestSchema,
    create(UpdatePageComponentRequestSchema, request),
  );
const annotation = (request: object) => () =>
  checkFieldBehavior(UpdateAnnotationRequestSchema, create(UpdateAnnotationRequestSchema, request));
const permissions = (request: object) => () =>
  checkFieldBehavior(TestPermissionsRequestSchema, create(TestPermissionsRequestSchema, request));

const RULESET = "video_protection_ruleset";
const MASK = { paths: ["name"] };

test.each<[string, () => void]>([
  ["a creation with what is required", ruleset({ projectId: "p", name: "n" })],
  ["a creation with more", ruleset({ projectId: "p", name: "n", priority: 3n, drm: {} })],
  [
    "an update whose resource is empty",
    component({ pageComponentId: "c", pageComponentUpdate: {}, updateMask: MASK }),
  ],
  [
    "an update whose resource holds what the service sets",
    component({
      pageComponentId: "c",
      pageComponentUpdate: { id: "c", projectId: "p" },
      updateMask: MASK,
    }),
  ],
  [
    "an update whose member lacks what it requires",
    component({
      pageComponentId: "c",
      pageComponentUpdate: { data: { case: "playerProfile", value: {} } },
      updateMask: MASK,
    }),
  ],
  ["an empty mask, which the mask's check refuses", annotation(withMask({}))],
  [
    "no mask, which the mask's check refuses with the names that it may hold",
    component({ pageComponentId: "c", pageComponentUpdate: {} }),
  ],
  ["a list with an empty text", permissions({ resourceKey: "a", permissions: [""] })],
  [
    "a request without required fields",
    () => checkFieldBehavior(ListTransactionsRequestSchema, create(ListTransactionsRequestSchema)),
  ],
])("a request that keeps to its fields' behaviour: %s", (_name, check) => {
  expect(check).not.toThrow();
});

test.each<[string, () => void, string, string]>([
  ["no resource", ruleset(), "FIELD_REQUIRED", RULESET],
  ["no project", ruleset({ name: "n" }), "FIELD_REQUIRED", `${RULESET}.project_id`],
  ["an empty name", ruleset({ projectId: "p", name: "" }), "FIELD_REQUIRED", `${RULESET}.name`],
  [
    "an id, which the service makes",
    ruleset({ id: "i", projectId: "p", name: "n" }),
    "FIELD_OUTPUT_ONLY",
    `${RULESET}.id`,
  ],
  [
    "no id",
    component({ pageComponentUpdate: {}, updateMask: MASK }),
    "FIELD_REQUIRED",
    "page_component_id",
  ],
  [
    "no update",
    component({ pageComponentId: "c", updateMask: MASK }),
    "FIELD_REQUIRED",
    "page_component_update",
  ],
  ["no key", permissions({ permissions: ["a.b.c"] }), "FIELD_REQUIRED", "resource_key"],
  ["no names", permissions({ resourceKey: "a" }), "FIELD_REQUIRED", "permissions"],
])("a request that does not: %s", (_name, check, reason, field) => {
  expect(check).toThrow(refusal(reason, field));
});

test("a member that a mask names: is checked whole, below its path", () => {
  const check = (init: object) => () =>
    checkMemberBehavior(PlayerProfileSchema, create(PlayerProfileSchema, init), "u.player_profile");
  expect(check({ id: "{id}" })).not.toThrow();
  expect(check({ fallbackImageUrl: "x" })).toThrow(
    refusal("FIELD_REQUIRED", "u.player_profile.id"),
  );
});

describe("the behaviour of a field", () => {
  const { id, projectId, name } = PageComponentSchema.field;

  test("is read from its option", () => {
    expect(hasBehavior(id, FieldBehavior.OUTPUT_ONLY)).toBe(true);
    expect(hasBehavior(id, FieldBehavior.REQUIRED)).toBe(false);
    expect(hasBehavior(projectId, FieldBehavior.REQUIRED)).toBe(true);
    expect(hasBehavior(projectId, FieldBehavior.IMMUTABLE)).toBe(true);
  });

  test("decides what an update may change", () => {
    expect([id, projectId, name].map(isSettable)).toEqual([false, false, true]);
  });
});

function withMask(updateMask: object): object {
  return { annotationId: "a", annotation: {}, updateMask };
}

function omit(fields: Record<string, object | undefined>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, it]) => it !== undefined));
}
