import { describe, expect, test } from "vitest";
import {
  type Binding,
  checkTestedPermissions,
  decideAccess,
  heldPermissions,
  isPermissionName,
  parseResourceKey,
  printResourceKey,
  type ResourceKey,
  type ResourceRef,
} from "../../../src/domain/access/permissions.ts";
import { openCases } from "../../harness/cases.ts";
import { rejection } from "../../harness/rejection.ts";

const each = openCases("access/permissions");
const eachKey = openCases("messages/resource-key");

const READ = "ott.page_components.get";
const WRITE = "ott.page_components.update";

const toProject = (organizationId: string, id: string): ResourceRef => ({
  ...{ kind: "project", id, organizationId, projectId: id },
});
const toResource = (kind: string, id: string): ResourceRef => ({
  ...{ kind, id, organizationId: "o", projectId: "p" },
});
const bind = (on: Partial<Binding>, permission = READ): Binding => ({
  ...{ permissions: new Set([permission]), organizationId: "o", ...on },
});

const ORGANIZATION: ResourceRef = { kind: "organization", id: "o", organizationId: "o" };
const PROJECT = toProject("o", "p");
const COMPONENT = toResource("page_component", "c");
const SIBLING = toResource("page_component", "d");
const FOREIGN: ResourceRef = { ...COMPONENT, organizationId: "x" };
/** The project and another one, the same of another organization, and what lies in them. */
const RESOURCES: readonly ResourceRef[] = [
  ...[ORGANIZATION, PROJECT, toProject("o", "q"), toProject("x", "f"), COMPONENT],
  ...[toResource("page", "c"), SIBLING, { ...COMPONENT, projectId: "q" }, FOREIGN],
];

const ON_ORGANIZATION = bind({});
const ON_PROJECT = bind({ projectId: "p" });
const ON_COMPONENT = bind({ projectId: "p", resource: { kind: "page_component", id: "c" } });
/** A binding that grants nothing that is asked, but is a role. */
const OTHER_ROLE = bind({ projectId: "p" }, "iam.sso.update");

/** The decisions on the resources in their order: granted, denied, hidden. */
test.each<[string, Binding[], string]>([
  ["no binding", [], "hhh hhh hhh"],
  ["a binding on the organization counts below it", [ON_ORGANIZATION], "ggg hgg ggh"],
  ["one on a project lets the organization be known", [ON_PROJECT], "dgh hgg ghh"],
  ["one on a resource lets what it lies in be known", [ON_COMPONENT], "ddh hgh hhh"],
  ["a role without the permission denies where it lies", [OTHER_ROLE], "ddh hdd dhh"],
  ["several bindings add up", [OTHER_ROLE, ON_COMPONENT], "ddh hgd dhh"],
])("one permission: %s", (_name, bindings, want) => {
  const got = RESOURCES.map((resource) => decideAccess(bindings, resource, READ)[0]);
  expect(got.join("")).toBe(want.replaceAll(" ", ""));
});

test.each([WRITE, "ott.page_components", "*", "", "OTT.page_components.get"])(
  "the permission '%s' must be held itself",
  (permission) => {
    expect(decideAccess([ON_ORGANIZATION], COMPONENT, permission)).toBe("denied");
  },
);

describe("the permissions that are held", () => {
  const asked = [WRITE, "iam.sso.update", READ, WRITE, "a.b.c"];
  const twice = [bind({}, WRITE), bind({ projectId: "p" }, WRITE)];

  test.each<[string, Binding[], ResourceRef, string[]]>([
    ["none without a binding", [], COMPONENT, []],
    ["those of a role", [ON_PROJECT], COMPONENT, [READ]],
    ["as asked", [ON_COMPONENT, OTHER_ROLE], COMPONENT, ["iam.sso.update", READ]],
    ["not those of a resource above", [ON_PROJECT], ORGANIZATION, []],
    ["not those on another resource", [ON_COMPONENT], SIBLING, []],
    ["not those of another organization", [ON_ORGANIZATION], FOREIGN, []],
    ["each once", twice, PROJECT, [WRITE]],
  ])("%s", (_name, bindings, resource, want) => {
    expect(heldPermissions(bindings, resource, asked)).toEqual(want);
  });

  test("asking for none returns none", () => {
    expect(heldPermissions([ON_ORGANIZATION], PROJECT, [])).toEqual([]);
  });
});

test.each([READ, "a.b.c", "a1.b_2.c_", "annotations.types.get"])("'%s' is a name", (name) => {
  expect(isPermissionName(name)).toBe(true);
});

each<[string]>("the form of a permission's name is none", (name) => {
  expect(isPermissionName(name)).toBe(false);
});

const names = (count: number) => Array.from({ length: count }, (_, index) => `a.b.c${index}`);

test("1 to 100 permissions are tested at once, also repeated ones that nobody defines", () => {
  for (const count of [1, 2, 99, 100]) checkTestedPermissions(names(count));
  checkTestedPermissions(["a.b.c", "a.b.c"]);
  for (const count of [0, 101, 5_000]) {
    const want = rejection("PERMISSION_COUNT_INVALID", "permissions");
    expect(() => checkTestedPermissions(names(count))).toThrow(want);
  }
});

each<[string]>("a permission that a test asks for is rejected by name", (name) => {
  expect(() => checkTestedPermissions(["a.b.c", name])).toThrow(
    rejection("PERMISSION_NAME_MALFORMED", undefined, {
      message: expect.stringContaining(`'${name}'`),
    }),
  );
});

eachKey<[string, ResourceKey]>(
  "a resource key is parsed and printed (contract: access 7)",
  (text, want) => {
    expect(parseResourceKey(text)).toEqual(want);
    expect(printResourceKey(want)).toBe(text);
  },
);

eachKey<[string]>("a resource key is malformed", (text) => {
  expect(() => parseResourceKey(text)).toThrow(
    rejection("RESOURCE_KEY_MALFORMED", undefined, { metadata: { resource_key: text } }),
  );
});
