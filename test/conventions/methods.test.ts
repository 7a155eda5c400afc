import {
  type DescField,
  type DescMessage,
  type DescMethod,
  getOption,
  ScalarType,
} from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { http } from "../../gen/google/api/annotations_pb.ts";
import { FieldBehavior, field_behavior } from "../../gen/google/api/field_behavior_pb.ts";
import type { HttpRule } from "../../gen/google/api/http_pb.ts";
import { access } from "../../gen/svc/options/v1/access_pb.ts";
import { readAccessRule } from "../../src/api/steps/request-fields.ts";
import { isPermissionName } from "../../src/domain/access/permissions.ts";
import { BUILT_IN_ROLES } from "../../src/domain/built-in-roles.ts";
import { KIND_NAMES, PERMISSIONS } from "../../src/domain/kinds.ts";
import { METHODS, nameOf, reachable } from "./descriptors.ts";

const READS = /^(Get|List|BatchGet|Render|Test)[A-Z]/;
const WRITES = /^(Update|Create|Delete|Exchange|Authorize|Keep|Stop|Simulate)[A-Z]/;
/** State changes that are no update of a field: each has a path of its own (AIP-136). */
const CUSTOM =
  /^(Apply|Capture|Check|Refund|Cancel|Revoke|Replay|Reorder|Revert|Rotate|Set|Write)[A-Z]/;
const RESOURCE_TYPES = [...KIND_NAMES, "installation"];
/** Eight operations whose paths are fixed. */
const FIXED_OPERATIONS = [
  "PATCH /ott/page_components/v2/{page_component_id}",
  "GET /iam/auth/v1/policies/{resource_key}/test_permissions",
  "PATCH /annotations/annotations/v1/{annotation_id}",
  "PATCH /iam/users/v1/sso/{project_id}",
  "POST /streaming/video_protection/v2/rulesets",
  "GET /monetization/transactions/v1",
  "GET /annotations/types/v1/{annotation_type_id}/action_configuration",
  "GET /ott/page_components/v1/batch",
];

const isStudio = (method: DescMethod) => method.parent.typeName.startsWith("svc.studio.");
const isRead = (method: DescMethod) => READS.test(method.name);
/** Changes nothing, but its question is too large for a path. A check takes long: neither is a GET. */
const isLarge = (method: DescMethod) => /^(Render|Simulate|TestStaff)[A-Z]/.test(method.name);
const isReadOnly = (method: DescMethod) => isRead(method) || isLarge(method);

test("there are methods to look at", () => {
  expect(METHODS.length).toBeGreaterThanOrEqual(10);
  expect(METHODS.filter(isStudio).length).toBeGreaterThanOrEqual(8);
});

for (const method of METHODS) {
  describe(nameOf(method), () => {
    test("says who may call it, in words that exist", () => {
      const { rule } = getOption(method, access);
      expect(rule.case).toBeDefined();
      expect(() => readAccessRule(method)).not.toThrow();
      if (rule.case !== "permission") return;
      expect(PERMISSIONS.has(rule.value.name)).toBe(true);
      expect(isPermissionName(rule.value.name)).toBe(true);
      expect(RESOURCE_TYPES).toContain(rule.value.resourceType);
      if (rule.value.resourceType === "installation") {
        // It has no id that a request could name, and so no list of what lies in it.
        expect(rule.value.resourceField).toBe("");
        expect(rule.value.allProjectsWhenEmpty).toBe(false);
        return;
      }
      const field = findField(method.input, rule.value.resourceField);
      expect(field?.scalar).toBe(ScalarType.STRING);
    });

    test("is for accounts on the studio side, for keys on the delivery side", () => {
      const { rule } = getOption(method, access);
      expect(rule.case === "projectKey").toBe(!isStudio(method));
    });

    test("begins with a verb, and only reads are NO_SIDE_EFFECTS", () => {
      expect(
        [READS, WRITES, CUSTOM].filter((verbs) => verbs.test(method.name)),
        "of one of the lists of verbs",
      ).toHaveLength(1);
      // 1 is NO_SIDE_EFFECTS, 0 is what a method has without the option.
      expect(method.idempotency).toBe(isRead(method) ? 1 : 0);
    });

    test("has a request and a response of its own", () => {
      expect(method.input.name).toBe(`${method.name}Request`);
      expect(method.output.name).toBe(`${method.name}Response`);
    });

    if (isStudio(method)) {
      test("has an HTTP path whose verb says what it does", () => {
        const bindings = bindingsOf(method);
        expect(bindings.length).toBeGreaterThan(0);
        for (const binding of bindings) {
          const verb = binding.pattern.case;
          const isGet = isRead(method) && !isLarge(method);
          expect(isGet ? ["get"] : ["post", "patch", "put", "delete"]).toContain(verb);
          expect(verb === "get" || verb === "delete").toBe(binding.body === "");
        }
      });

      test("is a state change by a path that ends with its verb, or none", () => {
        const [verb = ""] = /^[A-Z][a-z]+/.exec(method.name) ?? [];
        const isCustom = CUSTOM.test(method.name) || isLarge(method);
        for (const { pattern } of bindingsOf(method)) {
          const [, custom = ""] = /:([a-z]+)[A-Za-z]*$/.exec(String(pattern.value)) ?? [];
          expect(custom).toBe(isCustom ? verb.toLowerCase() : "");
          if (isCustom) expect(pattern.case).toBe("post");
        }
      });

      test("asks for a permission that is named after its path", () => {
        const { rule } = getOption(method, access);
        if (rule.case !== "permission") return;
        // A preview shows all that the project has.
        if (rule.value.name === "iam.projects.preview") return;
        const [area = "", collection = ""] = rule.value.name.split(".");
        for (const binding of bindingsOf(method)) {
          const words = String(binding.pattern.value).split(/[/:]/);
          expect(words[1]).toBe(area);
          expect(words).toContain(collection);
        }
      });
    }
  });
}

test("the eight operations are there", () => {
  const operations = METHODS.flatMap(bindingsOf).map(
    ({ pattern }) => `${pattern.case?.toUpperCase()} ${pattern.value}`,
  );
  for (const operation of FIXED_OPERATIONS) expect(operations).toContain(operation);
  expect(new Set(operations).size).toBe(operations.length);
});

describe("every field of a request says how it behaves", () => {
  const messages = new Set(METHODS.flatMap((method) => reachable(method.input)));
  for (const message of messages) {
    test(message.typeName, () => {
      for (const field of message.fields) {
        const behaviors = getOption(field, field_behavior);
        const how = behaviors.filter((it) => it !== FieldBehavior.IMMUTABLE);
        expect(how.length, `${field.name} is one of REQUIRED, OPTIONAL, OUTPUT_ONLY`).toBe(1);
        if (field.oneof) expect(behaviors).not.toContain(FieldBehavior.REQUIRED);
      }
    });
  }
});

describe("permissions", () => {
  test("are held by roles, all of them", () => {
    const held = new Set(BUILT_IN_ROLES.flatMap((role) => role.permissions));
    expect(held).toEqual(PERMISSIONS);
  });

  test("of what changes nothing are held by the viewer, those of writes are not", () => {
    const viewer = BUILT_IN_ROLES.find((role) => role.id === "viewer")?.permissions ?? [];
    for (const method of METHODS) {
      const { rule } = getOption(method, access);
      if (rule.case !== "permission") continue;
      expect(viewer.includes(rule.value.name), nameOf(method)).toBe(isReadOnly(method));
    }
  });
});

function bindingsOf(method: DescMethod): HttpRule[] {
  const rule = getOption(method, http);
  if (rule.pattern.case === undefined) return [];
  return [rule, ...rule.additionalBindings];
}

function findField(root: DescMessage, path: string): DescField | undefined {
  const [name, ...rest] = path.split(".");
  const field = root.fields.find((it) => it.name === name);
  if (rest.length === 0 || field === undefined) return field;
  return field.message ? findField(field.message, rest.join(".")) : undefined;
}
