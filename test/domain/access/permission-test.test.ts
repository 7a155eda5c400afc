import { describe, expect, test } from "vitest";
import { checkAskedPermissions } from "../../../src/domain/access/permission-test.ts";
import { Code } from "../../../src/domain/errors.ts";

const names = (count: number) => Array.from({ length: count }, (_, index) => `a.b.c${index}`);

describe("the permissions that a test asks for", () => {
  for (const count of [1, 2, 99, 100]) {
    test(`${count} are allowed`, () => {
      expect(() => checkAskedPermissions(names(count))).not.toThrow();
    });
  }

  test("duplicates and names that nobody defines are allowed", () => {
    expect(() => checkAskedPermissions(["a.b.c", "a.b.c"])).not.toThrow();
  });

  for (const count of [0, 101, 5_000]) {
    test(`${count} are refused`, () => {
      expect(() => checkAskedPermissions(names(count))).toThrow(
        expect.objectContaining({
          code: Code.INVALID_ARGUMENT,
          reason: "PERMISSION_COUNT_INVALID",
          metadata: { field: "permissions" },
        }),
      );
    });
  }

  for (const name of ["", "*", "ott.*", "ott.page_components.*", "a.b", "a.b.c.d", "A.b.c"]) {
    test(`${JSON.stringify(name)} is refused by name`, () => {
      expect(() => checkAskedPermissions(["a.b.c", name])).toThrow(
        expect.objectContaining({
          code: Code.INVALID_ARGUMENT,
          reason: "PERMISSION_NAME_MALFORMED",
          message: expect.stringContaining(`'${name}'`),
        }),
      );
    });
  }
});
