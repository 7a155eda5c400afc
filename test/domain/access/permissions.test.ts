import { describe, expect, test } from "vitest";
import {
  type AccessDecision,
  type Binding,
  checkTestedPermissions,
  decideAccess,
  heldPermissions,
  isPermissionName,
  type ResourceRef,
} from "../../../src/domain/access/permissions.ts";
import { openCases } from "../../harness/cases.ts";
import { refusal } from "../../harness/refusal.ts";

const each = openCases("access/permissions");

const READ = "ott.page_components.get";
const WRITE = "ott.page_components.update";

const ORGANIZATION: ResourceRef = { type: "organization", id: "o", organizationId: "o" };
const PROJECT = toProject("o", "p");
const SIBLING_PROJECT = toProject("o", "q");
const FOREIGN_PROJECT = toProject("x", "f");
const COMPONENT = toResource("page_component", "c");
const SAME_ID = toResource("page", "c");
const SIBLING = toResource("page_component", "d");
const ELSEWHERE = { ...toResource("page_component", "c"), projectId: "q" };
const FOREIGN: ResourceRef = {
  type: "page_component",
  id: "c",
  organizationId: "x",
  projectId: "p",
};
const RESOURCES = {
  ORGANIZATION,
  PROJECT,
  SIBLING_PROJECT,
  FOREIGN_PROJECT,
  COMPONENT,
  SAME_ID,
  SIBLING,
  ELSEWHERE,
  FOREIGN,
};

const ON_ORGANIZATION = bind({});
const ON_PROJECT = bind({ projectId: "p" });
const ON_COMPONENT = bind({ projectId: "p", resource: { type: "page_component", id: "c" } });
/** A binding that grants nothing that is asked, but is a role. */
const OTHER_ROLE = bind({ projectId: "p" }, "iam.sso.update");

describe("one permission on one resource", () => {
  type Want = Partial<Record<keyof typeof RESOURCES, AccessDecision>>;
  const cases: readonly (readonly [string, readonly Binding[], Want])[] = [
    ["no binding", [], {}],
    [
      "a binding on the organization counts everywhere below it",
      [ON_ORGANIZATION],
      {
        ORGANIZATION: "granted",
        PROJECT: "granted",
        SIBLING_PROJECT: "granted",
        COMPONENT: "granted",
        SAME_ID: "granted",
        SIBLING: "granted",
        ELSEWHERE: "granted",
      },
    ],
    [
      "a binding on a project counts in it and lets the organization be known",
      [ON_PROJECT],
      {
        ORGANIZATION: "denied",
        PROJECT: "granted",
        COMPONENT: "granted",
        SAME_ID: "granted",
        SIBLING: "granted",
      },
    ],
    [
      "a binding on one resource counts for it alone and lets what it lies in be known",
      [ON_COMPONENT],
      { ORGANIZATION: "denied", PROJECT: "denied", COMPONENT: "granted" },
    ],
    [
      "a role without the permission denies where it lies",
      [OTHER_ROLE],
      {
        ORGANIZATION: "denied",
        PROJECT: "denied",
        COMPONENT: "denied",
        SAME_ID: "denied",
        SIBLING: "denied",
      },
    ],
    [
      "several bindings add up",
      [OTHER_ROLE, ON_COMPONENT],
      {
        ORGANIZATION: "denied",
        PROJECT: "denied",
        COMPONENT: "granted",
        SAME_ID: "denied",
        SIBLING: "denied",
      },
    ],
  ];
  for (const [name, bindings, want] of cases) {
    for (const [key, resource] of Object.entries(RESOURCES)) {
      const decision = want[key as keyof typeof RESOURCES] ?? "hidden";
      test(`${name}: ${key} is ${decision}`, () => {
        expect(decideAccess(bindings, resource, READ)).toBe(decision);
      });
    }
  }

  test("a permission must be held itself", () => {
    for (const permission of [WRITE, "ott.page_components", "*", "", "OTT.page_components.get"]) {
      expect(decideAccess([ON_ORGANIZATION], COMPONENT, permission)).toBe("denied");
    }
  });
});

describe("the permissions that are held", () => {
  const asked = [WRITE, "iam.sso.update", READ, WRITE, "a.b.c"];

  test.each<[string, readonly Binding[], ResourceRef, readonly string[]]>([
    ["none without a binding", [], COMPONENT, []],
    ["those of a role", [ON_PROJECT], COMPONENT, [READ]],
    [
      "those of several roles, in the order asked",
      [ON_COMPONENT, OTHER_ROLE],
      COMPONENT,
      ["iam.sso.update", READ],
    ],
    ["not those of a resource above on which nothing is granted", [ON_PROJECT], ORGANIZATION, []],
    ["not those on another resource", [ON_COMPONENT], SIBLING, []],
    ["not those of another organization", [ON_ORGANIZATION], FOREIGN, []],
    ["each once", [bind({}, WRITE), bind({ projectId: "p" }, WRITE)], PROJECT, [WRITE]],
  ])("%s", (_name, bindings, resource, want) => {
    expect(heldPermissions(bindings, resource, asked)).toEqual(want);
  });

  test("asking for none returns none", () => {
    expect(heldPermissions([ON_ORGANIZATION], PROJECT, [])).toEqual([]);
  });
});

describe("the form of a permission's name", () => {
  test.each([READ, "a.b.c", "a1.b_2.c_", "annotations.types.get"])("%s is one", (name) => {
    expect(isPermissionName(name)).toBe(true);
  });

  each<[string]>("the form of a permission's name is none", (name) => {
    expect(isPermissionName(name)).toBe(false);
  });
});

function toProject(organizationId: string, id: string): ResourceRef {
  return { type: "project", id, organizationId, projectId: id };
}

function toResource(type: string, id: string): ResourceRef {
  return { type, id, organizationId: "o", projectId: "p" };
}

function bind(place: Partial<Binding>, permission = READ): Binding {
  return { permissions: new Set([permission]), organizationId: "o", ...place };
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `a.b.c${index}`);

describe("the permissions that a test asks for", () => {
  test.each([1, 2, 99, 100])("%s are allowed", (count) => {
    expect(() => checkTestedPermissions(names(count))).not.toThrow();
  });

  test("duplicates and names that nobody defines are allowed", () => {
    expect(() => checkTestedPermissions(["a.b.c", "a.b.c"])).not.toThrow();
  });

  test.each([0, 101, 5_000])("%s are refused", (count) => {
    expect(() => checkTestedPermissions(names(count))).toThrow(
      refusal("PERMISSION_COUNT_INVALID", "permissions"),
    );
  });

  each<[string]>("a permission that a test asks for is refused by name", (name) => {
    expect(() => checkTestedPermissions(["a.b.c", name])).toThrow(
      refusal("PERMISSION_NAME_MALFORMED", undefined, {
        message: expect.stringContaining(`'${name}'`),
      }),
    );
  });
});
