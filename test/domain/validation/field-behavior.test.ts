import { create, type DescMessage, fromJson, type JsonObject } from "@bufbuild/protobuf";
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
} from "../../../src/domain/validation/field-behavior.ts";
import { openCases } from "../../harness/cases.ts";
import { rejection } from "../../harness/rejection.ts";

const each = openCases("messages/field-behavior");

/** The requests of the tables. */
const SCHEMAS = {
  create: CreateRulesetRequestSchema,
  update: UpdatePageComponentRequestSchema,
  annotate: UpdateAnnotationRequestSchema,
  test: TestPermissionsRequestSchema,
  list: ListTransactionsRequestSchema,
} satisfies Record<string, DescMessage>;

const check = (name: keyof typeof SCHEMAS, request: JsonObject) => () =>
  checkFieldBehavior(SCHEMAS[name], fromJson<DescMessage>(SCHEMAS[name], request));

each<[keyof typeof SCHEMAS, JsonObject]>(
  "a request that keeps to its fields' behaviour",
  (...it) => {
    expect(check(...it)).not.toThrow();
  },
);

each<[keyof typeof SCHEMAS, JsonObject, string, string]>(
  "a request that does not keep to its fields' behaviour",
  (name, request, reason, field) => {
    expect(check(name, request)).toThrow(rejection(reason, field));
  },
);

test("a member that a mask names is checked whole, below its path", () => {
  const check = (init: object) => () =>
    checkMemberBehavior(PlayerProfileSchema, create(PlayerProfileSchema, init), "u.player_profile");
  expect(check({ id: "{id}" })).not.toThrow();
  expect(check({ fallbackImageUrl: "x" })).toThrow(
    rejection("FIELD_REQUIRED", "u.player_profile.id"),
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
