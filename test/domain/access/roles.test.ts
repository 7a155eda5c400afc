import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { RoleSchema } from "../../../gen/svc/studio/iam/role/v1/role_pb.ts";
import type { Binding, ResourceRef } from "../../../src/domain/access/permissions.ts";
import {
  checkDelegation,
  checkImpersonation,
  checkRole,
  movedPermissions,
} from "../../../src/domain/access/roles.ts";
import { BUILT_IN_ROLES } from "../../../src/domain/built-in-roles.ts";
import { PERMISSIONS } from "../../../src/domain/kinds.ts";
import { errorOf, rejection } from "../../harness/rejection.ts";

const role = (permissions: readonly string[]) =>
  create(RoleSchema, { permissions: [...permissions] });

describe("the permissions of a role", () => {
  test("may be all that there are", () => {
    checkRole(role([...PERMISSIONS]), "role", PERMISSIONS);
  });

  test.each([
    [["cms.events.get", ""], "PERMISSION_UNKNOWN", "role.permissions[1]"],
    [["CMS.events.get"], "PERMISSION_UNKNOWN", "role.permissions[0]"],
    [["cms.events"], "PERMISSION_UNKNOWN", "role.permissions[0]"],
    [
      ["cms.events.get", "cms.events.list", "cms.events.get"],
      "PERMISSION_REPEATED",
      "role.permissions[2]",
    ],
  ] as const)("%j: %s", (permissions, reason, field) => {
    expect(() => checkRole(role(permissions), "role", PERMISSIONS)).toThrow(
      rejection(reason, field),
    );
  });

  test.each([
    [[], ["a"], ["a"]],
    [["a"], ["a"], []],
    [
      ["a", "b"],
      ["b", "c"],
      ["c", "a"],
    ],
    [["a"], [], ["a"]],
    // A stored role that names it does not give it.
    [["iam.organizations.create", "a"], ["a"], []],
    [["a"], ["iam.organizations.create", "a"], ["iam.organizations.create"]],
  ] as const)("[%s] to [%s] gives or takes [%s]", (before, after, want) => {
    expect(movedPermissions(role(before), role(after))).toEqual(want);
  });
});

const ORGANIZATION: ResourceRef = { kind: "organization", id: "o", organizationId: "o" };
const PROJECT: ResourceRef = { kind: "project", id: "p", organizationId: "o", projectId: "p" };
const VIDEO: ResourceRef = { kind: "video", id: "v", organizationId: "o", projectId: "p" };

const binding = (permissions: readonly string[], place: Partial<Binding> = {}): Binding => ({
  permissions: new Set(permissions),
  organizationId: "o",
  ...place,
});
const onProject = { projectId: "p" };
const onVideo = { projectId: "p", resource: { kind: "video", id: "v" } };

describe("a grantor holds the permissions that they delegate", () => {
  test.each<[string, Binding[], ResourceRef, string[], string | undefined]>([
    ["nothing is always held", [], ORGANIZATION, [], undefined],
    ["one that is held", [binding(["a.b.c"])], ORGANIZATION, ["a.b.c"], undefined],
    ["an ancestor counts", [binding(["a.b.c"])], VIDEO, ["a.b.c"], undefined],
    ["two bindings together", [binding(["a"]), binding(["b"])], PROJECT, ["a", "b"], undefined],
    ["one that lacks", [binding(["a"])], PROJECT, ["a", "b"], "b"],
    ["a project is not its organization", [binding(["a"], onProject)], ORGANIZATION, ["a"], "a"],
    ["a video is not its project", [binding(["a"], onVideo)], PROJECT, ["a"], "a"],
    ["another organization", [binding(["a"], { organizationId: "x" })], PROJECT, ["a"], "a"],
  ])("%s", (_name, held, resource, given, want) => {
    const error = errorOf(() => checkDelegation(held, resource, given));
    expect(error?.metadata.permissions).toBe(want);
    expect(error?.reason).toBe(want && "PERMISSION_NOT_HELD");
  });

  test("at most 20 are listed, each once, and counted", () => {
    const given = Array.from({ length: 25 }, (_, index) => `a.b.c${index}`);
    const error = errorOf(() => checkDelegation([], PROJECT, [...given, ...given]));
    expect(error?.metadata).toEqual({
      resource: "p/p/project",
      permissions: given.slice(0, 20).join(","),
      count: "25",
    });
    expect(error?.message).toContain("and 5 more");
  });
});

describe("a caller who acts for an account holds all its permissions", () => {
  test.each<[string, Binding[], Binding[], string | undefined]>([
    ["one without bindings", [], [], undefined],
    ["the same", [binding(["a"], onVideo)], [binding(["a"], onVideo)], undefined],
    ["less", [binding(["a", "b"])], [binding(["a"], onProject)], undefined],
    ["more", [binding(["a"], onProject)], [binding(["a"])], "o/organization"],
    ["elsewhere", [binding(["a"], onProject)], [binding(["a"], { projectId: "q" })], "q/q/project"],
    ["one on a video", [], [binding(["a"], onVideo)], "v/p/video"],
  ])("%s", (_name, held, account, want) => {
    expect(errorOf(() => checkImpersonation(held, account))?.metadata.resource).toBe(want);
  });

  test("an owner covers every built-in role but the operator's", () => {
    const roles = BUILT_IN_ROLES.map(({ id, permissions }) => [id, binding(permissions)] as const);
    const owner = new Map(roles).get("owner") as Binding;
    const rejected = roles.filter(([, role]) => errorOf(() => checkImpersonation([owner], [role])));
    expect(rejected.map(([id]) => id)).toEqual(["operator"]);
  });
});
