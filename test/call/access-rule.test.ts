import { expect, test } from "vitest";
import { Health } from "../../gen/health/v1/health_pb.ts";
import { EventService } from "../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import { RulesetService } from "../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import { readAccessRule } from "../../src/call/access-rule.ts";

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
