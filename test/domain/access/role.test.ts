import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { RoleSchema } from "../../../gen/svc/studio/iam/role/v1/role_pb.ts";
import { checkRole, movedPermissions, PERMISSIONS } from "../../../src/domain/access/roles.ts";

const role = (permissions: readonly string[]) =>
  create(RoleSchema, { permissions: [...permissions] });

describe("the permissions of a role", () => {
  test("may be all that there are", () => {
    checkRole(role([...PERMISSIONS]), "role");
  });

  for (const [permissions, reason, field] of [
    [["cms.events.get", ""], "PERMISSION_UNKNOWN", "role.permissions[1]"],
    [["CMS.events.get"], "PERMISSION_UNKNOWN", "role.permissions[0]"],
    [["cms.events"], "PERMISSION_UNKNOWN", "role.permissions[0]"],
    [
      ["cms.events.get", "cms.events.list", "cms.events.get"],
      "PERMISSION_REPEATED",
      "role.permissions[2]",
    ],
  ] as const) {
    test(`${JSON.stringify(permissions)}: ${reason}`, () => {
      expect(() => checkRole(role(permissions), "role")).toThrow(
        expect.objectContaining({ reason, metadata: { field } }),
      );
    });
  }

  for (const [before, after, want] of [
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
  ] as const) {
    test(`[${before}] to [${after}] gives or takes [${want}]`, () => {
      expect(movedPermissions(role(before), role(after))).toEqual(want);
    });
  }
});
