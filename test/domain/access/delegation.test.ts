import { describe, expect, test } from "vitest";
import type { Binding, ResourceRef } from "../../../src/domain/access/permissions.ts";
import {
  BUILT_IN_ROLES,
  checkDelegation,
  checkImpersonation,
} from "../../../src/domain/access/roles.ts";
import { DomainError } from "../../../src/domain/errors.ts";

const ORGANIZATION: ResourceRef = { type: "organization", id: "o", organizationId: "o" };
const PROJECT: ResourceRef = { type: "project", id: "p", organizationId: "o", projectId: "p" };
const VIDEO: ResourceRef = { type: "video", id: "v", organizationId: "o", projectId: "p" };

const binding = (permissions: readonly string[], place: Partial<Binding> = {}): Binding => ({
  permissions: new Set(permissions),
  organizationId: "o",
  ...place,
});
const onProject = { projectId: "p" };
const onVideo = { projectId: "p", resource: { type: "video", id: "v" } };

function faultOf(run: () => void): DomainError | undefined {
  try {
    run();
    return undefined;
  } catch (fault) {
    if (fault instanceof DomainError) return fault;
    throw fault;
  }
}

describe("a grantor holds the permissions that they delegate", () => {
  const cases: readonly [string, Binding[], ResourceRef, string[], string | undefined][] = [
    ["nothing is always held", [], ORGANIZATION, [], undefined],
    ["one that is held", [binding(["a.b.c"])], ORGANIZATION, ["a.b.c"], undefined],
    ["an ancestor counts", [binding(["a.b.c"])], VIDEO, ["a.b.c"], undefined],
    ["two bindings together", [binding(["a"]), binding(["b"])], PROJECT, ["a", "b"], undefined],
    ["one that lacks", [binding(["a"])], PROJECT, ["a", "b"], "b"],
    ["a project is not its organization", [binding(["a"], onProject)], ORGANIZATION, ["a"], "a"],
    ["a video is not its project", [binding(["a"], onVideo)], PROJECT, ["a"], "a"],
    ["another organization", [binding(["a"], { organizationId: "x" })], PROJECT, ["a"], "a"],
  ];
  for (const [name, held, resource, given, want] of cases) {
    test(name, () => {
      const fault = faultOf(() => checkDelegation(held, resource, given));
      expect(fault?.metadata.permissions).toBe(want);
      expect(fault?.reason).toBe(want && "PERMISSION_NOT_HELD");
    });
  }

  test("at most 20 are listed, each once, and counted", () => {
    const given = Array.from({ length: 25 }, (_, index) => `a.b.c${index}`);
    const fault = faultOf(() => checkDelegation([], PROJECT, [...given, ...given]));
    expect(fault?.metadata).toEqual({
      resource: "p/p/project",
      permissions: given.slice(0, 20).join(","),
      count: "25",
    });
    expect(fault?.message).toContain("and 5 more");
  });
});

describe("a caller who acts for an account holds all its permissions", () => {
  const cases: readonly [string, Binding[], Binding[], string | undefined][] = [
    ["one without bindings", [], [], undefined],
    ["the same", [binding(["a"], onVideo)], [binding(["a"], onVideo)], undefined],
    ["less", [binding(["a", "b"])], [binding(["a"], onProject)], undefined],
    ["more", [binding(["a"], onProject)], [binding(["a"])], "o/organization"],
    ["elsewhere", [binding(["a"], onProject)], [binding(["a"], { projectId: "q" })], "q/q/project"],
    ["one on a video", [], [binding(["a"], onVideo)], "v/p/video"],
  ];
  for (const [name, held, account, want] of cases) {
    test(name, () => {
      expect(faultOf(() => checkImpersonation(held, account))?.metadata.resource).toBe(want);
    });
  }

  test("an owner covers every built-in role but the operator's", () => {
    const roles = BUILT_IN_ROLES.map(({ id, permissions }) => [id, binding(permissions)] as const);
    const owner = new Map(roles).get("owner") as Binding;
    const refused = roles.filter(([, role]) => faultOf(() => checkImpersonation([owner], [role])));
    expect(refused.map(([id]) => id)).toEqual(["operator"]);
  });
});
