import { create, type DescField, type DescMethod } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { Health } from "../../gen/health/v1/health_pb.ts";
import { EventService } from "../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import {
  BatchGetPageComponentsRequestSchema,
  PageComponentService,
} from "../../gen/svc/studio/ott/page_component/v1/page_component_service_pb.ts";
import {
  CreateRulesetRequestSchema,
  RulesetService,
} from "../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import { readAccessRule, readResourceIds } from "../../src/api/steps/access-rule.ts";

test("a method's rule is read from its option", () => {
  expect(readAccessRule(EventService.method.listEvents).case).toBe("projectKey");
  expect(readAccessRule(RulesetService.method.createRuleset)).toMatchObject({
    case: "permission",
    value: {
      name: "streaming.rulesets.create",
      resourceField: "video_protection_ruleset.project_id",
    },
  });
});

test("a method without a rule does not start, and is named", () => {
  const [method] = Health.methods;
  if (method === undefined) throw new Error("the health service has methods");
  expect(() => readAccessRule(method)).toThrow(`${Health.typeName}/${method.name}`);
});

test("the ids of a request are those of the rule's field", () => {
  const { createRuleset } = RulesetService.method;
  const read = (init: Parameters<typeof create<typeof CreateRulesetRequestSchema>>[1]) =>
    readResourceIds(createRuleset, create(CreateRulesetRequestSchema, init));
  expect(read({ videoProtectionRuleset: { projectId: "p" } })).toEqual(["p"]);
  expect(read({ videoProtectionRuleset: {} })).toEqual([""]);
  expect(read({})).toEqual([]);
  const { batchGetPageComponents } = PageComponentService.method;
  const pageComponentIds = ["a", "b", "a"];
  const batch = create(BatchGetPageComponentsRequestSchema, { pageComponentIds });
  expect(readResourceIds(batchGetPageComponents, batch)).toEqual(pageComponentIds);
});

test("a method whose resource field is missing or no string does not start, and is named", () => {
  const { getRuleset } = RulesetService.method;
  const { input } = getRuleset;
  const changes: readonly ((fields: readonly DescField[]) => DescField[])[] = [
    (fields) => fields.filter(({ name }) => name !== "ruleset_id"),
    (fields) => fields.map((it) => ({ ...it, scalar: 5 }) as DescField),
  ];
  for (const change of changes) {
    const broken = { ...getRuleset, input: { ...input, fields: change(input.fields) } };
    expect(() => readAccessRule(broken as unknown as DescMethod)).toThrow(
      "RulesetService/GetRuleset has no string field 'ruleset_id'",
    );
  }
});
