import { expect, test } from "vitest";
import { DomainError } from "../../../src/domain/base/errors.ts";
import { checkPreviewSize } from "../../../src/domain/releases/release.ts";

const MIB = 1024 * 1024;

test.each([
  [2_500, 80 * MIB, undefined],
  [2_501, 1, "RELEASE_ITEM_LIMIT"],
  [1, 80 * MIB + 1, "RELEASE_ITEM_LIMIT"],
])("a preview of %i drafts and %i bytes: %s", (items, bytes, want) => {
  let got: string | undefined;
  try {
    checkPreviewSize({ items, bytes });
  } catch (error) {
    got = error instanceof DomainError ? error.reason : String(error);
  }
  expect(got).toBe(want);
});
