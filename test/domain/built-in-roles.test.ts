import { describe, expect, test } from "vitest";
import { isPermissionName } from "../../src/domain/access/permissions.ts";
import { BUILT_IN_ROLES } from "../../src/domain/built-in-roles.ts";
import { PERMISSIONS } from "../../src/domain/kinds.ts";

const permissionsOf = (id: string) =>
  new Set(BUILT_IN_ROLES.find((role) => role.id === id)?.permissions);

describe("the roles that exist from the start", () => {
  test("are owner, editor, author, viewer and operator, each once", () => {
    const ids = BUILT_IN_ROLES.map((role) => role.id);
    expect(ids.join(" ")).toBe("owner editor author viewer operator");
  });

  test("an owner has every permission except creating organizations, which only an operator has", () => {
    const operating = "iam.organizations.create";
    expect(permissionsOf("operator")).toEqual(new Set([operating]));
    expect(permissionsOf("owner").has(operating)).toBe(false);
    expect(permissionsOf("owner").add(operating)).toEqual(PERMISSIONS);
  });

  test("an editor has every permission except those that grant access", () => {
    const lacking = [...PERMISSIONS].filter((name) => !permissionsOf("editor").has(name));
    const givesAccess = [...PERMISSIONS].filter(
      (name) => /^iam\..*\.(create|update|delete|revoke)$/.test(name) && name !== "iam.sso.update",
    );
    expect(lacking).toEqual(givesAccess);
    expect(lacking).toContain("iam.bindings.create");
  });

  test("an author has the permissions of a viewer and those of drafts", () => {
    const viewer = permissionsOf("viewer");
    const author = [...permissionsOf("author")];
    expect(author.filter((name) => !viewer.has(name)).sort()).toEqual([
      "cms.changes.revert",
      "cms.releases.create",
      "cms.releases.delete",
      "cms.releases.update",
    ]);
    expect(author).toEqual(expect.arrayContaining([...viewer]));
  });

  test("a viewer only reads", () => {
    const viewer = permissionsOf("viewer");
    for (const name of PERMISSIONS) {
      const reads = [".get", ".list", ".preview", ".simulate"].some((verb) => name.endsWith(verb));
      expect(viewer.has(name), name).toBe(reads);
    }
  });

  test("hold well-formed names that exist, each once", () => {
    for (const { permissions } of BUILT_IN_ROLES) {
      expect(new Set(permissions).size).toBe(permissions.length);
      for (const name of permissions) {
        expect(isPermissionName(name), name).toBe(true);
        expect(PERMISSIONS.has(name), name).toBe(true);
      }
    }
  });
});
